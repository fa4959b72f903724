//! Mails and triggers on their way, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_delivery as delivery;

mod mail;
mod triggers;
