//! The result of a message that waits to be recorded.

use super::receiver_progress::ReceiverProgress;
use super::receiver_queue::ReceiverQueue;
use app::triggers::DeliveryOutcome;
use std::sync::Arc;

/// A delivery outcome, with the queue whose slot it keeps until it is stored.
pub struct MessageResult {
    pub outcome: DeliveryOutcome,
    pub progress: Arc<ReceiverProgress>,
    pub held_queue: Option<Arc<ReceiverQueue>>,
}
