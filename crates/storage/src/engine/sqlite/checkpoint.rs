//! Moves the write-ahead log back into the database, on a thread of its own, so that no caller waits for it.

use super::connection::Connection;
use crossbeam_channel::Receiver;
use std::path::{Path, PathBuf};

/// From this size on the log is moved back after a commit.
const MOVE_AT: u64 = 4 << 20;
/// From this size on readers and the writer are waited for, so that the log starts over.
const START_OVER_AT: u64 = 128 << 20;

pub fn wal_path(database: &Path) -> PathBuf {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    path.into()
}

/// Runs until the writer has ended, then moves back what is left.
pub fn run(connection: Connection, wal: &Path, wake: &Receiver<()>) {
    while wake.recv().is_ok() {
        match std::fs::metadata(wal).map_or(0, |file| file.len()) {
            size if size >= START_OVER_AT => checkpoint(&connection, "PRAGMA wal_checkpoint(RESTART)"),
            size if size >= MOVE_AT => checkpoint(&connection, "PRAGMA wal_checkpoint(PASSIVE)"),
            _ => {}
        }
    }
    checkpoint(&connection, "PRAGMA wal_checkpoint(PASSIVE)");
}

fn checkpoint(connection: &Connection, pragma: &str) {
    let begun = std::time::Instant::now();
    let moved = connection.raw().query_row(pragma, [], |row| row.get::<_, i64>(2));
    match moved {
        Ok(pages) => tracing::debug!(pages, millis = begun.elapsed().as_millis() as u64, "log moved back"),
        Err(error) => tracing::warn!(%error, "log not moved back"),
    }
}
