//! The two engines behind the executor. Engine names appear only in this folder: the code above uses one SQL text for
//! both.

mod address;
pub mod backup;
mod condition;
mod dialect;
mod nul_text;
mod open;
mod options;
mod panic_message;
mod postgres;
mod protection;
mod server_lock;
mod sqlite;
mod statement_texts;
mod transaction_session;
mod workload;

pub use address::DatabaseAddress;
pub use open::{SchemaPolicy, open_database, read_schema_version};
pub use options::{DatabaseOptions, count_lanes_for_machine};
pub use protection::TransportProtection;
pub use server_lock::{ImportLock, ServerLock, lock_for_import, lock_for_server, lock_out_imports};
pub(crate) use transaction_session::TransactionSession;
pub use workload::{ConnectionUse, DatabaseWorkload};

use crate::executor::db::{QueryWeight, WriteLane};
use crate::executor::unit::QueuedUnit;
use crate::{Error, Row, Statement};
use nul_text::refuse_nul_text;
use open::check_schema;
use panic_message::describe_panic;
use std::sync::Arc;

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

    pub fn workload(&self) -> DatabaseWorkload {
        match self {
            Engine::Sqlite(engine) => engine.workload(),
            Engine::Postgres(engine) => engine.workload(),
        }
    }

    #[boxed::future]
    pub async fn close(&self) {
        match self {
            Engine::Sqlite(engine) => engine.close().await,
            Engine::Postgres(engine) => engine.close().await,
        }
    }
}
