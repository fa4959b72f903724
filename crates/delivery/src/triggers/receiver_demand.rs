//! The messages to take for one receiver.

use super::receiver_queue::ReceiverQueue;
use super::records_in_flight::ReceiverProgress;
use domain::ReceiverCode;
use std::sync::Arc;

/// The messages to take for one receiver.
pub(super) struct ReceiverDemand {
    pub(super) receiver: ReceiverCode,
    pub(super) queue: Arc<ReceiverQueue>,
    pub(super) progress: Arc<ReceiverProgress>,
    pub(super) capacity: usize,
    /// Whether to take messages pending in order, and messages due for a retry.
    pub(super) in_order: bool,
    pub(super) has_due_retry: bool,
    /// The lease needs neither to be taken nor renewed first.
    pub(super) is_leased: bool,
}
