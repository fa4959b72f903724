//! What came of a message, and what is measured of it and of those that wait.

use app::triggers::{Answer, Job, Outcome, Verdict};
use app::{App, Error};
use domain::Moment;
use std::time::Duration;

pub fn outcome(job: Job, tried_at: Moment) -> Outcome {
    Outcome {
        job,
        verdict: Verdict::Failed,
        tried_at,
        took: Duration::ZERO,
        status: None,
        answer: None,
        failure: None,
        patience: None,
    }
}

pub fn judged(outcome: Outcome, answered: Result<Answer, String>, took: Duration) -> Outcome {
    match answered {
        Err(failure) => Outcome { failure: Some(failure), took, ..outcome },
        Ok(answer) => Outcome {
            verdict: match answer.status {
                _ if answer.is_taken() => Verdict::Delivered,
                410 => Verdict::Gone,
                _ => Verdict::Failed,
            },
            status: Some(answer.status),
            answer: answer.text,
            patience: answer.patience,
            took,
            ..outcome
        },
    }
}

pub fn measure(verdict: Verdict) {
    let outcome = match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Failed => "failed",
        Verdict::Gone => "gone",
        Verdict::Untried => "untried",
    };
    metrics::counter!("amparo_trigger_attempts_total", "outcome" => outcome).increment(1);
}

/// Counts those that are not tried any more.
pub fn count_exhausted(count: u64) {
    if count > 0 {
        metrics::counter!("amparo_trigger_exhausted_total").increment(count);
    }
}

/// Tells how much waits and for how long, and how many receivers are paused.
#[boxed::future]
pub async fn measure_queues(app: &App) -> Result<(), Error> {
    let waiting = storage::queues::waiting(&app.db).await?;
    let age = waiting.oldest.map_or(0.0, |since| app.now().since(since).as_secs_f64());
    let paused = storage::receivers::paused(&app.db).await?;
    metrics::gauge!("amparo_trigger_queue_length").set(waiting.pending as f64);
    metrics::gauge!("amparo_trigger_queue_age_seconds").set(age);
    metrics::gauge!("amparo_trigger_receivers_paused").set(paused as f64);
    Ok(())
}
