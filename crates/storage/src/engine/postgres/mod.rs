//! A PostgreSQL server: connections that each do one kind of work.
//!
//! | kind | connections | a statement on it |
//! |---|---|---|
//! | points | a few, shared | sent at once behind those on their way (pipelined), never waits for a search |
//! | searches, snapshots | a pool | has the connection to itself, and longer |
//! | writes | a pool | a lane takes one for a batch (`lanes.rs`) |
//!
//! A connection that the server has ended is replaced at the next use.

mod connector;
mod failure;
mod handshake;
mod lanes;
mod migrate;
mod password_guard;
mod session;
mod startup_lock;
mod targets;
mod values;

pub use migrate::migrate;
pub use session::Session;
pub use targets::is_loopback;

use super::{Options, Session as AnySession, TransportProtection};
use crate::db::{Lane, Tx, Weight, stopped};
use crate::unit::{Ran, Work};
use crate::write_health::WriteHealth;
use crate::{Error, OpenError, Row, Statement};
use connector::{Connector, Generations};
use deadpool::managed::{Manager, Metrics, Object, Pool, RecycleError, RecycleResult, Timeouts};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

pub struct Postgres {
    points: Vec<Slot>,
    next_point: AtomicUsize,
    searches: Pool<Connections>,
    lanes: Arc<lanes::Lanes>,
    search_timeout: Duration,
    closed: AtomicBool,
    health: Arc<WriteHealth>,
}

/// The place of a shared connection.
struct Slot {
    connector: Arc<Connector>,
    place: Mutex<Place>,
}

enum Place {
    Empty,
    Open(Arc<Session>),
    /// A failure is everybody's for a moment: who waited for it does not wait for his own.
    Failed(Instant, Error),
}

const FAILURE_COUNTS: Duration = Duration::from_secs(1);

impl Slot {
    async fn get(&self) -> Result<Arc<Session>, Error> {
        let mut place = self.place.lock().await;
        match &*place {
            Place::Open(session) if session.is_usable() => return Ok(Arc::clone(session)),
            Place::Failed(at, error) if at.elapsed() < FAILURE_COUNTS => return Err(error.clone()),
            _ => {}
        }
        match self.connector.connect().await {
            Ok(session) => {
                let session = Arc::new(session);
                *place = Place::Open(Arc::clone(&session));
                Ok(session)
            }
            Err(error) => {
                *place = Place::Failed(Instant::now(), error.clone());
                Err(error)
            }
        }
    }
}

impl Postgres {
    #[boxed::future]
    pub async fn open(
        config: &tokio_postgres::Config,
        options: &Options,
        health: Arc<WriteHealth>,
    ) -> Result<Postgres, OpenError> {
        let unreachable = |error: Error| OpenError::Unreachable {
            place: super::Address::Postgres(Box::new(config.clone())).to_string(),
            cause: error.to_string(),
        };
        let generations = Generations::default();
        let connector =
            |statement: Duration| Connector::new(config, options, statement, &generations).map(Arc::new);
        let points = connector(options.point_timeout).map_err(unreachable)?;
        let searches = connector(options.search_timeout).map_err(unreachable)?;
        let writes = connector(options.unit_timeout).map_err(unreachable)?;
        let slot = || Slot { connector: Arc::clone(&points), place: Mutex::new(Place::Empty) };
        let postgres = Postgres {
            points: (0..options.points.max(1)).map(|_| slot()).collect(),
            next_point: AtomicUsize::new(0),
            searches: pool(searches, options.readers, options)?,
            lanes: Arc::new(lanes::Lanes::new(
                pool(writes, options.writers, options)?,
                options.unit_timeout,
                Arc::clone(&health),
            )),
            search_timeout: options.search_timeout,
            closed: AtomicBool::new(false),
            health,
        };
        postgres.query(Weight::Point, &crate::sql("SELECT 1 AS one")).await.map_err(unreachable)?;
        Ok(postgres)
    }

    pub fn write(&self, lane: Lane, work: Work) {
        self.lanes.push(lane, work);
    }

    pub fn read(&self, mut work: Work) {
        let (searches, limit, health) =
            (self.searches.clone(), self.search_timeout, Arc::clone(&self.health));
        tokio::spawn(async move {
            let failure = match take(&searches).await {
                // Whoever asked may have gone while a connection was waited for.
                _ if work.abandoned() => return,
                Ok(session) => snapshot(&session, &mut work, limit, health).await.err(),
                Err(error) => Some(error),
            };
            work.answer(failure);
        });
    }

    #[boxed::future]
    pub async fn query(&self, weight: Weight, statement: &Statement) -> Result<Vec<Row>, Error> {
        let result = self.query_once(weight, statement).await;
        match result {
            // A connection that the server ended shows it only when used. Reading twice harms nobody.
            Err(Lost { error: Error::Unavailable(_), lost: true }) => {
                self.query_once(weight, statement).await.map_err(|again| again.error)
            }
            other => other.map_err(|failed| failed.error),
        }
    }

