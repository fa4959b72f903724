//! Whether a receiver may be called now: it is neither paused nor retired, and unchanged since it was loaded.

use super::dispatch_state::DispatchState;
use super::receiver_queue::ReceiverQueue;
use app::triggers::{self, DeliveryJob};
use std::time::Instant;

/// Whether a queued message may still be sent to its receiver. On an error the message waits.
pub(super) async fn is_receiver_open(
    state: &DispatchState,
    queue: &ReceiverQueue,
    job: &DeliveryJob,
) -> bool {
    if queue.is_fresh() {
        return true;
    }
    // One caller queries on behalf of all.
    let _turn = queue.state_check.lock().await;
    if queue.is_fresh() {
        return true;
    }
    let queried_at = Instant::now();
    match triggers::is_receiver_open(&state.app, job.tenant, job.receiver, queue.target.version).await {
        Ok(is_open) => {
            if is_open {
                queue.mark_fresh(queried_at);
            }
            is_open
        }
        Err(error) => {
            storage::warn_unless_outage!(error, tenant = %job.tenant, receiver = %job.receiver, "the state of a receiver could not be read; its message waits");
            false
        }
    }
}
