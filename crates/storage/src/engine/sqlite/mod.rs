//! SQLite inside the process: reader threads, one writer thread, one checkpointer thread.
//!
//! Searches are spread over a few connections, each on its own thread. A point read runs on the caller's thread and
//! moves to a thread only if it takes long; some threads serve nothing else, so that it never waits behind searches. Writes go to the writer, which takes up to 32 queued units, runs
//! them one after another and commits them together, so that one fsync serves many callers. Callers are answered
//! after the commit, never before.

mod activity_file;
mod checkpoint;
mod connection;
mod copy_snapshot;
mod database_file;
mod limit;
mod lock_wait;
mod migrate;
mod planner;
mod reader;
mod replace_files;
mod server_lock;
mod writer;

pub use activity_file::prepare_activity_file;
pub use connection::EmbeddedConnection;
pub use copy_snapshot::{check_copy, copy_snapshot};
pub use database_file::build_activity_path;
pub use migrate::migrate_database;
pub use replace_files::{RestoredFiles, build_staging_path, replace_database};
pub use server_lock::{lock_database_file, share_import_lock, take_import_lock};

use super::{DatabaseOptions, DatabaseWorkload};
use crate::executor::db::{QueryWeight, StatementFailure, WriteLane, build_closed_error};
use crate::executor::unit::{PrioritizedUnit, QueuedUnit};
use crate::executor::write_health::WriteHealth;
use crate::{Error, OpenError, Row, Statement};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

pub struct Sqlite {
    /// Connections for point reads on the caller's thread; `None` once closed.
    near: Vec<Mutex<Option<EmbeddedConnection>>>,
    /// `None` once closed: the threads end after serving their queues.
    queues: Mutex<Option<Arc<ThreadQueues>>>,
    threads: Mutex<Vec<JoinHandle<ClosingConnection>>>,
}

/// For so many threads that serve searches, there is one that serves point reads only.
const SEARCH_THREADS_PER_POINT_THREAD: usize = 4;

/// The connection of a thread that has ended. Connections are closed one after another: two that close at once block
/// each other's lock, and the log is left behind.
type ClosingConnection = Box<dyn Send>;

struct ThreadQueues {
    units: crossbeam_channel::Sender<PrioritizedUnit>,
    points: crossbeam_channel::Sender<reader::ReadRequest>,
    searches: crossbeam_channel::Sender<reader::ReadRequest>,
}

impl Sqlite {
    pub fn open(
        path: &Path,
        options: &DatabaseOptions,
        health: &Arc<WriteHealth>,
    ) -> Result<Sqlite, OpenError> {
        let unreachable = |cause: Error| OpenError::Unreachable {
            place: path.display().to_string(),
            cause: cause.to_string(),
        };
        let readers = options.readers.max(1);
        let (units, jobs) = crossbeam_channel::unbounded();
        let (points, point_reads) = crossbeam_channel::unbounded();
        let (searches, search_reads) = crossbeam_channel::unbounded();
        let mut threads = Vec::new();

        let (log, length) = crossbeam_channel::bounded(1);
        let mut connection = EmbeddedConnection::open(path, connection::ConnectionPurpose::Writer, options)
            .map_err(unreachable)?;
        connection.report_log_length(log).map_err(unreachable)?;
        let turnstile = Arc::new(checkpoint::WriterTurnstile::default());
        let unit_timeout = options.unit_timeout;
        threads.push(spawn_thread("amparo-writer", {
            let (turnstile, health) = (Arc::clone(&turnstile), Arc::clone(health));
            move || writer::run_writer(connection, &jobs, unit_timeout, &turnstile, &health)
        })?);
        let connection = EmbeddedConnection::open(path, connection::ConnectionPurpose::Checkpointer, options)
            .map_err(unreachable)?;
        threads.push(spawn_thread("amparo-checkpoint", move || {
            checkpoint::run_checkpointer(connection, &length, &turnstile)
        })?);

        for number in 0..readers + readers.div_ceil(SEARCH_THREADS_PER_POINT_THREAD) {
            let connection = EmbeddedConnection::open(path, connection::ConnectionPurpose::Reader, options)
                .map_err(unreachable)?;
            let searches = (number < readers).then(|| search_reads.clone());
            let reader = reader::ReadThread {
                points: point_reads.clone(),
                searches,
                point_timeout: options.point_timeout,
                search_timeout: options.search_timeout,
                health: Arc::clone(health),
            };
            threads.push(spawn_thread("amparo-reader", move || reader.run(connection))?);
        }
        let near = (0..readers)
            .map(|_| {
                let connection =
                    EmbeddedConnection::open(path, connection::ConnectionPurpose::Reader, options)?;
                Ok(Mutex::new(Some(connection)))
            })
            .collect::<Result<_, _>>()
            .map_err(unreachable)?;
        Ok(Sqlite {
            near,
            queues: Mutex::new(Some(Arc::new(ThreadQueues { units, points, searches }))),
            threads: Mutex::new(threads),
        })
    }

