//! The versions that the caches of this process are checked against. Each room owns its cache; [`crate::App`] holds them.
//!
//! A cached value is valid only for the version in the versions table. A change raises that version in its own
//! transaction; every process reads the table every `access.renew_interval` (twice a second), and the process that made
//! the change knows the new version at once. A process that could not read the table for a second bypasses the cache.

use crate::{App, Error};
use domain::TenantId;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};
use storage::server::versions::{self, CacheVersions};

/// How long the versions last read stay valid.
const TRUST: Duration = Duration::from_secs(1);

/// The latest versions that this process has read or raised.
#[derive(Default)]
pub struct VersionTracker(RwLock<LatestVersions>);

#[derive(Default)]
struct LatestVersions {
    by_tenant: HashMap<TenantId, CacheVersions>,
    read_at: Option<Instant>,
}

impl VersionTracker {
    /// The versions a cached value of the tenant must have; `None` if the versions were not read recently.
    pub(crate) fn trusted_versions(&self, tenant: TenantId) -> Option<CacheVersions> {
        let latest = self.0.read().unwrap_or_else(PoisonError::into_inner);
        latest.read_at.filter(|at| at.elapsed() < TRUST)?;
        Some(latest.by_tenant.get(&tenant).copied().unwrap_or_default())
    }

    /// Adopts the versions this process has just raised in the database.
    pub fn raise(&self, tenant: TenantId, to: CacheVersions) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).raise(tenant, to);
    }
}

impl LatestVersions {
    /// Versions only grow: a read that began before a change must not undo it.
    fn raise(&mut self, tenant: TenantId, to: CacheVersions) {
        let latest = self.by_tenant.entry(tenant).or_default();
        latest.access = latest.access.max(to.access);
        latest.registers = latest.registers.max(to.registers);
    }
}

/// Reads the versions table. The serving process calls this periodically.
#[boxed::future]
pub async fn refresh_versions(app: &App) -> Result<(), Error> {
    // Taken before the query: the versions returned are at least this recent.
    let queried_at = Instant::now();
    let all = versions::list_versions(&app.db).await?;
    let mut latest = app.versions.0.write().unwrap_or_else(PoisonError::into_inner);
    for (tenant, versions) in all {
        latest.raise(tenant, versions);
    }
    latest.read_at = Some(latest.read_at.map_or(queried_at, |before| before.max(queried_at)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_look_at_the_versions_nothing_is_known() {
        let versions = VersionTracker::default();
        versions.raise(TenantId::new(1), CacheVersions { access: 3, registers: 1 });
        assert_eq!(versions.trusted_versions(TenantId::new(1)), None);
    }

    #[test]
    fn a_late_look_does_not_undo_what_was_raised_here() {
        let mut latest = LatestVersions::default();
        latest.raise(TenantId::new(1), CacheVersions { access: 3, registers: 1 });
        latest.raise(TenantId::new(1), CacheVersions { access: 2, registers: 4 });
        assert_eq!(latest.by_tenant[&TenantId::new(1)], CacheVersions { access: 3, registers: 4 });
    }
}
