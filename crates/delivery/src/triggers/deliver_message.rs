//! Delivers one message: posts it, and passes its outcome on to be recorded.

use super::delivery_metrics::count_attempt;
use super::delivery_outcome::{apply_answer, build_outcome};
use super::dispatch_state::DispatchState;
use super::is_receiver_open::is_receiver_open;
use super::lock::lock_mutex;
use super::message_result::MessageResult;
use super::post::ReceiverConnection;
use super::receiver_queue::ReceiverQueue;
use super::record_results::record_result;
use super::records_in_flight::ReceiverProgress;
use app::triggers::{self, DeliveryJob, DeliveryOutcome, DeliveryVerdict, OutgoingMessage, ReceiverAnswer};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A receiver that takes longer than this is slow.
const FAST_ANSWER: Duration = Duration::from_millis(500);

pub(super) async fn deliver_message(
    state: &Arc<DispatchState>,
    queue: &Arc<ReceiverQueue>,
    progress: Arc<ReceiverProgress>,
    job: DeliveryJob,
    connection: &mut ReceiverConnection,
) {
    let is_open = is_receiver_open(state, queue, &job).await;
    // The attempt must end before another process can take over the lease.
    let until = progress.lease_end_for(&job).unwrap_or_else(Instant::now);
    let left = until.saturating_duration_since(Instant::now()).saturating_sub(state.settings.lease_margin());
    let tried_at = state.app.now();
    let started = Instant::now();
    let is_stopped = state.stopping.load(Ordering::Relaxed)
        || lock_mutex(&state.unwritten).is_receiver_blocked(job.tenant, job.receiver);
    let outcome = if !is_open || left < state.settings.timeout || is_stopped {
        DeliveryOutcome { verdict: DeliveryVerdict::Untried, ..build_outcome(job, tried_at) }
    } else {
        let id = triggers::build_message_id(job.tenant, &job.change_mark());
        let message = OutgoingMessage { id: &id, entity: job.entity, body: &job.body, now: tried_at };
        if job.tries == 0 {
            let since = tried_at.duration_since(job.changed_at).as_secs_f64();
            metrics::histogram!("amparo_trigger_first_attempt_seconds").record(since);
        }
        let timeout = state.settings.timeout.min(left);
        let result = state.poster.post_message(&queue.target, message, timeout, connection).await;
        let elapsed = started.elapsed();
        queue.adjust_limit(elapsed <= FAST_ANSWER && result.as_ref().is_ok_and(ReceiverAnswer::is_accepted));
        apply_answer(build_outcome(job, tried_at), result, elapsed)
    };
    count_attempt(outcome.verdict);
    // A success frees the slot at once. After a failure the receiver may have to be paused, which is known only
    // when the outcome is recorded.
    let held_queue = match outcome.verdict {
        DeliveryVerdict::Delivered => {
            queue.in_flight.fetch_sub(1, Ordering::Relaxed);
            None
        }
        _ => Some(Arc::clone(queue)),
    };
    record_result(state, outcome.job.tenant, MessageResult { outcome, progress, held_queue });
    state.wake.notify_one();
}
