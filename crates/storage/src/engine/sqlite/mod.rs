//! SQLite inside the process: threads that read, one that writes, one that moves the write-ahead log back.
//!
//! Searches are spread over a few connections, each on a thread of its own; a point read runs where it was asked for,
//! and goes to those threads only if it takes long. Writes go to the one writer, which takes
//! what is queued (32 units at most), runs one after another and commits them together, so that one fsync serves many
//! callers. Answers go out after the commit, never before.

mod checkpoint;
mod connection;
mod limit;
mod migrate;
mod planner;
mod reader;
mod writer;

pub use connection::Connection;
pub use migrate::{lock, migrate};

use super::Options;
use crate::db::{Failure, Lane, Weight, stopped};
use crate::unit::{Job, Work};
use crate::write_health::WriteHealth;
use crate::{Error, OpenError, Row, Statement};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

pub struct Sqlite {
    /// Connections for point reads that run on the caller's own thread; none once closed.
    near: Vec<Mutex<Option<Connection>>>,
    /// `None` once closed: the threads end when they have served what was queued.
    queues: Mutex<Option<Arc<Queues>>>,
    threads: Mutex<Vec<JoinHandle<ClosingConnection>>>,
}

/// The connection of a thread that has ended. Connections are closed one after another: two that close at once find
/// each other's lock, and the log stays beside the database.
type ClosingConnection = Box<dyn Send>;

struct Queues {
    units: crossbeam_channel::Sender<Job>,
    points: crossbeam_channel::Sender<reader::Read>,
    searches: crossbeam_channel::Sender<reader::Read>,
}

impl Sqlite {
    pub fn open(path: &Path, options: &Options, health: &Arc<WriteHealth>) -> Result<Sqlite, OpenError> {
        let unreachable = |cause: Error| OpenError::Unreachable {
            place: path.display().to_string(),
            cause: cause.to_string(),
        };
        let readers = options.readers.max(2);
        let share = options.cache_mib / (2 * readers + 1);
        let (units, jobs) = crossbeam_channel::unbounded();
        let (points, point_reads) = crossbeam_channel::unbounded();
        let (searches, search_reads) = crossbeam_channel::unbounded();
        let mut threads = Vec::new();

        let (log, length) = crossbeam_channel::bounded(1);
        let mut connection =
            Connection::open(path, connection::Role::Writer, share, options).map_err(unreachable)?;
        connection.tell_log_length(log).map_err(unreachable)?;
        let turnstile = Arc::new(checkpoint::Turnstile::default());
        let unit_timeout = options.unit_timeout;
        threads.push(spawn("amparo-writer", {
            let (turnstile, health) = (Arc::clone(&turnstile), Arc::clone(health));
            move || writer::run(connection, &jobs, unit_timeout, &turnstile, &health)
        })?);
        let connection =
            Connection::open(path, connection::Role::Checkpointer, 1, options).map_err(unreachable)?;
        threads.push(spawn("amparo-checkpoint", move || checkpoint::run(connection, &length, &turnstile))?);

        for number in 0..readers {
            let connection =
                Connection::open(path, connection::Role::Reader, share, options).map_err(unreachable)?;
            // At least one thread, and half of them, never take a search: point reads do not wait behind them.
            let searches = (number >= readers / 2).then(|| search_reads.clone());
            let reader = reader::Reader {
                points: point_reads.clone(),
                searches,
                point_timeout: options.point_timeout,
                search_timeout: options.search_timeout,
                health: Arc::clone(health),
            };
            threads.push(spawn("amparo-reader", move || reader.run(connection))?);
        }
        let near = (0..readers)
            .map(|_| {
                let connection = Connection::open(path, connection::Role::Reader, share, options)?;
                Ok(Mutex::new(Some(connection)))
            })
            .collect::<Result<_, _>>()
            .map_err(unreachable)?;
        Ok(Sqlite {
            near,
            queues: Mutex::new(Some(Arc::new(Queues { units, points, searches }))),
            threads: Mutex::new(threads),
        })
    }

    pub fn write(&self, lane: Lane, work: Work) {
        let Some(queues) = self.queues() else { return work.answer(Some(stopped())) };
        if let Err(unsent) = queues.units.send(Job::new(work, lane.rank)) {
            unsent.into_inner().work.answer(Some(stopped()));
        }
    }

    pub fn read(&self, work: Work) {
        let Some(queues) = self.queues() else { return work.answer(Some(stopped())) };
        // Several statements weigh like a search.
        if let Err(unsent) = queues.searches.send(reader::Read::Snapshot(work))
            && let reader::Read::Snapshot(work) = unsent.into_inner()
        {
            work.answer(Some(stopped()));
        }
    }

    #[boxed::future]
    pub async fn query(&self, weight: Weight, statement: Statement) -> Result<Vec<Row>, Error> {
        if weight == Weight::Point {
            // Who asks again and again must let others have the thread now and then.
            tokio::task::coop::consume_budget().await;
            if let Some(rows) = self.read_near(&statement) {
                return rows;
            }
        }
        let queues = self.queues().ok_or_else(stopped)?;
        let (reply, answer) = oneshot::channel();
        let queue = match weight {
            Weight::Point => &queues.points,
            Weight::Search => &queues.searches,
        };
        let (watch, gone) = reader::watch(weight);
        queue.send(reader::Read::Statement { statement, reply, gone }).map_err(|_| stopped())?;
        drop(queues);
        let rows = answer.await.unwrap_or_else(|_| Err(stopped()));
        drop(watch);
        rows
    }

    /// Reads on this very thread, where a connection is free: handing a read of a few microseconds to another thread
    /// and back costs more than the read. `None` where none is free, or the read turned out to be a long one.
    fn read_near(&self, statement: &Statement) -> Option<Result<Vec<Row>, Error>> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! { static MINE: usize = THREADS.fetch_add(1, Ordering::Relaxed) }
        let mine = MINE.with(|mine| *mine);
        let in_turn = (0..self.near.len()).map(|step| &self.near[(mine + step) % self.near.len()]);
        let mut place = in_turn.filter_map(|place| place.try_lock().ok()).next()?;
        let connection = place.as_mut()?;
        connection.limit_to_first_look();
        match connection.all(statement) {
            Err(Failure { error: Error::TooSlow, .. }) => None,
            other => Some(other.map_err(|failure| failure.error)),
        }
    }

    #[boxed::future]
    pub async fn close(&self) {
        for place in &self.near {
            place.lock().expect("a place is never poisoned").take();
        }
        self.queues.lock().expect("queues are never poisoned").take();
        let threads = std::mem::take(&mut *self.threads.lock().expect("threads are never poisoned"));
        let joined = tokio::task::spawn_blocking(move || {
            // The writer's comes first: the checkpointer ends when that is closed.
            for thread in threads {
                match thread.join() {
                    Ok(connection) => drop(connection),
                    Err(_) => tracing::error!("a database thread panicked"),
                }
            }
        });
        let _ = joined.await;
    }

    fn queues(&self) -> Option<Arc<Queues>> {
        self.queues.lock().expect("queues are never poisoned").clone()
    }
}

fn spawn<C: Send + 'static>(
    name: &str,
    body: impl FnOnce() -> C + Send + 'static,
) -> Result<JoinHandle<ClosingConnection>, OpenError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || Box::new(body()) as ClosingConnection)
        .map_err(|error| OpenError::Unreachable { place: name.to_owned(), cause: error.to_string() })
}

/// Name and version, for people.
pub fn describe() -> String {
    format!("SQLite {}", rusqlite::version())
}
