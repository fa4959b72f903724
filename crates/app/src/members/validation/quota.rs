//! Quotas for benefit validations with masked answers (`access.validation_*`). They are counted per process: a
//! successful lookup writes nothing, so a caller has the quota once per reachable process.

use crate::access::Throttle;
use crate::{App, Error};
use domain::{CallerAddress, Moment, Network, TenantId, UserCode, ValidationKeys};
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of addresses kept.
const TRACKED_ADDRESSES: usize = 100_000;
/// Number of records kept. A lookup names at most three, and an address has a few hundred lookups.
const TRACKED_RECORDS: usize = 100_000;
/// Number of tenants, partners and users kept.
const TRACKED_SUBJECTS: usize = 10_000;

pub(crate) struct LookupQuotas {
    addresses: Cache<CallerAddress, Arc<tokio::sync::Mutex<()>>>,
    counts: Cache<LookupSubject, Arc<Mutex<LookupCount>>>,
    /// A separate cache, so that a flood of records cannot evict the other counts.
    records: Cache<[u8; 16], Arc<Mutex<LookupCount>>>,
}

/// The subject whose lookups are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookupSubject {
    /// All lookups of an address.
    Address(CallerAddress),
    /// All lookups of a partner's network, per tenant.
    Partner(TenantId, Network),
    /// Lookups of a user that found no one in the user's own branches.
    User(TenantId, UserCode),
    /// Unknown documents of a tenant, over all addresses.
    Documents(TenantId),
    /// All openings of document links by an address.
    LinkOpenings(CallerAddress),
    /// Those with an unknown token.
    LinkMisses(CallerAddress),
}

/// Number of lookups since the start of the window.
#[derive(Debug)]
struct LookupCount {
    count: u32,
    since: Moment,
}

impl Default for LookupQuotas {
    fn default() -> LookupQuotas {
        LookupQuotas {
            addresses: Cache::new(TRACKED_ADDRESSES),
            counts: Cache::new(TRACKED_SUBJECTS + TRACKED_ADDRESSES),
            records: Cache::new(TRACKED_RECORDS),
        }
    }
}

impl LookupQuotas {
    /// Lookups of one address run one after another, so that concurrent ones cannot bypass the limits.
    pub fn address_turn(&self, address: CallerAddress) -> Arc<tokio::sync::Mutex<()>> {
        get_or_remember(&self.addresses, &address, Arc::default)
    }

    fn subject_count(&self, subject: LookupSubject, now: Moment) -> Arc<Mutex<LookupCount>> {
        get_or_remember(&self.counts, &subject, || Arc::new(Mutex::new(LookupCount { count: 0, since: now })))
    }

    fn record_count(&self, record: [u8; 16], now: Moment) -> Arc<Mutex<LookupCount>> {
        get_or_remember(&self.records, &record, || Arc::new(Mutex::new(LookupCount { count: 0, since: now })))
    }
}

fn get_or_remember<K: Hash + Eq + Clone, V: Clone>(
    cache: &Cache<K, V>,
    key: &K,
    new: impl FnOnce() -> V,
) -> V {
    match cache.get_or_insert_with(key, || Ok::<_, std::convert::Infallible>(new())) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

/// A lookup counted before its result is known.
pub struct ReservedLookup(Arc<Mutex<LookupCount>>);

impl ReservedLookup {
    /// Takes the lookup back: it is not one of those that count.
    pub fn release(self) {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        count.count = count.count.saturating_sub(1);
    }
}

/// Reserves one of the `limit` lookups of a subject; the error says how long to wait.
pub fn reserve_lookup(app: &App, subject: LookupSubject, limit: u32) -> Result<ReservedLookup, Error> {
    let now = app.now();
    reserve_place(app.caches.lookup_quotas.subject_count(subject, now), limit, &app.throttle, now)
}

/// Reserves a lookup of every named record, counted over all callers.
pub(super) fn reserve_record_lookups(
    app: &App,
    tenant: TenantId,
    keys: &ValidationKeys,
) -> Result<(), Error> {
    let (now, throttle) = (app.now(), &app.throttle);
    let named = [
        keys.sequence.map(|number| format!("{tenant} sequence {number}")),
        keys.card.as_ref().map(|card| format!("{tenant} card {}", card.as_str())),
        keys.document.as_ref().map(|document| format!("{tenant} document {}", document.as_str())),
    ];
    for name in named.into_iter().flatten() {
        let mut record = [0; 16];
        record.copy_from_slice(&Sha256::digest(name.as_bytes())[..16]);
        reserve_place(
            app.caches.lookup_quotas.record_count(record, now),
            throttle.record_lookups,
            throttle,
            now,
        )?;
    }
    Ok(())
}

fn reserve_place(
    counter: Arc<Mutex<LookupCount>>,
    limit: u32,
    throttle: &Throttle,
    now: Moment,
) -> Result<ReservedLookup, Error> {
    let mut count = counter.lock().unwrap_or_else(PoisonError::into_inner);
    if count.since <= now.minus(throttle.window) {
        *count = LookupCount { count: 0, since: now };
    }
    if count.count >= limit {
        return Err(Error::TooManyLookups(count.since.plus(throttle.window).duration_since(now)));
    }
    count.count += 1;
    drop(count);
    Ok(ReservedLookup(counter))
}
