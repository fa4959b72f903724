//! Limits how often the same thing is logged.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const ONCE_IN: Duration = Duration::from_mins(1);

/// Lets one of many equal lines through each minute, and counts the others.
#[derive(Debug)]
pub struct RepeatLimit(Mutex<(Option<Instant>, u64)>);

impl RepeatLimit {
    pub const fn new() -> RepeatLimit {
        RepeatLimit(Mutex::new((None, 0)))
    }

    /// How many lines were left out since the last one, if the next is due.
    pub fn take_turn(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0.is_some_and(|last| now.duration_since(last) < ONCE_IN) {
            state.1 += 1;
            return None;
        }
        state.0 = Some(now);
        Some(std::mem::take(&mut state.1))
    }
}

impl Default for RepeatLimit {
    fn default() -> RepeatLimit {
        RepeatLimit::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_minute_tells_how_many_were_left_out() {
        let (limit, start) = (RepeatLimit::new(), Instant::now());
        assert_eq!(limit.take_turn(start), Some(0));
        for second in 1..60 {
            assert_eq!(limit.take_turn(start + Duration::from_secs(second)), None);
        }
        assert_eq!(limit.take_turn(start + ONCE_IN), Some(59));
    }
}
