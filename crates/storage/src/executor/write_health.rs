//! Whether writes succeed, as seen by the most recent ones. Every batch reports here, so that `/readyz`, the console
//! and `doctor` need no write of their own.

use crate::Error;
use domain::DatabaseFault;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a fault of one table or page is reported after it last occurred: successful writes elsewhere do not
/// disprove it.
const PARTIAL_FAULT_STANDS: Duration = Duration::from_mins(1);

#[derive(Default)]
pub(crate) struct WriteHealth {
    state: Mutex<WriteState>,
    commits: AtomicU64,
    /// The gauge is about the main database.
    is_of_activity: bool,
}

#[derive(Clone, Copy, Default)]
enum WriteState {
    /// No write has been attempted yet.
    #[default]
    Unproven,
    Writable,
    Failing(DatabaseFault, Instant),
}

impl WriteHealth {
    pub fn of_activity() -> WriteHealth {
        WriteHealth { is_of_activity: true, ..WriteHealth::default() }
    }

    /// A write was committed durably.
    pub fn report_success(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        match *state {
            WriteState::Writable => return,
            WriteState::Failing(fault, met) if fault.is_partial() && met.elapsed() < PARTIAL_FAULT_STANDS => {
                return;
            }
            WriteState::Failing(fault, _) => tracing::info!(?fault, "the database can be written again"),
            WriteState::Unproven => {}
        }
        *state = WriteState::Writable;
        self.set_gauge(1.0);
    }

    /// Records errors that concern the entire database; errors of a single unit are ignored.
    pub fn report_failure(&self, error: &Error) {
        match error {
            Error::DatabaseFault { fault, .. } => self.report_fault(*fault),
            Error::Unknown => self.report_fault(DatabaseFault::NoAnswer),
            _ => {}
        }
    }

    pub fn report_fault(&self, fault: DatabaseFault) {
        let mut state = self.state();
        // Logged once per fault: during an outage every request runs into it.
        if !matches!(*state, WriteState::Failing(known, _) if known == fault) {
            tracing::error!(?fault, "the database cannot be written");
            self.set_gauge(0.0);
        }
        *state = WriteState::Failing(fault, Instant::now());
    }

    pub fn fault(&self) -> Option<DatabaseFault> {
        match *self.state() {
            WriteState::Failing(fault, _) => Some(fault),
            WriteState::Unproven | WriteState::Writable => None,
        }
    }

    /// Commits of this process.
    pub fn commit_count(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    fn set_gauge(&self, value: f64) {
        if !self.is_of_activity {
            metrics::gauge!("amparo_database_writable").set(value);
        }
    }

    fn state(&self) -> MutexGuard<'_, WriteState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_stands_until_a_write_disproves_it() {
        let health = WriteHealth::default();
        assert_eq!(health.fault(), None);
        health.report_failure(&Error::TooSlow);
        assert_eq!(health.fault(), None, "one slow unit says nothing of the others");
        health.report_failure(&Error::DatabaseFault { fault: DatabaseFault::DiskFull, cause: String::new() });
        assert_eq!(health.fault(), Some(DatabaseFault::DiskFull));
        health.report_success();
        assert_eq!(health.fault(), None);
        health.report_failure(&Error::Unknown);
        assert_eq!(health.fault(), Some(DatabaseFault::NoAnswer));
        health.report_fault(DatabaseFault::Damaged);
        health.report_success();
        assert_eq!(health.fault(), Some(DatabaseFault::Damaged), "another page may well be sound");
    }
}
