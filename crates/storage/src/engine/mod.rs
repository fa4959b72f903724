//! The two engines behind the executor. Engine names appear only in this folder: the code above uses one SQL text for
//! both.

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

/// What to do with an outdated schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaPolicy {
    /// Migrate it: used by the server at startup and by `migrate`.
    Migrate,
    /// Create the schema in an empty database, but refuse an older schema: a server of the older version may be using
    /// it.
    Expect,
    /// Accept any schema and create nothing.
    Inspect,
}

/// Opens the database at an address; also returns the schema versions before and after.
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

/// A lock that keeps a second server off a database that only one process may serve. Dropping it releases the lock.
pub struct ServerLock(#[allow(dead_code)] Option<std::fs::File>);

/// Locks the database for a server. Does nothing if several processes may serve the database.
pub fn lock_for_server(address: &DatabaseAddress) -> Result<ServerLock, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => sqlite::lock_database_file(path).map(|file| ServerLock(Some(file))),
        DatabaseAddress::Postgres(_) => Ok(ServerLock(None)),
    }
}

/// The schema version of the database; 0 if it has none yet.
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

/// Compares the applied migrations with those this program knows.
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

    /// The TLS version, if the connection uses TLS.
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

    /// Only a server has an identity; a file cannot be told from its copy.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        match self {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(engine) => engine.identity().await,
        }
    }

    /// The size of the database in bytes.
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

/// One engine refuses text with U+0000 and tools of the other truncate it, so both refuse it.
fn refuse_nul_text(statement: &Statement) -> Result<(), StatementFailure> {
    let has_nul =
        |value: &crate::SqlScalar| matches!(value, crate::SqlScalar::Text(text) if text.contains('\0'));
    if statement.values().iter().any(has_nul) {
        return Err(Error::Broken("a text with U+0000 reached the database".to_owned()).into());
    }
    Ok(())
}

/// The message of a panic.
fn describe_panic(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a text").to_owned()
}
