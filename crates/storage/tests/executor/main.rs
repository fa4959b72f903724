//! The executor and the schema, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_storage as storage;

mod activity;
mod append_only;
mod file;
mod gate;
mod pooler;
mod refusals;
mod schema;
mod server;
mod transport;
mod traps;
mod values;
mod watch;
