//! The retry schedule for mails that failed.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// Nearly two days in total: enough time to repair a mail server.
const WAITS: [u64; 7] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

/// The wait after `tries` attempts, including the current one; `None` when the mail is given up.
pub fn compute_retry_wait(tries: i64) -> Option<Duration> {
    let done = usize::try_from(tries).ok()?.checked_sub(1)?;
    WAITS.get(done).copied().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_tried_eight_times_over_nearly_two_days() {
        let minutes: Vec<u64> = (1..).map_while(compute_retry_wait).map(|wait| wait.as_secs() / 60).collect();
        assert_eq!(minutes, [1, 5, 30, 120, 360, 720, 1440]);
        assert_eq!(compute_retry_wait(8), None);
        assert_eq!(compute_retry_wait(i64::MAX), None);
        assert_eq!(compute_retry_wait(0), None, "what was never tried cannot have failed");
    }
}
