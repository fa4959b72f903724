//! How the outcomes of deliveries change the health of their receiver, which is probed (`triggers.probe_interval`) and
//! paused after a 410, or after failures alone for `triggers.pause_after`.

use super::record_outcomes::{DeliveryOutcome, DeliveryVerdict};
use domain::{Moment, RetryPolicy};
use std::time::Duration;
use storage::triggers::receivers::{DeliveryHealth, PauseReason};

/// Updates the health of the receiver; returns the reason to pause it, if any.
pub(super) fn update_health(
    health: &mut DeliveryHealth,
    (now, policy): (Moment, &RetryPolicy),
    outcome: &DeliveryOutcome,
) -> Option<PauseReason> {
    rebase_health(health, now, policy.compute_longest_retry_after());
    match outcome.verdict {
        DeliveryVerdict::Untried => return None,
        DeliveryVerdict::Delivered => {
            // A successful probe reopens delivery; otherwise a delay requested meanwhile still applies.
            let is_probed = RetryPolicy::is_only_probed(health.failures, health.failed_records.len());
            let not_before = health.not_before.filter(|at| !is_probed && now < *at);
            // Written at most once a second while all goes well: it is only displayed.
            let is_news = health.failures > 0
                || health.not_before != not_before
                || health.succeeded_at.is_none_or(|at| now.duration_since(at) >= Duration::from_secs(1));
            if is_news {
                let now = Some(now);
                *health = DeliveryHealth {
                    tried_at: now,
                    succeeded_at: now,
                    not_before,
                    ..DeliveryHealth::default()
                };
            }
            return None;
        }
        DeliveryVerdict::Failed | DeliveryVerdict::Gone => {}
    }
    health.failures = health.failures.saturating_add(1);
    health.tried_at = Some(now);
    let since = *health.failing_since.get_or_insert(now);
    let record = (outcome.job.entity.number(), outcome.job.record);
    if health.failed_records.len() < RetryPolicy::PROBED_AFTER_RECORDS
        && !health.failed_records.contains(&record)
    {
        health.failed_records.push(record);
    }
    if let Some(requested_delay) = outcome.retry_after {
        health.not_before = Some(now.plus(requested_delay.min(RetryPolicy::LONGEST_RETRY_AFTER)));
    }
    if RetryPolicy::is_only_probed(health.failures, health.failed_records.len()) {
        let probe = now.plus(policy.probe);
        health.not_before = Some(health.not_before.map_or(probe, |at| at.max(probe)));
    }
    if outcome.verdict == DeliveryVerdict::Gone {
        return Some(PauseReason::Gone);
    }
    (now.duration_since(since) >= policy.pause_after).then_some(PauseReason::Failing)
}

/// Corrects the health of a receiver written by a clock that ran ahead: the remaining wait now counts from the
/// present.
pub(super) fn rebase_health(health: &mut DeliveryHealth, now: Moment, longest_retry_after: Duration) {
    if let Some(tried_at) = health.tried_at.filter(|at| *at > now) {
        health.not_before = health.not_before.map(|at| now.plus(at.duration_since(tried_at)));
    }
    health.not_before = health.not_before.map(|at| at.min(now.plus(longest_retry_after)));
    for stamp in [&mut health.tried_at, &mut health.succeeded_at, &mut health.failing_since] {
        *stamp = stamp.map(|at| at.min(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_left_alone_for_as_long_as_it_would_have_been() {
        let (day, minute) = (Duration::from_hours(24), Duration::from_mins(1));
        let now = Moment::from_millis(1_000_000);
        let ahead = now.plus(day);
        let mut health = DeliveryHealth {
            failures: 3,
            failing_since: Some(now.minus(minute)),
            not_before: Some(ahead.plus(minute)),
            tried_at: Some(ahead),
            ..DeliveryHealth::default()
        };
        rebase_health(&mut health, now, day);
        assert_eq!((health.not_before, health.tried_at), (Some(now.plus(minute)), Some(now)));
        assert_eq!(health.failing_since, Some(now.minus(minute)));
        let sound = health.clone();
        rebase_health(&mut health, now, day);
        assert_eq!(health, sound, "what is right is left as it is");
        let mut lost = DeliveryHealth { not_before: Some(now.plus(10 * day)), ..DeliveryHealth::default() };
        rebase_health(&mut lost, now, day);
        assert_eq!(lost.not_before, Some(now.plus(day)));
    }
}
