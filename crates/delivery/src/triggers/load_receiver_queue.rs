//! Loads a receiver with its address and secrets, and opens its queue.

use super::dispatch_state::DispatchState;
use super::lock::lock_mutex;
use super::receiver_queue::ReceiverQueue;
use app::Error;
use app::triggers::{DueReceiver, receivers};
use std::sync::Arc;
use std::time::Instant;

pub(super) async fn load_receiver_queue(
    state: &DispatchState,
    due: &DueReceiver,
) -> Result<Arc<ReceiverQueue>, Error> {
    if let Some(queue) = state.known_queue(due) {
        return Ok(queue);
    }
    let queried_at = Instant::now();
    let target =
        Arc::new(receivers::load_delivery_target(&state.app, &state.vault, due.tenant, due.receiver).await?);
    let mut queues = lock_mutex(&state.queues);
    let before = queues.get(&(due.tenant, due.receiver)).map(Arc::as_ref);
    let queue = Arc::new(ReceiverQueue::new(target, queried_at, before));
    queues.insert((due.tenant, due.receiver), Arc::clone(&queue));
    Ok(queue)
}
