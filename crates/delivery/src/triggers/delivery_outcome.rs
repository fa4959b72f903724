//! The outcome of an attempt, from the answer of the receiver. What an outcome changes (retries, probes, the pause
//! after a 410) is in `app/src/triggers/receiver_health.rs` and `record_outcomes.rs`.

use app::triggers::{DeliveryJob, DeliveryOutcome, DeliveryVerdict, ReceiverAnswer};
use domain::Moment;
use std::time::Duration;

pub fn build_outcome(job: DeliveryJob, tried_at: Moment) -> DeliveryOutcome {
    DeliveryOutcome {
        job,
        verdict: DeliveryVerdict::Failed,
        tried_at,
        took: Duration::ZERO,
        status: None,
        answer: None,
        failure: None,
        retry_after: None,
    }
}

pub fn apply_answer(
    outcome: DeliveryOutcome,
    result: Result<ReceiverAnswer, String>,
    elapsed: Duration,
) -> DeliveryOutcome {
    match result {
        Err(failure) => DeliveryOutcome { failure: Some(failure), took: elapsed, ..outcome },
        Ok(answer) => DeliveryOutcome {
            verdict: match answer.status {
                _ if answer.is_accepted() => DeliveryVerdict::Delivered,
                // Pauses the receiver at once: `update_health` in `app/src/triggers/receiver_health.rs`.
                410 => DeliveryVerdict::Gone,
                _ => DeliveryVerdict::Failed,
            },
            status: Some(answer.status),
            answer: answer.text,
            retry_after: answer.retry_after,
            took: elapsed,
            ..outcome
        },
    }
}

/// Only these answers may ask for a later attempt (`Retry-After`): too many requests, and unavailable.
pub fn may_request_delay(status: u16) -> bool {
    matches!(status, 429 | 503)
}
