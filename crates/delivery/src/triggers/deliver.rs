//! Sends the queued messages of a receiver.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::message_window::ReceiverProgress;
use super::outcome::{apply_answer, build_outcome, count_attempt};
use super::post::ReceiverConnection;
use super::receiver_queue::ReceiverQueue;
use super::recorder::MessageResult;
use app::triggers::{self, DeliveryJob, DeliveryOutcome, DeliveryVerdict, OutgoingMessage, ReceiverAnswer};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A receiver that takes longer than this is slow.
const FAST_ANSWER: Duration = Duration::from_millis(500);

impl DispatchEngine {
    /// One worker of a receiver: sends queued messages until there are none.
    pub(super) async fn run_worker(self: Arc<DispatchEngine>, mut queue: Arc<ReceiverQueue>) {
        let mut connection = queue.take_connection();
        while let Some((next, progress, job)) = queue.next() {
            if !Arc::ptr_eq(&next, &queue) {
                // The receiver was changed meanwhile and may have another address.
                queue.return_connection(std::mem::replace(&mut connection, next.take_connection()));
                queue = next;
            }
            self.deliver_message(&queue, progress, job, &mut connection).await;
        }
        queue.return_connection(connection);
    }

    pub(super) async fn deliver_message(
        self: &Arc<DispatchEngine>,
        queue: &Arc<ReceiverQueue>,
        progress: Arc<ReceiverProgress>,
        job: DeliveryJob,
        connection: &mut ReceiverConnection,
    ) {
        let is_open = self.is_receiver_open(queue, &job).await;
        // The attempt must end before another process can take over the lease.
        let until = progress.lease_end_for(&job).unwrap_or_else(Instant::now);
        let left =
            until.saturating_duration_since(Instant::now()).saturating_sub(self.settings.lease_margin());
        let tried_at = self.app.now();
        let started = Instant::now();
        let is_stopped = self.stopping.load(Ordering::Relaxed)
            || lock_mutex(&self.unwritten).is_receiver_blocked(job.tenant, job.receiver);
        let outcome = if !is_open || left < self.settings.timeout || is_stopped {
            DeliveryOutcome { verdict: DeliveryVerdict::Untried, ..build_outcome(job, tried_at) }
        } else {
            let id = triggers::build_message_id(job.tenant, &job.change_mark());
            let message = OutgoingMessage { id: &id, entity: job.entity, body: &job.body, now: tried_at };
            if job.tries == 0 {
                let since = tried_at.duration_since(job.changed_at).as_secs_f64();
                metrics::histogram!("amparo_trigger_first_attempt_seconds").record(since);
            }
            let timeout = self.settings.timeout.min(left);
            let result = self.poster.post_message(&queue.target, message, timeout, connection).await;
            let elapsed = started.elapsed();
            queue.adjust_limit(
                elapsed <= FAST_ANSWER && result.as_ref().is_ok_and(ReceiverAnswer::is_accepted),
            );
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
        self.record_result(outcome.job.tenant, MessageResult { outcome, progress, held_queue });
        self.wake.notify_one();
    }
}
