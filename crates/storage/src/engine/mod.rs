//! The two engines behind the executor. Their names stand in this folder alone: everything above writes one SQL
//! text and never asks which of them runs it.

mod address;
mod condition;
mod dialect;
mod options;
mod postgres;
mod protection;
mod sqlite;
mod statement_texts;

pub use address::DatabaseAddress;
pub use options::DatabaseOptions;
pub use protection::TransportProtection;

use crate::executor::db::{QueryWeight, StatementFailure, WriteLane};
use crate::executor::unit::QueuedUnit;
use crate::executor::write_health::WriteHealth;
use crate::migrations::{self, SchemaUpgrade};
use crate::{Db, Error, OpenError, Row, Statement};
use std::sync::Arc;

/// What to do with a schema that is not the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPolicy {
    /// Bring it there: the server at its start, and `migrate`.
    Migrate,
    /// Fill an empty database, but leave an older schema to `migrate`: a server of the older version may be
    /// using it.
    Expect,
    /// Take it as it is, and create nothing.
    Inspect,
}

/// Opens the database at an address; says what was migrated.
#[boxed::future]
pub async fn open_database(
    address: &DatabaseAddress,
    options: &DatabaseOptions,
    schema: SchemaPolicy,
) -> Result<(Db, SchemaUpgrade), OpenError> {
    let health = Arc::<WriteHealth>::default();
    let (engine, migrated) = match address {
        DatabaseAddress::Sqlite(path) => {
            let migrated = sqlite::migrate_database(path, schema)?;
            let engine = sqlite::Sqlite::open(path, options, &health)?;
            (Engine::Sqlite(Arc::new(engine)), migrated)
        }
        DatabaseAddress::Postgres(config) => {
            let migrated = postgres::migrate_database(config, options, schema).await?;
            let engine = postgres::Postgres::open(config, options, Arc::clone(&health)).await?;
            (Engine::Postgres(Arc::new(engine)), migrated)
        }
    };
    Ok((Db::new(engine, health), migrated))
}

/// The lock that keeps a second server off a database that only one may serve. Dropping it lets go.
pub struct ServerLock(#[allow(dead_code)] Option<std::fs::File>);

/// Takes the database for a server. Where several processes may serve one database, this takes nothing.
pub fn lock_for_server(address: &DatabaseAddress) -> Result<ServerLock, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => sqlite::lock_database_file(path).map(|file| ServerLock(Some(file))),
        DatabaseAddress::Postgres(_) => Ok(ServerLock(None)),
    }
}

/// The version of the schema there, 0 where there is none yet.
#[boxed::future]
pub async fn read_schema_version(
    address: &DatabaseAddress,
    options: &DatabaseOptions,
) -> Result<i64, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => {
            sqlite::migrate_database(path, SchemaPolicy::Inspect).map(|found| found.from)
        }
        DatabaseAddress::Postgres(config) => {
            postgres::migrate_database(config, options, SchemaPolicy::Inspect).await.map(|found| found.from)
        }
    }
}

/// Compares what was applied with what this program knows.
fn check_schema(applied: &[migrations::AppliedMigration], schema: SchemaPolicy) -> Result<i64, OpenError> {
    let found = migrations::check_applied_migrations(applied)?;
    let known = migrations::find_newest_version();
    if schema == SchemaPolicy::Expect && found != 0 && found < known {
        return Err(OpenError::Older { found, known });
    }
    Ok(found)
}

#[derive(Clone)]
pub(crate) enum Engine {
    Sqlite(Arc<sqlite::Sqlite>),
    Postgres(Arc<postgres::Postgres>),
}

impl Engine {
    pub fn write(&self, lane: WriteLane, work: QueuedUnit) {
        match self {
            Engine::Sqlite(engine) => engine.write(lane, work),
            Engine::Postgres(engine) => engine.write(lane, work),
        }
    }

    pub fn read(&self, work: QueuedUnit) {
        match self {
            Engine::Sqlite(engine) => engine.read(work),
            Engine::Postgres(engine) => engine.read(work),
        }
    }

    #[boxed::future]
    pub async fn query(&self, weight: QueryWeight, statement: Statement) -> Result<Vec<Row>, Error> {
        match self {
            Engine::Sqlite(engine) => engine.query(weight, statement).await,
            Engine::Postgres(engine) => engine.query(weight, &statement).await,
        }
    }

    pub fn transport_protection(&self) -> TransportProtection {
        match self {
            Engine::Sqlite(_) => TransportProtection::File,
            Engine::Postgres(engine) => engine.last_protection(),
        }
    }

    /// The version of TLS, where that protects the way to the database.
    #[boxed::future]
    pub async fn tls_version(&self) -> Result<Option<String>, Error> {
        match self {
            Engine::Postgres(engine) if engine.last_protection() == TransportProtection::Tls => {
                engine.tls_version().await
            }
            _ => Ok(None),
        }
    }

    #[boxed::future]
    pub async fn describe_version(&self) -> Result<String, Error> {
        match self {
            Engine::Sqlite(_) => Ok(sqlite::describe_version()),
            Engine::Postgres(engine) => engine.describe_version().await,
        }
    }

    /// A file is like its copy; only a server knows which one it is.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        match self {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(engine) => engine.identity().await,
        }
    }

    /// How much room the database takes, in bytes.
    #[boxed::future]
    pub async fn size(&self) -> Result<i64, Error> {
        let statement = match self {
            Engine::Sqlite(_) => crate::sql(
                "SELECT c.page_count * s.page_size AS bytes FROM pragma_page_count() c, pragma_page_size() s",
            ),
            Engine::Postgres(_) => crate::sql("SELECT pg_database_size(current_database()) AS bytes"),
        };
        let rows = self.query(QueryWeight::Point, statement).await?;
        rows.first().map_or(Ok(0), |row| row.get("bytes"))
    }

    #[boxed::future]
    pub async fn close(&self) {
        match self {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
    }
}

/// A connection inside a transaction.
pub(crate) enum TransactionSession {
    Sqlite(Box<sqlite::EmbeddedConnection>),
    Postgres(Arc<postgres::ServerSession>),
}

impl TransactionSession {
    /// Whether asking it is a journey there and back.
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

/// Text with U+0000 is refused by one engine and cut short by tools of the other: both refuse it.
fn refuse_nul_text(statement: &Statement) -> Result<(), StatementFailure> {
    let has_nul =
        |value: &crate::SqlScalar| matches!(value, crate::SqlScalar::Text(text) if text.contains('\0'));
    if statement.values().iter().any(has_nul) {
        return Err(Error::Broken("a text with U+0000 reached the database".to_owned()).into());
    }
    Ok(())
}

/// What a panic said.
fn describe_panic(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a text").to_owned()
}
