//! How long a failed message waits before the next attempt, and when a receiver is only probed or paused.

use std::time::Duration;

/// Retry schedule of messages and pausing of receivers.
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    /// How long to wait after each failure (`triggers.retries`); after the last one the message is exhausted.
    pub waits: Vec<Duration>,
    /// How often a receiver that always fails is probed (`triggers.probe_interval`).
    pub probe: Duration,
    /// A receiver is paused after failing for this long without a success (`triggers.pause_after`).
    pub pause_after: Duration,
}

impl RetryPolicy {
    /// The longest delay granted at the receiver's request.
    pub const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);
    /// Waits vary by up to this percentage, so that messages that failed together do not retry together.
    pub const JITTER_PERCENT: i64 = 20;
    pub const PROBED_AFTER_RECORDS: usize = 5;

    /// The longest time a receiver is left alone, at its own request or by the policy.
    pub fn compute_longest_retry_after(&self) -> Duration {
        Self::LONGEST_RETRY_AFTER.max(self.probe)
    }

    /// The longest wait after a failure by the schedule, including jitter.
    pub fn compute_longest_wait(wait: Duration) -> Duration {
        apply_jitter(wait, Self::JITTER_PERCENT)
    }

    /// Whether a receiver with so many failures, over so many records, is only probed.
    pub fn is_only_probed(failures: i32, records: usize) -> bool {
        failures >= PROBED_AFTER_FAILURES && records >= Self::PROBED_AFTER_RECORDS
    }

    /// How long a failed message waits; `None` once it is exhausted. A requested delay never shortens the schedule.
    pub fn choose_wait(&self, tries: i32, delay: Option<Duration>, jitter: i64) -> Option<Duration> {
        let wait = usize::try_from(tries).ok().and_then(|done| self.waits.get(done))?;
        Some(apply_jitter(*wait, jitter).max(delay.unwrap_or_default().min(Self::LONGEST_RETRY_AFTER)))
    }
}

const PROBED_AFTER_FAILURES: i32 = 20;

fn apply_jitter(wait: Duration, jitter: i64) -> Duration {
    let hundredths = u32::try_from(100 + jitter).unwrap_or(100);
    wait * hundredths / 100
}
