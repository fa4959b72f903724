//! The result of a message that waits to be recorded.

use super::receiver_queue::ReceiverQueue;
use super::records_in_flight::ReceiverProgress;
use app::triggers::DeliveryOutcome;
use std::sync::Arc;

/// A delivery outcome, with the queue whose slot it keeps until it is stored.
pub struct MessageResult {
    pub outcome: DeliveryOutcome,
    pub progress: Arc<ReceiverProgress>,
    pub held_queue: Option<Arc<ReceiverQueue>>,
}
