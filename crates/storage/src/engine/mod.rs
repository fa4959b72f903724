//! The two engines behind the executor. Their names stand in this folder alone: everything above writes one SQL
//! text and never asks which of them runs it.

mod address;
mod condition;
mod dialect;
mod options;
mod postgres;
mod protection;
mod sqlite;
mod texts;

pub use address::Address;
pub use options::Options;
pub use protection::TransportProtection;

use crate::db::{Failure, Lane, Weight};
use crate::migrations::{self, Migrated};
use crate::unit::Work;
use crate::write_health::WriteHealth;
use crate::{Db, Error, OpenError, Row, Statement};
use std::sync::Arc;

/// What to do with a schema that is not the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
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
pub async fn open(address: &Address, options: &Options, schema: Schema) -> Result<(Db, Migrated), OpenError> {
    let health = Arc::<WriteHealth>::default();
    let (engine, migrated) = match address {
        Address::Sqlite(path) => {
            let migrated = sqlite::migrate(path, schema)?;
            let engine = sqlite::Sqlite::open(path, options, &health)?;
            (Engine::Sqlite(Arc::new(engine)), migrated)
        }
        Address::Postgres(config) => {
            let migrated = postgres::migrate(config, options, schema).await?;
            let engine = postgres::Postgres::open(config, options, Arc::clone(&health)).await?;
            (Engine::Postgres(Arc::new(engine)), migrated)
        }
    };
    Ok((Db::new(engine, health), migrated))
}

/// The lock that keeps a second server off a database that only one may serve. Dropping it lets go.
pub struct ServerLock(#[allow(dead_code)] Option<std::fs::File>);

/// Takes the database for a server. Where several processes may serve one database, this takes nothing.
pub fn lock_for_server(address: &Address) -> Result<ServerLock, OpenError> {
    match address {
        Address::Sqlite(path) => sqlite::lock(path).map(|file| ServerLock(Some(file))),
        Address::Postgres(_) => Ok(ServerLock(None)),
    }
}

/// The version of the schema there, 0 where there is none yet.
#[boxed::future]
pub async fn schema_version(address: &Address, options: &Options) -> Result<i64, OpenError> {
    match address {
        Address::Sqlite(path) => sqlite::migrate(path, Schema::Inspect).map(|found| found.from),
        Address::Postgres(config) => {
            postgres::migrate(config, options, Schema::Inspect).await.map(|found| found.from)
        }
    }
}

/// Compares what was applied with what this program knows.
fn judge(applied: &[migrations::Applied], schema: Schema) -> Result<i64, OpenError> {
    let found = migrations::check(applied)?;
    let known = migrations::newest();
    if schema == Schema::Expect && found != 0 && found < known {
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
    pub fn write(&self, lane: Lane, work: Work) {
        match self {
            Engine::Sqlite(engine) => engine.write(lane, work),
            Engine::Postgres(engine) => engine.write(lane, work),
        }
    }

    pub fn read(&self, work: Work) {
        match self {
            Engine::Sqlite(engine) => engine.read(work),
            Engine::Postgres(engine) => engine.read(work),
        }
    }

    #[boxed::future]
    pub async fn query(&self, weight: Weight, statement: Statement) -> Result<Vec<Row>, Error> {
        match self {
            Engine::Sqlite(engine) => engine.query(weight, statement).await,
            Engine::Postgres(engine) => engine.query(weight, &statement).await,
        }
    }

    pub fn transport_protection(&self) -> TransportProtection {
        match self {
            Engine::Sqlite(_) => TransportProtection::File,
            Engine::Postgres(engine) => engine.protection(),
        }
    }

    /// The version of TLS, where that protects the way to the database.
    #[boxed::future]
    pub async fn tls_version(&self) -> Result<Option<String>, Error> {
        match self {
            Engine::Postgres(engine) if engine.protection() == TransportProtection::Tls => {
                engine.tls_version().await
            }
            _ => Ok(None),
        }
    }

    #[boxed::future]
    pub async fn describe(&self) -> Result<String, Error> {
        match self {
            Engine::Sqlite(_) => Ok(sqlite::describe()),
            Engine::Postgres(engine) => engine.describe().await,
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
        let rows = self.query(Weight::Point, statement).await?;
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
pub(crate) enum Session {
    Sqlite(Box<sqlite::Connection>),
    Postgres(Arc<postgres::Session>),
}

impl Session {
    /// Whether asking it is a journey there and back.
    pub fn is_remote(&self) -> bool {
        matches!(self, Session::Postgres(_))
    }

    #[boxed::future]
    pub async fn all(&mut self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        match self {
            Session::Sqlite(connection) => connection.all(statement),
            Session::Postgres(session) => session.all(statement).await,
        }
    }

    #[boxed::future]
    pub async fn several(&mut self, statements: &[Statement]) -> Result<Vec<Vec<Row>>, Failure> {
        match self {
            Session::Sqlite(connection) => statements.iter().map(|one| connection.all(one)).collect(),
            Session::Postgres(session) => session.several(statements).await,
        }
    }

    #[boxed::future]
    pub async fn execute(&mut self, statement: &Statement) -> Result<u64, Failure> {
        match self {
            Session::Sqlite(connection) => connection.execute(statement),
            Session::Postgres(session) => session.execute(statement).await,
        }
    }

    #[boxed::future]
    pub async fn batch(&mut self, statements: &[Statement]) -> Result<(), Failure> {
        match self {
            Session::Sqlite(connection) => {
                for statement in statements {
                    connection.execute(statement)?;
                }
                Ok(())
            }
            Session::Postgres(session) => session.batch(statements).await,
        }
    }
}

/// Text with U+0000 is refused by one engine and cut short by tools of the other: both refuse it.
fn refuse_nul(statement: &Statement) -> Result<(), Failure> {
    let has_nul = |value: &crate::Value| matches!(value, crate::Value::Text(text) if text.contains('\0'));
    if statement.values().iter().any(has_nul) {
        return Err(Error::Broken("a text with U+0000 reached the database".to_owned()).into());
    }
    Ok(())
}

/// What a panic said.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a text").to_owned()
}
