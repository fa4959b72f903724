//! Whether writes succeed, as seen by the most recent ones. Every batch reports here, so that `/readyz`, the console
//! and `doctor` need no write of their own. Reads report here, too, so that an outage is logged once
//! (`outage_log.rs`).

use super::outage_log::{OutageKind, OutageLog, OutageNews};
use crate::Error;
use domain::DatabaseFault;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a fault of one table or page is reported after it last occurred: successful writes elsewhere do not
/// disprove it.
const PARTIAL_FAULT_STANDS: Duration = Duration::from_mins(1);

#[derive(Default)]
pub(crate) struct WriteHealth {
    state: Mutex<WriteState>,
    commits: AtomicU64,
    outage: OutageLog,
    /// Failures after the database was closed are no outage.
    is_closed: AtomicBool,
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
            WriteState::Writable => {
                drop(state);
                return self.log_outage_end();
            }
            WriteState::Failing(fault, met) if fault.is_partial() && met.elapsed() < PARTIAL_FAULT_STANDS => {
                return;
            }
            WriteState::Failing(..) | WriteState::Unproven => {}
        }
        *state = WriteState::Writable;
        self.set_gauge(1.0);
        drop(state);
        self.log_outage_end();
    }

    /// A read succeeded, which says nothing about a fault that prevents writes.
    pub fn report_answer(&self) {
        if self.outage.is_running() && self.fault().is_none() {
            self.log_outage_end();
        }
    }

    fn log_outage_end(&self) {
        if let Some(OutageNews::Ended { lasted, failures }) = self.outage.record_success(Instant::now()) {
            let (database, seconds) = (self.database_name(), lasted.as_secs());
            tracing::info!(database, seconds, failures, "database trouble is over");
        }
    }

    /// Records errors that concern the entire database; errors of a single unit are ignored.
    pub fn report_failure(&self, error: &Error) {
        match error {
            Error::DatabaseFault { fault, .. } => self.set_fault(*fault),
            Error::Unknown => self.set_fault(DatabaseFault::NoAnswer),
            _ => {}
        }
        if let Some(kind) = OutageKind::from_error(error) {
            self.log_outage(kind, error);
        }
    }

    /// Nothing is logged any more.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    fn set_fault(&self, fault: DatabaseFault) {
        let mut state = self.state();
        if !matches!(*state, WriteState::Failing(known, _) if known == fault) {
            self.set_gauge(0.0);
        }
        *state = WriteState::Failing(fault, Instant::now());
    }

    fn log_outage(&self, problem: OutageKind, cause: &Error) {
        if self.is_closed.load(Ordering::Relaxed) {
            return;
        }
        let database = self.database_name();
        match self.outage.record_failure(problem, Instant::now()) {
            // A slow statement need not be the fault of the database.
            Some(OutageNews::Began) if problem == OutageKind::Slow => {
                tracing::warn!(database, ?problem, %cause, "database trouble began");
            }
            Some(OutageNews::Began) => {
                tracing::error!(database, ?problem, %cause, "database trouble began");
            }
            Some(OutageNews::Continues { failures }) => {
                tracing::warn!(database, ?problem, %cause, failures, "database trouble continues");
            }
            Some(OutageNews::Ended { .. }) | None => {}
        }
    }

    fn database_name(&self) -> &'static str {
        if self.is_of_activity { "activity" } else { "main" }
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
        health.report_failure(&Error::DatabaseFault { fault: DatabaseFault::Damaged, cause: String::new() });
        health.report_success();
        assert_eq!(health.fault(), Some(DatabaseFault::Damaged), "another page may well be sound");
    }
}
