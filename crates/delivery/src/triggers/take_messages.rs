//! Leases receivers and takes their messages in flight.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::message_window::ReceiverProgress;
use super::receiver_queue::ReceiverQueue;
use app::Error;
use app::triggers::{self, DeliveryJob, PendingChangeQuery, PendingPosition};
use domain::{ReceiverCode, TenantId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Minimum number of messages scanned at once, because those of records waiting for a retry are skipped.
const MESSAGES_PER_SCAN: i64 = 64;

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

impl DispatchEngine {
    pub(super) async fn take_messages(
        self: Arc<DispatchEngine>,
        tenant: TenantId,
        demands: Vec<ReceiverDemand>,
    ) {
        if let Err(error) = self.lease_receivers(tenant, &demands).await {
            tracing::warn!(%tenant, %error, "receivers could not be leased; retrying");
        }
        let mut queries = Vec::with_capacity(demands.len());
        for one in demands.iter().filter(|one| one.capacity > 0) {
            if let Some(scan) = one.progress.begin_scan() {
                let capacity = one.capacity as i64;
                // At most half of the capacity, rounded up, goes to retries.
                let retry_limit = if one.has_due_retry {
                    scan.retries_in_flight + one.capacity.div_ceil(2) as i64
                } else {
                    0
                };
                let limit = if one.in_order { capacity.max(MESSAGES_PER_SCAN) } else { 0 };
                let (receiver, lease, after) = (one.receiver, scan.lease, scan.after);
                queries.push(PendingChangeQuery { receiver, lease, after, limit, waited: retry_limit });
            }
        }
        let mut found: HashMap<ReceiverCode, Vec<(DeliveryJob, PendingPosition)>> = HashMap::new();
        if !queries.is_empty() {
            match triggers::fetch_ready_jobs(&self.app, tenant, queries).await {
                Ok(jobs) => {
                    for one in jobs {
                        found.entry(one.0.receiver).or_default().push(one);
                    }
                }
                Err(error) => {
                    tracing::warn!(%tenant, %error, "pending messages could not be fetched; retrying");
                }
            }
        }
        let mut is_full = false;
        for one in demands {
            let found = found.remove(&one.receiver).unwrap_or_default();
            // If the capacity was filled, more messages may be pending.
            is_full |= found.len() >= one.capacity && one.capacity > 0;
            let chosen = one.progress.choose_jobs(found, one.capacity);
            let left = one.capacity - chosen.len();
            let more = one.queue.enqueue_jobs(chosen.into_iter().map(|job| (Arc::clone(&one.progress), job)));
            for _ in 0..more {
                tokio::spawn(Arc::clone(&self).run_worker(Arc::clone(&one.queue)));
            }
            one.queue.in_flight.fetch_sub(left, Ordering::Relaxed);
            self.in_flight.subtract(tenant, left);
        }
        self.unblock_tenant(tenant, is_full);
    }

    /// Takes or renews the leases that need it.
    pub(super) async fn lease_receivers(
        &self,
        tenant: TenantId,
        demands: &[ReceiverDemand],
    ) -> Result<(), Error> {
        let open: BTreeSet<ReceiverCode> =
            demands.iter().filter(|one| !one.is_leased).map(|one| one.receiver).collect();
        if open.is_empty() {
            return Ok(());
        }
        let started_at = Instant::now();
        let granted = triggers::lease_receivers(&self.app, &self.holder, tenant, open).await?;
        for one in demands.iter().filter(|one| !one.is_leased) {
            match granted.get(&one.receiver) {
                Some(number) => {
                    one.progress.hold_lease(*number, started_at, started_at + self.settings.lease);
                }
                None => one.progress.lose_lease(),
            }
        }
        Ok(())
    }

    /// Unblocks the tenant and wakes the loop if there may be more messages.
    pub(super) fn unblock_tenant(&self, tenant: TenantId, is_full: bool) {
        lock_mutex(&self.busy_tenants).remove(&tenant);
        if lock_mutex(&self.skipped_tenants).remove(&tenant) || is_full {
            self.wake.notify_one();
        }
    }
}
