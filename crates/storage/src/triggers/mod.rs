//! Receivers of triggers, what waits for them and what was sent.

pub mod attempts;
pub mod deliveries;
pub(crate) mod outbox;
pub mod queues;
pub mod receivers;
