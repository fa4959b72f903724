//! A worker of a receiver: sends its queued messages, one after another.

use super::deliver_message::deliver_message;
use super::dispatch_state::DispatchState;
use super::receiver_queue::ReceiverQueue;
use std::sync::Arc;

/// Sends queued messages until there are none.
pub(super) async fn run_worker(state: Arc<DispatchState>, mut queue: Arc<ReceiverQueue>) {
    let mut connection = queue.take_connection();
    while let Some((next, progress, job)) = queue.next() {
        if !Arc::ptr_eq(&next, &queue) {
            // The receiver was changed meanwhile and may have another address.
            queue.return_connection(std::mem::replace(&mut connection, next.take_connection()));
            queue = next;
        }
        deliver_message(&state, &queue, progress, job, &mut connection).await;
    }
    queue.return_connection(connection);
}
