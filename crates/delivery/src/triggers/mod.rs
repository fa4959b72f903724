//! Trigger delivery. A process lists receivers with pending messages, leases them, takes messages in flight, posts
//! them, and records the outcomes in batches. Each receiver has its own worker slots, so that a slow one does not delay
//! others; each record has one message in flight, so that its changes arrive in order.

pub mod address_guard;
pub mod connect;
pub mod delivery_metrics;
pub mod dispatch_handle;
pub mod dispatch_settings;
pub mod post;
pub mod sign;

mod clock_watch;
mod deliver_message;
mod delivery_outcome;
mod dispatch_due;
mod dispatch_loop;
mod dispatch_state;
mod due_snapshot;
mod find_demand;
mod is_receiver_open;
mod load_receiver_queue;
mod lock;
mod message_result;
mod receiver_demand;
mod receiver_queue;
mod receiver_worker;
mod record_results;
mod records_in_flight;
mod release_idle;
mod take_messages;
mod tenant_share;
mod unwritten_results;
