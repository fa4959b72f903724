//! Checkpoints the write-ahead log on a separate thread, so that no caller waits for it.

use super::connection::EmbeddedConnection;
use crossbeam_channel::Receiver;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Log length in pages at which a checkpoint runs (4 MiB), and again after as many more.
pub const MOVE_AT: i64 = 1_000;
/// The log restarts only when all of it has been checkpointed, which steady writes can delay forever. From this many
/// pages (32 MiB) the writer waits for the rest.
const START_OVER_AT: i64 = 8_000;

/// Makes the writer pause between two batches so that the log can restart. Without it the checkpointer would retry
/// the lock and never find it free. It waits for the current batch without a limit; only then the time limit for
/// readers starts.
#[derive(Default)]
pub struct WriterTurnstile {
    wanted: AtomicBool,
    pass: Mutex<()>,
    writing: Mutex<()>,
}

impl WriterTurnstile {
    /// The writer's side: held for one batch.
    pub fn pass(&self) -> impl Drop + '_ {
        if self.wanted.load(Ordering::Acquire) {
            drop(self.pass.lock());
        }
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self, action: impl FnOnce()) {
        let _held = self.pass.lock();
        self.wanted.store(true, Ordering::Release);
        let writing = self.writing.lock();
        action();
        drop(writing);
        self.wanted.store(false, Ordering::Release);
    }
}

/// Runs until the writer has ended, then checkpoints the rest. Each message is the log length in pages.
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
    let started = std::time::Instant::now();
    let result = connection.raw_connection().query_row(pragma, [], |row| row.get::<_, i64>(2));
    match result {
        Ok(pages) => tracing::debug!(
            pages,
            millis = started.elapsed().as_millis() as u64,
            "write-ahead log checkpointed"
        ),
        Err(error) => tracing::warn!(%error, "write-ahead log not checkpointed"),
    }
}
