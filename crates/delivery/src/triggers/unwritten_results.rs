//! Results that wait because they cannot be stored. Nothing more is sent meanwhile.

use domain::{ReceiverCode, TenantId};
use std::collections::{HashMap, HashSet};

/// A receiver is blocked while this many of its outcomes cannot be stored, even if those of others can.
const MOST_SET_ASIDE: usize = 5;

/// Outcomes that wait because they cannot be stored.
#[derive(Default)]
pub struct UnwrittenResults {
    /// Tenants for which the database accepts no write.
    pub(super) tenants: HashSet<TenantId>,
    /// Number of single outcomes that were refused, per receiver.
    set_aside: HashMap<(TenantId, ReceiverCode), usize>,
}

impl UnwrittenResults {
    pub fn is_tenant_blocked(&self, tenant: TenantId) -> bool {
        self.tenants.contains(&tenant)
    }

    /// Whether sending to a receiver must stop.
    pub fn is_receiver_blocked(&self, tenant: TenantId, receiver: ReceiverCode) -> bool {
        let aside = self.set_aside.get(&(tenant, receiver)).copied().unwrap_or(0);
        self.is_tenant_blocked(tenant) || aside >= MOST_SET_ASIDE
    }

    pub(super) fn set_aside(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        *self.set_aside.entry((tenant, receiver)).or_default() += 1;
    }

    pub(super) fn take_back(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        let Some(count) = self.set_aside.get_mut(&(tenant, receiver)) else { return };
        *count -= 1;
        if *count == 0 {
            self.set_aside.remove(&(tenant, receiver));
        }
    }
}
