//! Takes messages of the due receivers, and releases the idle ones.

use super::dispatch_state::DispatchState;
use super::due_snapshot::DueSnapshot;
use super::find_demand::find_demand;
use super::lock::lock_mutex;
use super::receiver_demand::ReceiverDemand;
use super::release_idle::{collect_idle_receivers, release_receivers};
use super::take_messages::take_messages;
use app::{Error, triggers};
use domain::TenantId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Takes as many due messages in flight as the limits allow.
pub(super) async fn dispatch_due(
    state: &Arc<DispatchState>,
    snapshot: &mut DueSnapshot,
) -> Result<(), Error> {
    let mut demands: BTreeMap<TenantId, Vec<ReceiverDemand>> = BTreeMap::new();
    if snapshot.remaining_validity().is_some() {
        snapshot.is_used = true;
    } else {
        let queried_at = Instant::now();
        snapshot.due = triggers::list_due_receivers(&state.app).await?;
        (snapshot.queried_at, snapshot.took, snapshot.is_used) =
            (Some(queried_at), queried_at.elapsed(), false);
        for due in &snapshot.due {
            if let Some(queue) = state.known_queue(due) {
                queue.mark_fresh(queried_at);
            }
        }
    }
    if state.stopping.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut receivers: HashMap<TenantId, usize> = HashMap::new();
    for due in &snapshot.due {
        *receivers.entry(due.tenant).or_default() += 1;
    }
    for due in &snapshot.due {
        if lock_mutex(&state.unwritten).is_tenant_blocked(due.tenant) {
            continue;
        }
        if lock_mutex(&state.busy_tenants).contains(&due.tenant) {
            lock_mutex(&state.skipped_tenants).insert(due.tenant);
            continue;
        }
        let others = receivers.get(&due.tenant).copied().unwrap_or(1);
        if let Some(one) = find_demand(state, snapshot, due, others).await {
            demands.entry(due.tenant).or_default().push(one);
        }
    }
    for (tenant, tenant_demands) in demands {
        lock_mutex(&state.busy_tenants).insert(tenant);
        tokio::spawn(take_messages(Arc::clone(state), tenant, tenant_demands));
    }
    let pending: HashSet<_> = snapshot.due.iter().map(|due| (due.tenant, due.receiver)).collect();
    let interval = state.settings.interval;
    for (tenant, receivers) in collect_idle_receivers(state, |key, progress| {
        !pending.contains(key) && progress.is_idle_for(interval)
    }) {
        let state = Arc::clone(state);
        tokio::spawn(async move { release_receivers(&state, tenant, receivers).await });
    }
    Ok(())
}
