//! Notices a clock that was put back: what it set while it ran ahead must not be waited for.

use app::triggers::CLOCK_TOLERANCE;
use domain::Moment;
use std::time::{Duration, Instant};

/// Another process may have set waits by a clock of its own, and never come back: it is looked for them so often.
const LOOKED_EVERY: Duration = Duration::from_secs(600);
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// What was about to be written when the clock was put back still bears the wrong time.
const LOOKED_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// When waits that could not be are next looked for.
pub struct ClockWatch {
    seen: (Moment, Instant),
    next_look: Instant,
    was_put_back: bool,
}

impl ClockWatch {
    /// Begins with a look: nobody knows what the clock did before.
    pub fn start(now: Moment) -> ClockWatch {
        let at = Instant::now();
        ClockWatch { seen: (now, at), next_look: at, was_put_back: false }
    }

    /// Whether it is time for a look. Asked often, it costs nothing.
    pub fn is_due(&mut self, now: Moment) -> bool {
        let at = Instant::now();
        let (before, seen_at) = std::mem::replace(&mut self.seen, (now, at));
        let expected = before.plus(at.saturating_duration_since(seen_at));
        if now.plus(CLOCK_TOLERANCE) < expected {
            tracing::warn!(seconds = expected.duration_since(now).as_secs(), "the clock was put back");
            self.next_look = at;
            self.was_put_back = true;
        }
        self.next_look <= at
    }

    pub fn record_check(&mut self, is_done: bool) {
        let pause = match is_done {
            false => TRIED_AGAIN_AFTER,
            true if std::mem::take(&mut self.was_put_back) => LOOKED_AGAIN_AFTER,
            true => LOOKED_EVERY,
        };
        self.next_look = Instant::now() + pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_due_at_the_beginning_and_when_the_clock_was_put_back() {
        let now = Moment::from_millis(1_794_663_125_000);
        let day = Duration::from_secs(24 * 3600);
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
