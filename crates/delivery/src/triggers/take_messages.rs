//! Leases receivers and takes their messages in flight.

use super::dispatch_state::DispatchState;
use super::receiver_demand::ReceiverDemand;
use super::receiver_worker::run_worker;
use app::Error;
use app::triggers::{self, DeliveryJob, PendingChangeQuery, PendingPosition};
use domain::{ReceiverCode, TenantId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Minimum number of messages scanned at once, because those of records waiting for a retry are skipped.
const MESSAGES_PER_SCAN: i64 = 64;

pub(super) async fn take_messages(state: Arc<DispatchState>, tenant: TenantId, demands: Vec<ReceiverDemand>) {
    if let Err(error) = lease_receivers(&state, tenant, &demands).await {
        storage::warn_unless_outage!(error, %tenant, "receivers could not be leased; retrying");
    }
    let mut queries = Vec::with_capacity(demands.len());
    for one in demands.iter().filter(|one| one.capacity > 0) {
        if let Some(scan) = one.progress.begin_scan() {
            let capacity = one.capacity as i64;
            // At most half of the capacity, rounded up, goes to retries.
            let retry_limit =
                if one.has_due_retry { scan.retries_in_flight + one.capacity.div_ceil(2) as i64 } else { 0 };
            let limit = if one.in_order { capacity.max(MESSAGES_PER_SCAN) } else { 0 };
            let (receiver, lease, after) = (one.receiver, scan.lease, scan.after);
            queries.push(PendingChangeQuery { receiver, lease, after, limit, waited: retry_limit });
        }
    }
    let mut found: HashMap<ReceiverCode, Vec<(DeliveryJob, PendingPosition)>> = HashMap::new();
    if !queries.is_empty() {
        match triggers::fetch_ready_jobs(&state.app, tenant, queries).await {
            Ok(jobs) => {
                for one in jobs {
                    found.entry(one.0.receiver).or_default().push(one);
                }
            }
            Err(error) => {
                storage::warn_unless_outage!(error, %tenant, "pending messages could not be fetched; retrying");
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
            tokio::spawn(run_worker(Arc::clone(&state), Arc::clone(&one.queue)));
        }
        one.queue.in_flight.fetch_sub(left, Ordering::Relaxed);
        state.in_flight.subtract(tenant, left);
    }
    state.unblock_tenant(tenant, is_full);
}

/// Takes or renews the leases that need it.
async fn lease_receivers(
    state: &DispatchState,
    tenant: TenantId,
    demands: &[ReceiverDemand],
) -> Result<(), Error> {
    let open: BTreeSet<ReceiverCode> =
        demands.iter().filter(|one| !one.is_leased).map(|one| one.receiver).collect();
    if open.is_empty() {
        return Ok(());
    }
    let started_at = Instant::now();
    let granted = triggers::lease_receivers(&state.app, &state.holder, tenant, open).await?;
    for one in demands.iter().filter(|one| !one.is_leased) {
        match granted.get(&one.receiver) {
            Some(number) => {
                one.progress.hold_lease(*number, started_at, started_at + state.settings.lease);
            }
            None => one.progress.lose_lease(),
        }
    }
    Ok(())
}
