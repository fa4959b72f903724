//! Rate limit per user: a rate per second over time (`http.user_requests_per_second`), with a burst of one minute's
//! worth. Counted per process and without a lock: each user has one number, the moment up to which their allowance is
//! used.

use crate::Error;
use crate::session::Session;
use domain::{Moment, TenantId, UserCode};
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Users tracked at the same time. An evicted user starts with a full allowance.
const TRACKED_USERS: usize = 10_000;
/// The burst allowed after a quiet period, in microseconds of the rate.
const BURST_MICROS: i64 = 60_000_000;

pub struct RequestLimit {
    /// Microseconds used by one request; 0 for no limit.
    cost: i64,
    users: Cache<(TenantId, UserCode), Arc<AtomicI64>>,
}

impl Default for RequestLimit {
    fn default() -> RequestLimit {
        RequestLimit::per_second(0)
    }
}

impl RequestLimit {
    /// At most `most` requests per second and user; 0 for no limit.
    pub fn per_second(most: u32) -> RequestLimit {
        let cost = 1_000_000_i64.checked_div(most.into()).map_or(0, |cost| cost.max(1));
        RequestLimit { cost, users: Cache::new(TRACKED_USERS) }
    }

    /// Counts a request, or returns how long the user must wait.
    pub fn count_request(&self, caller: &Session, now: Moment) -> Result<(), Error> {
        if self.cost == 0 {
            return Ok(());
        }
        self.count_for_user((caller.scope.tenant(), caller.user), now)
    }

    fn count_for_user(&self, user: (TenantId, UserCode), now: Moment) -> Result<(), Error> {
        let now = now.millis().saturating_mul(1000);
        let used_up_to = match self.users.get(&user) {
            Some(known) => known,
            // Two concurrent first requests may count as one.
            None => {
                let new = Arc::new(AtomicI64::new(now));
                self.users.insert(user, Arc::clone(&new));
                new
            }
        };
        let next = |used: i64| {
            let next = used.max(now).saturating_add(self.cost);
            (next - now <= BURST_MICROS).then_some(next)
        };
        match used_up_to.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(_) => Ok(()),
            Err(used) => {
                let wait = used.saturating_add(self.cost).saturating_sub(now).saturating_sub(BURST_MICROS);
                Err(Error::TooManyRequests(Duration::from_micros(wait.max(0).unsigned_abs())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_at_once_then_the_rate_and_every_user_by_himself() {
        let limit = RequestLimit::per_second(10);
        let (ana, bia) = ((TenantId::new(1), UserCode::new(1)), (TenantId::new(2), UserCode::new(1)));
        let at = |millis: i64| Moment::from_millis(1_794_663_125_000 + millis);
        for _ in 0..600 {
            limit.count_for_user(ana, at(0)).unwrap();
        }
        let Err(Error::TooManyRequests(wait)) = limit.count_for_user(ana, at(0)) else { panic!("no limit") };
        assert_eq!(wait, Duration::from_millis(100));
        limit.count_for_user(bia, at(0)).unwrap();
        limit.count_for_user(ana, at(100)).unwrap();
        assert!(limit.count_for_user(ana, at(100)).is_err());
        for _ in 0..600 {
            limit.count_for_user(ana, at(70_000)).unwrap();
        }
        assert!(limit.count_for_user(ana, at(70_000)).is_err(), "quiet for longer is worth no more");
    }

    #[test]
    fn nothing_is_counted_without_a_limit() {
        assert_eq!(RequestLimit::default().cost, 0);
        assert_eq!(RequestLimit::per_second(u32::MAX).cost, 1);
    }
}
