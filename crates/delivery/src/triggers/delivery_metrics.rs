//! The metrics of attempts and queues.

use app::triggers::DeliveryVerdict;
use app::{App, Error};

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

/// Sets the gauges of the queue of triggers and of the receivers in trouble.
#[boxed::future]
pub async fn measure_queues(app: &App) -> Result<(), Error> {
    let waiting = storage::triggers::queues::load_outbox_backlog(&app.db).await?;
    let age = waiting.oldest.map_or(0.0, |since| app.now().duration_since(since).as_secs_f64());
    let troubles = storage::triggers::receivers::count_receivers_in_trouble(&app.db).await?;
    metrics::gauge!("amparo_trigger_queue_length").set(waiting.pending as f64);
    metrics::gauge!("amparo_trigger_queue_age_seconds").set(age);
    metrics::gauge!("amparo_trigger_receivers_paused").set(troubles.paused as f64);
    metrics::gauge!("amparo_trigger_receivers_failing").set(troubles.failing as f64);
    Ok(())
}