    async fn query_once(&self, weight: Weight, statement: &Statement) -> Result<Vec<Row>, Lost> {
        let fresh = |error| Lost { error, lost: false };
        match weight {
            Weight::Point if self.closed.load(Ordering::Relaxed) => Err(fresh(stopped())),
            Weight::Point => {
                let next = self.next_point.fetch_add(1, Ordering::Relaxed);
                let session = self.points[next % self.points.len()].get().await.map_err(fresh)?;
                let rows = session.all(statement).await;
                rows.inspect_err(|failure| session.spoil_if_lost(&failure.error))
                    .map_err(|failure| Lost { lost: session.is_lost(&failure.error), error: failure.error })
            }
            Weight::Search => {
                let session = take(&self.searches).await.map_err(fresh)?;
                let mut searching = Searching { session: &session, ended: false };
                let rows = session.all(statement).await;
                searching.ended = true;
                rows.inspect_err(|failure| session.spoil_if_lost(&failure.error))
                    .map_err(|failure| Lost { lost: session.is_lost(&failure.error), error: failure.error })
            }
        }
    }

    /// What protects the connection that was made last.
    pub fn protection(&self) -> TransportProtection {
        let made = self.points.first().and_then(|slot| slot.connector.protection());
        made.unwrap_or(TransportProtection::Tls)
    }

    /// The version of TLS in use, by the server's own word.
    #[boxed::future]
    pub async fn tls_version(&self) -> Result<Option<String>, Error> {
        let version = crate::sql("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        let rows = self.query(Weight::Point, &version).await?;
        rows.first().map_or(Ok(None), |row| row.get("version"))
    }

    #[boxed::future]
    pub async fn describe(&self) -> Result<String, Error> {
        let rows = self.query(Weight::Point, &crate::sql("SHOW server_version")).await?;
        let version: String = rows.first().ok_or_else(stopped)?.get("server_version")?;
        Ok(format!("PostgreSQL {version}"))
    }

    /// The cluster, its timeline and the database in it. The timeline is that of the log as it is written now: the control
    /// file learns of a promotion only with the next checkpoint. Whoever may not ask goes without.
    #[boxed::future]
    pub async fn identity(&self) -> Result<Option<String>, Error> {
        let statement = crate::sql(
            "SELECT CAST(s.system_identifier AS TEXT) || '/' || SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
                 || '/' || CAST(d.oid AS TEXT) AS identity
             FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()",
        );
        match self.query(Weight::Point, &statement).await {
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
            *slot.place.lock().await = Place::Empty;
        }
    }
}

/// A search under way. Its caller may go before it has ended; then the server is told to stop.
struct Searching<'s> {
    session: &'s Session,
    ended: bool,
}

impl Drop for Searching<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.session.cancel();
        }
    }
}

struct Lost {
    error: Error,
    lost: bool,
}

async fn snapshot(
    session: &Object<Connections>,
    work: &mut Work,
    limit: Duration,
    health: Arc<WriteHealth>,
) -> Result<Ran, Error> {
    session.control("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
    session.set_only_reads(true);
    let mut tx = Tx::new(AnySession::Postgres(Arc::clone(session)), health);
    let ran = tokio::time::timeout(limit, run_unit(&mut tx, work)).await.unwrap_or(Err(Error::TooSlow));
    session.set_only_reads(false);
    session.control("ROLLBACK").await.inspect_err(|_| session.spoil())?;
    ran
}

/// Runs a unit to its end; one that panics costs nobody but its caller.
async fn run_unit(tx: &mut Tx, work: &mut Work) -> Result<Ran, Error> {
    let ran = AssertUnwindSafe(work.run(tx)).catch_unwind().await;
    ran.map_err(|panic| Error::Panicked(super::panic_text(&*panic)))
}

/// Makes and checks the connections of a pool.
struct Connections(Arc<Connector>);

impl Manager for Connections {
    type Type = Arc<Session>;
    type Error = Error;

    async fn create(&self) -> Result<Arc<Session>, Error> {
        self.0.connect().await.map(Arc::new)
    }

    async fn recycle(&self, session: &mut Arc<Session>, _: &Metrics) -> RecycleResult<Error> {
        if session.is_usable() { Ok(()) } else { Err(RecycleError::message("ended")) }
    }
}

fn pool(connector: Arc<Connector>, size: usize, options: &Options) -> Result<Pool<Connections>, OpenError> {
    // A caller waits as long for a connection as he would wait for its statement.
    let wait = Some(options.search_timeout);
    let connect = Some(connector.patience());
    Pool::builder(Connections(connector))
        .max_size(size.max(1))
        .timeouts(Timeouts { wait, create: connect, recycle: connect })
        .runtime(deadpool::Runtime::Tokio1)
        .build()
        .map_err(|error| OpenError::Unreachable { place: "pool".to_owned(), cause: error.to_string() })
}

async fn take(pool: &Pool<Connections>) -> Result<Object<Connections>, Error> {
    pool.get().await.map_err(|error| match error {
        deadpool::managed::PoolError::Backend(error) => error,
        other => Error::Unavailable(other.to_string()),
    })
}
