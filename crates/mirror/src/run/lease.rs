//! Acquires and renews the lease of a mirror.

use super::error::MirrorError;
use crate::client::SleepFunction;
use app::App;
use domain::TenantId;
use exchange::mirror_store::{self, MirrorLease};
use std::time::Duration;

const LEASE_ATTEMPTS: usize = 20;

const LEASE_RETRY_AFTER: Duration = Duration::from_secs(2);

const LEASE_RENEWAL_INTERVAL: Duration = Duration::from_secs(10);

pub(super) async fn acquire_lease(
    app: &App,
    tenant: TenantId,
    sleep: &SleepFunction,
) -> Result<MirrorLease, MirrorError> {
    for _ in 0..LEASE_ATTEMPTS {
        if let Some(lease) = mirror_store::lease_mirror(app, tenant).await? {
            return Ok(lease);
        }
        // The lease of a killed process is still valid for a while.
        sleep(LEASE_RETRY_AFTER).await;
    }
    Err(MirrorError::Busy(tenant))
}

/// Renews the lease; returns only when it is lost.
pub(super) async fn renew_lease(app: &App, lease: &MirrorLease) -> MirrorError {
    loop {
        tokio::time::sleep(LEASE_RENEWAL_INTERVAL).await;
        match mirror_store::extend_mirror_lease(app, lease).await {
            Ok(true) => {}
            Ok(false) => return MirrorError::Lost,
            Err(error) if error.is_transient() => {}
            Err(error) => return error.into(),
        }
    }
}
