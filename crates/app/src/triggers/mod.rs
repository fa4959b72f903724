//! Trigger deliveries in the database: leasing, recording outcomes, listing and replay. The crate `delivery` sends
//! them.

mod clock_repair;
pub mod feed;
mod list;
mod overview;
mod ready_jobs;
mod receiver_health;
mod receiver_leases;
mod receiver_secrets;
pub mod receivers;
mod record_outcomes;
pub(crate) mod replace_lost_secrets;
mod replay_deliveries;
mod rotate_secret;
mod send_test;
mod trigger_messages;

pub use clock_repair::{CLOCK_TOLERANCE, pull_back_waits};
pub use list::{DeliveryWithAttempts, list_deliveries};
pub use overview::{
    DeliveryPage, DeliveryQuery, LARGEST_EXACT_COUNT, ReceiverPerformance, SCANNED_DELIVERIES,
    list_newest_deliveries, list_performance, read_delivery,
};
pub use ready_jobs::fetch_ready_jobs;
pub use receiver_leases::{
    LeaseHolder, free_abandoned_leases, is_receiver_open, lease_receivers, list_due_receivers,
    release_receivers,
};
pub use record_outcomes::{DeliveryOutcome, DeliveryVerdict, record_outcomes};
pub use replay_deliveries::{REPLAYS_PER_BATCH, ReplaySelection, replay_deliveries};
pub use send_test::{TestMessageOutcome, send_test_message};
pub(crate) use trigger_messages::DisabledSender;
pub use trigger_messages::{
    DeliveryJob, MessageSender, OutgoingMessage, ReceiverAnswer, build_delivery_mark, build_message_id,
};

pub use storage::history::situation_changes::HistoryEntryMark;
pub use storage::triggers::attempts::DeliveryAttempt;
pub use storage::triggers::deliveries::StoredDelivery;
pub use storage::triggers::queues::{DueReceiver, PendingChangeQuery, PendingPosition};
