//! Logs an outage of the database once, however many requests run into it: its beginning with the cause, then the number
//! of failures once a minute, then its end.

use crate::Error;
use domain::DatabaseFault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often an outage that lasts is logged again.
const REPEAT_AFTER: Duration = Duration::from_mins(1);
/// A success ends an outage only if nothing has failed for this long: one connection may work while another does not.
const QUIET_FOR: Duration = Duration::from_secs(2);

/// What an error says about the whole database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutageKind {
    /// It refuses its work.
    Fault(DatabaseFault),
    Unreachable,
    /// It does not answer in time.
    Slow,
}

impl OutageKind {
    pub fn from_error(error: &Error) -> Option<OutageKind> {
        match error {
            Error::DatabaseFault { fault, .. } => Some(OutageKind::Fault(*fault)),
            Error::Unknown => Some(OutageKind::Fault(DatabaseFault::NoAnswer)),
            Error::Unavailable(_) => Some(OutageKind::Unreachable),
            Error::TooSlow => Some(OutageKind::Slow),
            _ => None,
        }
    }
}

/// What is to be logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutageNews {
    Began,
    /// Failures since the last line.
    Continues {
        failures: u64,
    },
    Ended {
        lasted: Duration,
        failures: u64,
    },
}

#[derive(Default)]
pub(crate) struct OutageLog {
    /// Read at every success, so that those outside an outage take no lock.
    is_out: AtomicBool,
    state: Mutex<OutageState>,
}

#[derive(Default)]
struct OutageState {
    running: Option<RunningOutage>,
    /// When each kind was last logged; it outlives the outage, so that one that comes and goes is not logged each time.
    logged: Vec<(OutageKind, Instant)>,
    failures_since_line: u64,
}

struct RunningOutage {
    began: Instant,
    last_failure: Instant,
    failures: u64,
    is_logged: bool,
}

impl OutageLog {
    pub fn record_failure(&self, kind: OutageKind, now: Instant) -> Option<OutageNews> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_out.store(true, Ordering::Relaxed);
        state.failures_since_line += 1;
        let failures = state.failures_since_line;
        let is_due = state.note_line_if_due(kind, now);
        let running = state.running.get_or_insert(RunningOutage {
            began: now,
            last_failure: now,
            failures: 0,
            is_logged: false,
        });
        running.last_failure = now;
        running.failures += 1;
        if !is_due {
            return None;
        }
        let is_first = !std::mem::replace(&mut running.is_logged, true);
        state.failures_since_line = 0;
        Some(if is_first && failures == 1 { OutageNews::Began } else { OutageNews::Continues { failures } })
    }

    pub fn is_running(&self) -> bool {
        self.is_out.load(Ordering::Relaxed)
    }

    pub fn record_success(&self, now: Instant) -> Option<OutageNews> {
        if !self.is_running() {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_quiet = |outage: &mut RunningOutage| now.duration_since(outage.last_failure) >= QUIET_FOR;
        let ended = state.running.take_if(is_quiet)?;
        self.is_out.store(false, Ordering::Relaxed);
        let (lasted, failures) = (now.duration_since(ended.began), ended.failures);
        ended.is_logged.then(|| {
            state.failures_since_line = 0;
            OutageNews::Ended { lasted, failures }
        })
    }
}

impl OutageState {
    /// Whether a failure of this kind is to be logged now.
    fn note_line_if_due(&mut self, kind: OutageKind, now: Instant) -> bool {
        match self.logged.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, last)) if now.duration_since(*last) < REPEAT_AFTER => false,
            Some((_, last)) => {
                *last = now;
                true
            }
            None => {
                self.logged.push((kind, now));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNREACHABLE: OutageKind = OutageKind::Unreachable;

    #[test]
    fn an_outage_is_logged_at_its_beginning_each_minute_and_at_its_end() {
        let (log, start) = (OutageLog::default(), Instant::now());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(log.record_success(at(0)), None);
        assert_eq!(log.record_failure(UNREACHABLE, at(0)), Some(OutageNews::Began));
        for second in 0..60 {
            assert_eq!(log.record_failure(UNREACHABLE, at(second)), None);
        }
        assert_eq!(log.record_failure(UNREACHABLE, at(60)), Some(OutageNews::Continues { failures: 61 }));
        assert_eq!(log.record_success(at(61)), None, "one connection works, another may not");
        let ended = OutageNews::Ended { lasted: Duration::from_secs(62), failures: 62 };
        assert_eq!(log.record_success(at(62)), Some(ended));
        assert_eq!(log.record_success(at(63)), None);
    }

    #[test]
    fn an_outage_that_comes_and_goes_is_logged_once_a_minute() {
        let (log, start) = (OutageLog::default(), Instant::now());
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let lines = (0..600).filter(|second| match second % 5 {
            0 => log.record_failure(UNREACHABLE, at(*second)).is_some(),
            _ => log.record_success(at(*second)).is_some(),
        });
        assert!(lines.count() <= 20, "two for each of ten minutes");
    }

    #[test]
    fn another_kind_of_fault_is_logged_at_once() {
        let (log, now) = (OutageLog::default(), Instant::now());
        assert_eq!(log.record_failure(UNREACHABLE, now), Some(OutageNews::Began));
        let full = OutageKind::Fault(DatabaseFault::DiskFull);
        assert_eq!(log.record_failure(full, now), Some(OutageNews::Continues { failures: 1 }));
        assert_eq!(log.record_failure(full, now), None);
    }
}
