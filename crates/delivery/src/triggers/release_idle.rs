//! Releases the leases of receivers with nothing pending.

use super::dispatch_state::DispatchState;
use super::lock::lock_mutex;
use super::records_in_flight::ReceiverProgress;
use app::triggers;
use domain::{ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// Collects idle receivers and adds their tenants to `busy_tenants`, so that no message is taken until their leases
/// are released.
pub(super) fn collect_idle_receivers(
    state: &DispatchState,
    which: impl Fn(&(TenantId, ReceiverCode), &ReceiverProgress) -> bool,
) -> BTreeMap<TenantId, BTreeSet<ReceiverCode>> {
    let mut idle: BTreeMap<TenantId, BTreeSet<ReceiverCode>> = BTreeMap::new();
    let mut busy_tenants = lock_mutex(&state.busy_tenants);
    for (key, progress) in lock_mutex(&state.progress_by_receiver).iter() {
        if !busy_tenants.contains(&key.0) && progress.lease_end().is_some() && which(key, progress) {
            progress.lose_lease();
            idle.entry(key.0).or_default().insert(key.1);
        }
    }
    busy_tenants.extend(idle.keys());
    idle
}

pub(super) async fn release_receivers(
    state: &DispatchState,
    tenant: TenantId,
    receivers: BTreeSet<ReceiverCode>,
) {
    if let Err(error) = triggers::release_receivers(&state.app, &state.holder, tenant, receivers).await {
        storage::warn_unless_outage!(error, %tenant, "receiver leases could not be released; they will expire");
    }
    state.unblock_tenant(tenant, false);
}
