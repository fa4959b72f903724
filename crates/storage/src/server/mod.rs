//! Data of the server itself: tenants, counters, settings, jobs, leases, mail.

pub mod counters;
pub mod housekeeping;
pub mod idempotency;
pub mod jobs;
pub mod key_holders;
pub mod leases;
pub mod mails;
pub mod processes;
pub mod secrets;
pub mod settings;
pub mod tenants;
pub mod versions;
