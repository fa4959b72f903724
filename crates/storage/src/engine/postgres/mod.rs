//! A PostgreSQL server: separate connections for each kind of work.
//!
//! | kind | connections | a statement on it |
//! |---|---|---|
//! | points | a few, shared | pipelined, never waits for a search |
//! | searches, snapshots | a pool | has exclusive use of the connection and a longer time limit |
//! | writes | a pool | a lane takes one for a batch (`lanes.rs`) |
//!
//! A connection that the server has closed is replaced at its next use.

mod client_environment;
mod connector;
mod failure;
mod handshake;
mod lanes;
mod migrate;
mod password_guard;
mod pool;
mod run_unit;
mod search_cancel;
mod session;
mod shared_session;
mod startup_lock;
mod targets;
mod values;

pub use client_environment::build_client_environment;
pub use migrate::migrate_database;
pub use session::ServerSession;
pub use targets::is_loopback;

use super::{DatabaseOptions, DatabaseWorkload, TransportProtection};
use crate::executor::db::{QueryWeight, WriteLane, build_closed_error};
use crate::executor::unit::QueuedUnit;
use crate::executor::write_health::WriteHealth;
use crate::{Error, OpenError, Row, Statement};
use connector::{ConnectionGenerations, ServerConnector};
use deadpool::managed::Pool;
use pool::{SessionFactory, build_pool, measure_pool, take_session};
use run_unit::run_snapshot_reads;
use search_cancel::SearchCancelGuard;
use shared_session::{SharedSessionSlot, SlotState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

pub struct Postgres {
    points: Vec<SharedSessionSlot>,
    next_point: AtomicUsize,
    searches: Pool<SessionFactory>,
    lanes: Arc<lanes::TenantLanes>,
    search_timeout: Duration,
    closed: AtomicBool,
    health: Arc<WriteHealth>,
}

impl Postgres {
    #[boxed::future]
    pub async fn open(
        config: &tokio_postgres::Config,
        options: &DatabaseOptions,
        health: Arc<WriteHealth>,
    ) -> Result<Postgres, OpenError> {
        let unreachable = |error: Error| OpenError::Unreachable {
            place: super::DatabaseAddress::Postgres(Box::new(config.clone())).to_string(),
            cause: error.to_string(),
        };
        let generations = ConnectionGenerations::default();
        let connector = |statement: Duration| {
            ServerConnector::new(config, options, statement, &generations).map(Arc::new)
        };
        let points = connector(options.point_timeout).map_err(unreachable)?;
        let searches = connector(options.search_timeout).map_err(unreachable)?;
        let writes = connector(options.unit_timeout).map_err(unreachable)?;
        let slot =
            || SharedSessionSlot { connector: Arc::clone(&points), state: Mutex::new(SlotState::Empty) };
        let postgres = Postgres {
            points: (0..options.points.max(1)).map(|_| slot()).collect(),
            next_point: AtomicUsize::new(0),
            searches: build_pool(searches, options.readers, options)?,
            lanes: Arc::new(lanes::TenantLanes::new(
                build_pool(writes, options.writers, options)?,
                options.unit_timeout,
                Arc::clone(&health),
            )),
            search_timeout: options.search_timeout,
            closed: AtomicBool::new(false),
            health,
        };
        postgres.query(QueryWeight::Point, &crate::sql("SELECT 1 AS one")).await.map_err(unreachable)?;
        Ok(postgres)
    }

    pub fn write(&self, lane: WriteLane, work: QueuedUnit) {
        self.lanes.push(lane, work);
    }

    pub fn read(&self, mut work: QueuedUnit) {
        let (searches, limit, health) =
            (self.searches.clone(), self.search_timeout, Arc::clone(&self.health));
        tokio::spawn(async move {
            let failure = match take_session(&searches).await {
                // The caller may be gone after waiting for a connection.
                _ if work.is_abandoned() => return,
                Ok(session) => {
                    run_snapshot_reads(&session, &mut work, limit, Arc::clone(&health)).await.err()
                }
                Err(error) => Some(error),
            };
            failure.iter().for_each(|error| health.report_failure(error));
            work.answer(failure);
        });
    }

    #[boxed::future]
    pub async fn query(&self, weight: QueryWeight, statement: &Statement) -> Result<Vec<Row>, Error> {
        let result = self.query_once(weight, statement).await;
        match result {
            // A closed connection shows only when used. Repeating a read is harmless.
            Err(QueryFailure { error: Error::Unavailable(_), lost: true }) => {
                self.query_once(weight, statement).await.map_err(|failure| failure.error)
            }
            other => other.map_err(|failed| failed.error),
        }
    }

    async fn query_once(&self, weight: QueryWeight, statement: &Statement) -> Result<Vec<Row>, QueryFailure> {
        let to_failure = |error| QueryFailure { error, lost: false };
        match weight {
            QueryWeight::Point if self.closed.load(Ordering::Relaxed) => {
                Err(to_failure(build_closed_error()))
            }
            QueryWeight::Point => {
                let next = self.next_point.fetch_add(1, Ordering::Relaxed);
                let session =
                    self.points[next % self.points.len()].get_or_connect().await.map_err(to_failure)?;
                let rows = session.fetch_all(statement).await;
                rows.inspect_err(|failure| session.spoil_if_lost(&failure.error)).map_err(|failure| {
                    QueryFailure { lost: session.is_lost(&failure.error), error: failure.error }
                })
            }
            QueryWeight::Search => {
                let session = take_session(&self.searches).await.map_err(to_failure)?;
                let mut searching = SearchCancelGuard { session: &session, ended: false };
                let rows = session.fetch_all(statement).await;
                searching.ended = true;
                rows.inspect_err(|failure| session.spoil_if_lost(&failure.error)).map_err(|failure| {
                    QueryFailure { lost: session.is_lost(&failure.error), error: failure.error }
                })
            }
        }
    }

    pub fn workload(&self) -> DatabaseWorkload {
        let (waiting_searches, searches) = measure_pool(&self.searches);
        let (waiting_writes, writes) = self.lanes.measure_connections();
        DatabaseWorkload { waiting_writes, waiting_searches, writes, searches }
    }

    /// The protection of the most recent connection.
    pub fn last_protection(&self) -> TransportProtection {
        let protection = self.points.first().and_then(|slot| slot.connector.last_protection());
        protection.unwrap_or(TransportProtection::Tls)
    }

    /// The TLS version in use, as reported by the server.
    #[boxed::future]
    pub async fn tls_version(&self) -> Result<Option<String>, Error> {
        let version = crate::sql("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        let rows = self.query(QueryWeight::Point, &version).await?;
        rows.first().map_or(Ok(None), |row| row.get("version"))
    }

    #[boxed::future]
    pub async fn describe_version(&self) -> Result<String, Error> {
        let rows = self.query(QueryWeight::Point, &crate::sql("SHOW server_version")).await?;
        let version: String = rows.first().ok_or_else(build_closed_error)?.get("server_version")?;
        Ok(format!("PostgreSQL {version}"))
    }

    /// The cluster, its timeline and the database. The timeline is taken from the current WAL file, because the
    /// control file records a promotion only at the next checkpoint. `None` without the permission to query it.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        let statement = crate::sql(
            "SELECT CAST(s.system_identifier AS TEXT) || '/' || SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
                 || '/' || CAST(d.oid AS TEXT) AS identity
             FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()",
        );
        match self.query(QueryWeight::Point, &statement).await {
            Ok(rows) => rows.first().map(|row| row.get("identity")).transpose(),
            Err(error @ (Error::Unavailable(_) | Error::TooSlow)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    #[boxed::future]
    pub async fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.lanes.close().await;
        self.searches.close();
        for slot in &self.points {
            *slot.state.lock().await = SlotState::Empty;
        }
    }
}

struct QueryFailure {
    error: Error,
    lost: bool,
}