    pub fn write(&self, lane: WriteLane, work: QueuedUnit) {
        let Some(queues) = self.queues() else { return work.answer(Some(build_closed_error())) };
        if let Err(unsent) = queues.units.send(PrioritizedUnit::new(work, lane.rank)) {
            unsent.into_inner().work.answer(Some(build_closed_error()));
        }
    }

    pub fn read(&self, work: QueuedUnit) {
        let Some(queues) = self.queues() else { return work.answer(Some(build_closed_error())) };
        // A snapshot of several statements counts as a search.
        if let Err(unsent) = queues.searches.send(reader::ReadRequest::Snapshot(work))
            && let reader::ReadRequest::Snapshot(work) = unsent.into_inner()
        {
            work.answer(Some(build_closed_error()));
        }
    }

    #[boxed::future]
    pub async fn query(&self, weight: QueryWeight, statement: Statement) -> Result<Vec<Row>, Error> {
        if weight == QueryWeight::Point {
            // A caller in a loop must yield to other tasks now and then.
            tokio::task::coop::consume_budget().await;
            if let Some(rows) = self.read_on_this_thread(&statement) {
                return rows;
            }
        }
        let queues = self.queues().ok_or_else(build_closed_error)?;
        let (reply, answer) = oneshot::channel();
        let queue = match weight {
            QueryWeight::Point => &queues.points,
            QueryWeight::Search => &queues.searches,
        };
        let (watch, cancellation) = reader::create_cancellation(weight);
        queue
            .send(reader::ReadRequest::Statement { statement, reply, gone: cancellation })
            .map_err(|_| build_closed_error())?;
        drop(queues);
        let rows = answer.await.unwrap_or_else(|_| Err(build_closed_error()));
        drop(watch);
        rows
    }

    /// Reads on the caller's thread if a connection is free: handing over a read of a few microseconds costs more
    /// than the read. `None` if no connection is free or the read takes long.
    fn read_on_this_thread(&self, statement: &Statement) -> Option<Result<Vec<Row>, Error>> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! { static MINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) }
        let thread_number = MINE.with(|number| *number);
        let mut rotation =
            (0..self.near.len()).map(|step| &self.near[(thread_number + step) % self.near.len()]);
        let mut place = rotation.find_map(|place| place.try_lock().ok())?;
        let connection = place.as_mut()?;
        connection.expire_at_first_check();
        match connection.fetch_all(statement) {
            Err(StatementFailure { error: Error::TooSlow, .. }) => None,
            other => Some(other.map_err(|failure| failure.error)),
        }
    }

    pub fn workload(&self) -> DatabaseWorkload {
        self.queues().map_or_else(DatabaseWorkload::default, |queues| DatabaseWorkload {
            waiting_writes: queues.units.len(),
            waiting_searches: queues.searches.len(),
            ..DatabaseWorkload::default()
        })
    }

    #[boxed::future]
    pub async fn close(&self) {
        for place in &self.near {
            place.lock().expect("a place is never poisoned").take();
        }
        self.queues.lock().expect("queues are never poisoned").take();
        let threads = std::mem::take(&mut *self.threads.lock().expect("threads are never poisoned"));
        let joined = tokio::task::spawn_blocking(move || {
            // The writer's thread first: the checkpointer ends when it is closed.
            for thread in threads {
                match thread.join() {
                    Ok(connection) => drop(connection),
                    Err(_) => tracing::error!("a database thread panicked"),
                }
            }
        });
        let _ = joined.await;
    }

    fn queues(&self) -> Option<Arc<ThreadQueues>> {
        self.queues.lock().expect("queues are never poisoned").clone()
    }
}

fn spawn_thread<C: Send + 'static>(
    name: &str,
    body: impl FnOnce() -> C + Send + 'static,
) -> Result<JoinHandle<ClosingConnection>, OpenError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || Box::new(body()) as ClosingConnection)
        .map_err(|error| OpenError::Unreachable { place: name.to_owned(), cause: error.to_string() })
}

/// Name and version, for display.
pub fn describe_version() -> String {
    format!("SQLite {}", rusqlite::version())
}
