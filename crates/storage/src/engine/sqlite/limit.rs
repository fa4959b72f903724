//! The time limit of a statement.

use super::reader::CancellationFlag;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// When to interrupt a statement, shared with the progress handler: after a deadline in milliseconds since the
/// connection was opened (0 for never), or when its caller is gone.
#[derive(Clone)]
pub struct StatementDeadline {
    start: Instant,
    past: Arc<AtomicU64>,
    gone: Arc<Mutex<Option<CancellationFlag>>>,
}

impl Default for StatementDeadline {
    fn default() -> StatementDeadline {
        StatementDeadline { start: Instant::now(), past: Arc::default(), gone: Arc::default() }
    }
}

impl StatementDeadline {
    pub fn set(&self, span: Duration) {
        let at = (self.start.elapsed() + span).as_millis();
        self.past.store(u64::try_from(at).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    /// The deadline has already passed at the next check.
    pub fn expire_at_first_check(&self) {
        self.past.store(1, Ordering::Relaxed);
    }

    pub fn watch_caller(&self, cancellation: Option<CancellationFlag>) {
        *self.gone.lock().expect("the watch is never poisoned") = cancellation;
    }

    pub fn lift(&self) {
        self.past.store(0, Ordering::Relaxed);
    }

    pub fn is_past(&self) -> bool {
        let at = self.past.load(Ordering::Relaxed);
        let is_late = at != 0 && self.start.elapsed().as_millis() > u128::from(at);
        is_late
            || self
                .gone
                .lock()
                .is_ok_and(|watched| watched.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
    }
}
