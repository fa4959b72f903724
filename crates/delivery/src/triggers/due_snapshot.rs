//! The last list of due receivers, and how long it may be reused.

use app::triggers::DueReceiver;
use std::time::{Duration, Instant};

/// With many receivers the list of due receivers is slow to query. It is reused for this multiple of the time the query
/// took.
const SNAPSHOT_REUSE_FACTOR: u32 = 3;

/// The last list of due receivers and how long its query took.
#[derive(Default)]
pub(super) struct DueSnapshot {
    pub(super) due: Vec<DueReceiver>,
    pub(super) queried_at: Option<Instant>,
    pub(super) took: Duration,
    /// A turn reused the list instead of querying.
    pub(super) is_used: bool,
}

impl DueSnapshot {
    /// How long the list may still be reused; `None` once it has expired.
    pub(super) fn remaining_validity(&self) -> Option<Duration> {
        let left = (self.took * SNAPSHOT_REUSE_FACTOR).checked_sub(self.queried_at?.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}
