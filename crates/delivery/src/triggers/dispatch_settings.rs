//! The settings of trigger delivery: `[triggers]` in config.default.toml.

use super::address_guard::AddressGuard;
use domain::RetryPolicy;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct DispatchSettings {
    /// How often the database is polled for due messages. Changes made by this process are sent at once, unless another
    /// process holds the receiver's lease (`triggers.interval`).
    pub interval: Duration,
    /// Timeout of one attempt (`triggers.timeout`).
    pub timeout: Duration,
    /// Lease duration of a receiver (`triggers.lease`); leases are renewed before they expire.
    pub lease: Duration,
    pub policy: Arc<RetryPolicy>,
    pub guard: AddressGuard,
    /// Messages in flight in this process (`triggers.in_hand`); a single tenant may use a quarter of them.
    pub most: usize,
}

impl DispatchSettings {
    /// An attempt ends this long before its lease expires, because clocks differ.
    pub(super) fn lease_margin(&self) -> Duration {
        (self.lease / 6).min(Duration::from_secs(10))
    }

    /// A lease is renewed this long before it expires, so that every in-flight message has time for an attempt.
    pub(super) fn renewal_lead_time(&self) -> Duration {
        (self.timeout + self.lease_margin() + self.lease / 12).max(self.lease / 2)
    }
}
