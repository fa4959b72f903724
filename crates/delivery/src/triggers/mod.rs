//! Trigger delivery. A process lists receivers with pending messages, leases them, takes messages in flight, posts
//! them, and records the outcomes in batches. Each receiver has its own worker slots, so that a slow one does not delay
//! others; each record has one message in flight, so that its changes arrive in order.

pub mod connect;
pub mod guard;
pub mod post;
pub mod sign;

mod clock_watch;
mod deliver;
mod due_receivers;
mod engine;
mod handle;
mod in_flight;
mod load_receiver;
mod lock;
mod message_window;
mod outcome;
mod receiver_queue;
mod recorder;
mod release_idle;
mod settings;
mod take_messages;

pub use handle::DispatchHandle;
pub use outcome::measure_queues;
pub use settings::DispatchSettings;
