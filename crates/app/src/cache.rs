//! In-process cache: sessions by token, the small registers of each tenant, and recently verified logins.
//!
//! A cached value is valid only for the version in the versions table. A change raises that version in its own
//! transaction; every process reads the table twice a second, and the process that made the change knows the new
//! version at once. A process that could not read the table for a second bypasses the cache.

use crate::access::{RememberedLogin, Session, TokenLookupKey};
use crate::members::search::SearchTotalCache;
use crate::members::validation::LookupQuotas;
use crate::panel::OpenWorkSnapshot;
use crate::register_snapshot::{HostDirectory, TenantRegisters};
use crate::{App, Error};
use domain::{RandomSource, TenantId};
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use storage::server::versions::{self, CacheVersions};

/// How long the versions last read stay valid.
const TRUST: Duration = Duration::from_secs(1);
const SESSIONS: usize = 100_000;
const LOGINS: usize = 10_000;

pub struct ProcessCache {
    known: RwLock<KnownVersions>,
    pub(crate) sessions: Cache<TokenLookupKey, Arc<Session>>,
    pub(crate) logins: Cache<[u8; 32], RememberedLogin>,
    pub(crate) registers: Cache<TenantId, Arc<TenantRegisters>>,
    pub(crate) totals: SearchTotalCache,
    pub(crate) validations: LookupQuotas,
    pub(crate) open: Cache<TenantId, Arc<OpenWorkSnapshot>>,
    pub(crate) directory: RwLock<Option<(CacheVersions, Arc<HostDirectory>)>>,
    /// Never leaves this process, so the login digests are useless elsewhere.
    pub(crate) key: [u8; 64],
}

#[derive(Default)]
struct KnownVersions {
    versions: HashMap<TenantId, CacheVersions>,
    read_at: Option<Instant>,
}

impl ProcessCache {
    pub fn new(chance: &dyn RandomSource) -> ProcessCache {
        let mut key = [0; 64];
        chance.fill(&mut key);
        ProcessCache {
            known: RwLock::default(),
            sessions: Cache::new(SESSIONS),
            logins: Cache::new(LOGINS),
            registers: Cache::new(1_000),
            totals: SearchTotalCache::default(),
            validations: LookupQuotas::default(),
            open: Cache::new(1_000),
            directory: RwLock::default(),
            key,
        }
    }

    /// The versions a cached value of the tenant must have; `None` if the versions were not read recently.
    pub(crate) fn trusted_versions(&self, tenant: TenantId) -> Option<CacheVersions> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.read_at.filter(|at| at.elapsed() < TRUST)?;
        Some(known.versions.get(&tenant).copied().unwrap_or_default())
    }

    /// Adopts the versions this process has just raised in the database.
    pub fn raise(&self, tenant: TenantId, to: CacheVersions) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).raise(tenant, to);
    }
}

impl KnownVersions {
    /// Versions only grow: a read that began before a change must not undo it.
    fn raise(&mut self, tenant: TenantId, to: CacheVersions) {
        let known = self.versions.entry(tenant).or_default();
        known.access = known.access.max(to.access);
        known.registers = known.registers.max(to.registers);
    }
}

/// Reads the versions table. The serving process calls this periodically.
#[boxed::future]
pub async fn refresh_versions(app: &App) -> Result<(), Error> {
    // Taken before the query: the versions returned are at least this recent.
    let asked_at = Instant::now();
    let all = versions::list_versions(&app.db).await?;
    let mut known = app.memory.known.write().unwrap_or_else(PoisonError::into_inner);
    for (tenant, versions) in all {
        known.raise(tenant, versions);
    }
    known.read_at = Some(known.read_at.map_or(asked_at, |before| before.max(asked_at)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl RandomSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn without_a_look_at_the_versions_nothing_is_known() {
        let memory = ProcessCache::new(&Sevens);
        memory.raise(TenantId::new(1), CacheVersions { access: 3, registers: 1 });
        assert_eq!(memory.trusted_versions(TenantId::new(1)), None);
    }

    #[test]
    fn a_late_look_does_not_undo_what_was_raised_here() {
        let mut known = KnownVersions::default();
        known.raise(TenantId::new(1), CacheVersions { access: 3, registers: 1 });
        known.raise(TenantId::new(1), CacheVersions { access: 2, registers: 4 });
        assert_eq!(known.versions[&TenantId::new(1)], CacheVersions { access: 3, registers: 4 });
    }
}
