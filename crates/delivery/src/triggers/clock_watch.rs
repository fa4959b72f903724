//! Detects a system clock that was set back, so that retry times stored while it ran ahead are corrected.

use app::triggers::CLOCK_TOLERANCE;
use domain::Moment;
use std::time::{Duration, Instant};

/// Another process with a wrong clock may have stored retry times and never restarted, so the check also runs
/// periodically.
const CHECK_INTERVAL: Duration = Duration::from_mins(10);
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Writes that were in progress when the clock was set back still carry the wrong time.
const SECOND_CHECK_AFTER: Duration = Duration::from_secs(5);

/// Decides when to check for retry times that lie too far in the future.
pub struct ClockWatch {
    last_reading: (Moment, Instant),
    next_check: Instant,
    was_put_back: bool,
}

impl ClockWatch {
    /// The first check is due at once: what the clock did before the start is unknown.
    pub fn start(now: Moment) -> ClockWatch {
        let at = Instant::now();
        ClockWatch { last_reading: (now, at), next_check: at, was_put_back: false }
    }

    /// Whether a check is due. Cheap enough to call on every turn.
    pub fn is_due(&mut self, now: Moment) -> bool {
        let at = Instant::now();
        let (before, seen_at) = std::mem::replace(&mut self.last_reading, (now, at));
        let expected = before.plus(at.saturating_duration_since(seen_at));
        if now.plus(CLOCK_TOLERANCE) < expected {
            tracing::warn!(seconds = expected.duration_since(now).as_secs(), "the system clock was set back");
            self.next_check = at;
            self.was_put_back = true;
        }
        self.next_check <= at
    }

    pub fn record_check(&mut self, is_done: bool) {
        let pause = match is_done {
            false => RETRY_AFTER,
            true if std::mem::take(&mut self.was_put_back) => SECOND_CHECK_AFTER,
            true => CHECK_INTERVAL,
        };
        self.next_check = Instant::now() + pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_at_the_beginning_and_when_the_clock_was_put_back() {
        let now = Moment::from_millis(1_794_663_125_000);
        let day = Duration::from_hours(24);
        let mut watch = ClockWatch::start(now);
        assert!(watch.is_due(now));
        watch.record_check(true);
        assert!(!watch.is_due(now.plus(Duration::from_secs(1))));
        assert!(!watch.is_due(now), "a little is nothing");
        assert!(!watch.is_due(now.plus(day)), "ahead harms nobody yet");
        assert!(watch.is_due(now));
        assert!(watch.is_due(now), "until it was done");
        watch.record_check(true);
        assert!(!watch.is_due(now));
    }
}
