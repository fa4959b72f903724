//! Whether a write would succeed, as far as the last writes can tell. Every batch reports here, so that whoever asks
//! (`/readyz`, the console, `doctor`) causes no write of its own.

use crate::Error;
use domain::DatabaseFault;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A fault of one table or one page stands for so long after it was last met: writes elsewhere do not disprove it.
const PARTIAL_FAULT_STANDS: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct WriteHealth(Mutex<WriteState>);

#[derive(Clone, Copy, Default)]
enum WriteState {
    /// Nothing was written yet.
    #[default]
    Unproven,
    Writable,
    Failing(DatabaseFault, Instant),
}

impl WriteHealth {
    /// Something was stored, durably.
    pub fn report_success(&self) {
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
        metrics::gauge!("amparo_database_writable").set(1.0);
    }

    /// Takes note of errors that concern the database as a whole; those of one unit alone do not.
    pub fn report_failure(&self, error: &Error) {
        match error {
            Error::DatabaseFault { fault, .. } => self.report_fault(*fault),
            Error::Unknown => self.report_fault(DatabaseFault::NoAnswer),
            _ => {}
        }
    }

    pub fn report_fault(&self, fault: DatabaseFault) {
        let mut state = self.state();
        // Said once for each fault: in an outage every request meets it.
        if !matches!(*state, WriteState::Failing(known, _) if known == fault) {
            tracing::error!(?fault, "the database cannot be written");
            metrics::gauge!("amparo_database_writable").set(0.0);
        }
        *state = WriteState::Failing(fault, Instant::now());
    }

    pub fn fault(&self) -> Option<DatabaseFault> {
        match *self.state() {
            WriteState::Failing(fault, _) => Some(fault),
            WriteState::Unproven | WriteState::Writable => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, WriteState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
