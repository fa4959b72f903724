//! The caller of a request, for the log of requests: filled where the caller is found, read when the request is answered.

use domain::{TenantId, UserCode};
use std::sync::{Arc, OnceLock};

/// Travels with a request. The first one that fills it counts.
#[derive(Clone, Default)]
pub struct CallerSlot(Arc<OnceLock<(TenantId, Option<UserCode>)>>);

impl CallerSlot {
    pub fn fill(&self, tenant: TenantId, user: Option<UserCode>) {
        let _ = self.0.set((tenant, user));
    }

    pub fn get(&self) -> Option<(TenantId, Option<UserCode>)> {
        self.0.get().copied()
    }
}
