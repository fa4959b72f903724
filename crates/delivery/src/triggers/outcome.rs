//! Delivery outcomes and the metrics of attempts and queues.

use app::triggers::{DeliveryJob, DeliveryOutcome, DeliveryVerdict, ReceiverAnswer};
use app::{App, Error};
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

pub fn count_attempt(verdict: DeliveryVerdict) {
    let outcome = match verdict {
        DeliveryVerdict::Delivered => "delivered",
        DeliveryVerdict::Failed => "failed",
        DeliveryVerdict::Gone => "gone",
        DeliveryVerdict::Untried => "untried",
    };
    metrics::counter!("amparo_trigger_attempts_total", "outcome" => outcome).increment(1);
}

/// Counts messages whose retries are exhausted.
pub fn count_exhausted_messages(count: u64) {
    if count > 0 {
        metrics::counter!("amparo_trigger_exhausted_total").increment(count);
    }
}

/// Sets the gauges for queue length, queue age and paused receivers.
#[boxed::future]
pub async fn measure_queues(app: &App) -> Result<(), Error> {
    let waiting = storage::triggers::queues::load_outbox_backlog(&app.db).await?;
    let age = waiting.oldest.map_or(0.0, |since| app.now().duration_since(since).as_secs_f64());
    let paused = storage::triggers::receivers::count_paused_receivers(&app.db).await?;
    metrics::gauge!("amparo_trigger_queue_length").set(waiting.pending as f64);
    metrics::gauge!("amparo_trigger_queue_age_seconds").set(age);
    metrics::gauge!("amparo_trigger_receivers_paused").set(paused as f64);
    Ok(())
}
