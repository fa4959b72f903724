//! A connection of either engine with an open transaction.

use super::postgres;
use super::sqlite;
use crate::executor::db::StatementFailure;
use crate::{Row, Statement};
use std::sync::Arc;

/// A connection with an open transaction.
pub(crate) enum TransactionSession {
    Sqlite(Box<sqlite::EmbeddedConnection>),
    Postgres(Arc<postgres::ServerSession>),
}

impl TransactionSession {
    /// Whether each statement costs a network round trip.
    pub fn is_remote(&self) -> bool {
        matches!(self, TransactionSession::Postgres(_))
    }

    #[boxed::future]
    pub async fn fetch_all(&mut self, statement: &Statement) -> Result<Vec<Row>, StatementFailure> {
        match self {
            TransactionSession::Sqlite(connection) => connection.fetch_all(statement),
            TransactionSession::Postgres(session) => session.fetch_all(statement).await,
        }
    }

    #[boxed::future]
    pub async fn fetch_several(
        &mut self,
        statements: &[Statement],
    ) -> Result<Vec<Vec<Row>>, StatementFailure> {
        match self {
            TransactionSession::Sqlite(connection) => {
                statements.iter().map(|one| connection.fetch_all(one)).collect()
            }
            TransactionSession::Postgres(session) => session.fetch_several(statements).await,
        }
    }

    #[boxed::future]
    pub async fn execute(&mut self, statement: &Statement) -> Result<u64, StatementFailure> {
        match self {
            TransactionSession::Sqlite(connection) => connection.execute(statement),
            TransactionSession::Postgres(session) => session.execute(statement).await,
        }
    }

    #[boxed::future]
    pub async fn execute_batch(&mut self, statements: &[Statement]) -> Result<(), StatementFailure> {
        match self {
            TransactionSession::Sqlite(connection) => {
                for statement in statements {
                    connection.execute(statement)?;
                }
                Ok(())
            }
            TransactionSession::Postgres(session) => session.execute_batch(statements).await,
        }
    }
}
