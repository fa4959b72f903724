//! Mails and triggers on their way, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

mod mail;
mod triggers;
