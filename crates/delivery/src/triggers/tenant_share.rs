//! How many messages are in flight, per tenant and in total, of those that `triggers.in_hand` allows.

use super::lock::lock_mutex;
use domain::TenantId;
use std::collections::HashMap;
use std::sync::Mutex;

/// A tenant gets at most 1/`TENANT_SHARE` of the in-flight limit.
pub const TENANT_SHARE: usize = 4;

/// Messages in flight: in total, and per tenant.
#[derive(Default)]
pub struct InFlightCounts(Mutex<(usize, HashMap<TenantId, usize>)>);

impl InFlightCounts {
    pub fn total(&self) -> usize {
        lock_mutex(&self.0).0
    }

    pub fn add(&self, tenant: TenantId, count: usize) {
        let mut all = lock_mutex(&self.0);
        all.0 += count;
        *all.1.entry(tenant).or_default() += count;
    }

    pub fn subtract(&self, tenant: TenantId, count: usize) {
        let mut all = lock_mutex(&self.0);
        all.0 = all.0.saturating_sub(count);
        let tenant_count = all.1.entry(tenant).or_default();
        *tenant_count = tenant_count.saturating_sub(count);
    }

    /// How many more messages of a tenant may be taken. A tenant may use at most a quarter of the total, so that one
    /// with slow receivers leaves capacity for others.
    pub fn remaining_capacity(&self, tenant: TenantId, most: usize) -> usize {
        let all = lock_mutex(&self.0);
        let tenant_count = all.1.get(&tenant).copied().unwrap_or(0);
        most.saturating_sub(all.0).min((most / TENANT_SHARE).max(1).saturating_sub(tenant_count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tenant_takes_a_quarter_and_leaves_the_rest_to_others() {
        let (slow, other) = (TenantId::new(1), TenantId::new(2));
        let in_flight = InFlightCounts::default();
        assert_eq!(in_flight.remaining_capacity(slow, 1024), 256);
        in_flight.add(slow, 256);
        assert_eq!(
            (in_flight.remaining_capacity(slow, 1024), in_flight.remaining_capacity(other, 1024)),
            (0, 256)
        );
        in_flight.subtract(slow, 6);
        assert_eq!((in_flight.remaining_capacity(slow, 1024), in_flight.total()), (6, 250));
        assert_eq!(
            (in_flight.remaining_capacity(other, 251), in_flight.remaining_capacity(other, 1)),
            (1, 0),
            "nor more than there is at all"
        );
    }
}
