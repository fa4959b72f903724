//! How a connection waits for a lock that another process holds.

use rusqlite::Connection;
use std::time::{Duration, Instant};

/// The database's own wait grows to 100 ms between two attempts. Who writes all the time leaves the lock free for
/// microseconds only, which so rare attempts hardly meet.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(1);

/// For the connections with which a process prepares its files.
pub const WAIT_WHILE_OPENING: Duration = Duration::from_secs(10);

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
