//! How often benefits are validated by those who may not see them whole. Counted in this process alone: a lookup that finds
//! somebody writes nothing, so that a caller has as many as there are processes to reach.

use crate::access::Throttle;
use crate::{App, Error};
use domain::{CallerAddress, Moment, Network, TenantId, UserCode, ValidationKeys};
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Addresses that are remembered.
const ADDRESSES: usize = 100_000;
/// Records that are remembered. Each lookup names at most three, and an address has a few hundred lookups.
const RECORDS: usize = 100_000;
/// Associations, partners and users that are remembered.
const SUBJECTS: usize = 10_000;

pub(crate) struct LookupQuotas {
    addresses: Cache<CallerAddress, Arc<tokio::sync::Mutex<()>>>,
    counts: Cache<LookupSubject, Arc<Mutex<LookupCount>>>,
    /// Apart, so that no flood of them lets another count be forgotten.
    records: Cache<[u8; 16], Arc<Mutex<LookupCount>>>,
}

/// Whose lookups are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LookupSubject {
    /// All lookups of an address.
    Address(CallerAddress),
    /// All lookups of a partner's network, in the association that named it.
    Partner(TenantId, Network),
    /// Lookups of a user that found nobody in the user's own branches.
    User(TenantId, UserCode),
    /// Documents of nobody in an association, of all addresses.
    Documents(TenantId),
}

/// How many lookups there were, and since when.
#[derive(Debug)]
struct LookupCount {
    count: u32,
    since: Moment,
}

impl Default for LookupQuotas {
    fn default() -> LookupQuotas {
        LookupQuotas {
            addresses: Cache::new(ADDRESSES),
            counts: Cache::new(SUBJECTS + ADDRESSES),
            records: Cache::new(RECORDS),
        }
    }
}

impl LookupQuotas {
    /// Lookups of one address take turns, so that however many come at once, each is judged by those before it.
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

/// A place that was taken before it was known what the lookup finds.
pub(super) struct ReservedLookup(Arc<Mutex<LookupCount>>);

impl ReservedLookup {
    /// Gives the place back: the lookup was none of those that are counted.
    pub fn release(self) {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        count.count = count.count.saturating_sub(1);
    }
}

/// Takes a place among the `most` lookups of a subject, or tells how long to wait for one.
pub(super) fn reserve_lookup(app: &App, subject: LookupSubject, most: u32) -> Result<ReservedLookup, Error> {
    let now = app.now();
    reserve_place(app.memory.validations.subject_count(subject, now), most, &app.throttle, now)
}

/// Takes a place among the lookups of every record that the keys name, of all callers together.
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
            app.memory.validations.record_count(record, now),
            throttle.record_lookups,
            throttle,
            now,
        )?;
    }
    Ok(())
}

fn reserve_place(
    of: Arc<Mutex<LookupCount>>,
    most: u32,
    throttle: &Throttle,
    now: Moment,
) -> Result<ReservedLookup, Error> {
    let mut count = of.lock().unwrap_or_else(PoisonError::into_inner);
    if count.since <= now.minus(throttle.window) {
        *count = LookupCount { count: 0, since: now };
    }
    if count.count >= most {
        return Err(Error::TooManyLookups(count.since.plus(throttle.window).duration_since(now)));
    }
    count.count += 1;
    drop(count);
    Ok(ReservedLookup(of))
}
