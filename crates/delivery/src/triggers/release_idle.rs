//! Releases the leases of receivers with nothing pending.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::message_window::ReceiverProgress;
use app::triggers::{self};
use domain::{ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};

impl DispatchEngine {
    /// Collects idle receivers and adds their tenants to `busy_tenants`, so that no message is taken until their leases
    /// are released.
    pub(super) fn collect_idle_receivers(
        &self,
        which: impl Fn(&(TenantId, ReceiverCode), &ReceiverProgress) -> bool,
    ) -> BTreeMap<TenantId, BTreeSet<ReceiverCode>> {
        let mut idle: BTreeMap<TenantId, BTreeSet<ReceiverCode>> = BTreeMap::new();
        let mut busy_tenants = lock_mutex(&self.busy_tenants);
        for (key, progress) in lock_mutex(&self.progress_by_receiver).iter() {
            if !busy_tenants.contains(&key.0) && progress.lease_end().is_some() && which(key, progress) {
                progress.lose_lease();
                idle.entry(key.0).or_default().insert(key.1);
            }
        }
        busy_tenants.extend(idle.keys());
        idle
    }

    pub(super) async fn release_receivers(&self, tenant: TenantId, receivers: BTreeSet<ReceiverCode>) {
        if let Err(error) = triggers::release_receivers(&self.app, &self.holder, tenant, receivers).await {
            tracing::warn!(%tenant, %error, "receiver leases could not be released; they will expire");
        }
        self.unblock_tenant(tenant, false);
    }
}
