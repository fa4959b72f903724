//! Moves the write-ahead log back into the database, on a thread of its own, so that no caller waits for it.

use super::connection::EmbeddedConnection;
use crossbeam_channel::Receiver;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// From so many pages on the log is moved back (4 MiB), and again after as many more.
pub const MOVE_AT: i64 = 1_000;
/// The log only starts over when all of it was moved, which a steady stream of writes may put off for ever. From so
/// many pages on (32 MiB) the writer is made to wait for the little that is left.
const START_OVER_AT: i64 = 8_000;

/// A reader may hold the log back for as long as its search takes; the writer is not made to wait for that.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// Where the writer stands aside between two batches when the log is to start over. Without it the checkpointer
/// would ask for the lock again and again and never find it free. However long the writer's batch takes, it is waited
/// for; only then begins the patience with readers.
#[derive(Default)]
pub struct WriterTurnstile {
    wanted: AtomicBool,
    pass: Mutex<()>,
    writing: Mutex<()>,
}

impl WriterTurnstile {
    /// The writer's side: passed for the time of one batch.
    pub fn pass(&self) -> impl Drop + '_ {
        if self.wanted.load(Ordering::Acquire) {
            drop(self.pass.lock());
        }
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, act: impl FnOnce()) {
        let _held = self.pass.lock();
        self.wanted.store(true, Ordering::Release);
        let writing = self.writing.lock();
        act();
        drop(writing);
        self.wanted.store(false, Ordering::Release);
    }
}

/// Runs until the writer has ended, then moves back what is left. Each message is the length of the log in pages.
pub fn run_checkpointer(
    connection: EmbeddedConnection,
    log: &Receiver<i64>,
    turnstile: &WriterTurnstile,
) -> EmbeddedConnection {
    let mut moved_at = 0;
    while let Ok(pages) = log.recv() {
        if pages >= moved_at && pages < moved_at + MOVE_AT {
            continue;
        }
        checkpoint_log(&connection, "PRAGMA wal_checkpoint(PASSIVE)");
        moved_at = pages;
        if pages >= START_OVER_AT {
            turnstile.hold(|| checkpoint_log(&connection, "PRAGMA wal_checkpoint(RESTART)"));
        }
    }
    checkpoint_log(&connection, "PRAGMA wal_checkpoint(PASSIVE)");
    connection
}

fn checkpoint_log(connection: &EmbeddedConnection, pragma: &str) {
    let begun = std::time::Instant::now();
    let moved = connection.raw_connection().query_row(pragma, [], |row| row.get::<_, i64>(2));
    match moved {
        Ok(pages) => tracing::debug!(pages, millis = begun.elapsed().as_millis() as u64, "log moved back"),
        Err(error) => tracing::warn!(%error, "log not moved back"),
    }
}
