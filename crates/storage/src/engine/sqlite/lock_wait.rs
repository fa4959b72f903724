//! How long, and in which steps, a connection waits for a lock that another process holds.

use super::connection::ConnectionPurpose;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// The database's own wait grows to 100 ms between two attempts. A process that writes all the time leaves the lock free
/// only for microseconds, which such rare attempts seldom hit.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(1);

/// For the connections with which a process prepares its files.
pub const WAIT_WHILE_OPENING: Duration = Duration::from_secs(10);

/// A checkpoint does not wait long for readers: a search may hold the log back longer, and the writer waits meanwhile.
const WAIT_FOR_CHECKPOINT: Duration = Duration::from_millis(50);
/// Longer units, such as those of an archive, do not wait longer for others.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Readers wait only in rare moments, such as the recovery of a log.
const WAIT_OF_READERS: Duration = Duration::from_secs(5);

/// How long a connection of the executor waits. The writer waits as long as a unit may take (`storage.unit_timeout`).
pub fn choose_lock_wait(purpose: ConnectionPurpose, unit_timeout: Duration) -> Duration {
    match purpose {
        ConnectionPurpose::Checkpointer => WAIT_FOR_CHECKPOINT,
        ConnectionPurpose::Reader => WAIT_OF_READERS,
        ConnectionPurpose::Writer => unit_timeout.min(LONGEST_WAIT),
    }
}

pub fn wait_for_locks(connection: &mut Connection, limit: Duration) -> rusqlite::Result<()> {
    let mut started = Instant::now();
    connection.busy_handler(Some(move |attempts| {
        if attempts == 0 {
            started = Instant::now();
        }
        std::thread::sleep(BETWEEN_ATTEMPTS);
        started.elapsed() < limit
    }))
}
