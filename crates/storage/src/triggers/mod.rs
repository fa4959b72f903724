//! Receivers of triggers, their pending and finished deliveries.

pub mod attempts;
pub mod deliveries;
pub(crate) mod outbox;
pub mod queues;
pub mod receivers;
