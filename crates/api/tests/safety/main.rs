//! What nobody may find out or set off, tried through HTTP on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

#[allow(dead_code, reason = "those of the contract call more than these do")]
#[path = "../contract/calls.rs"]
mod calls;

mod browser;
mod console_forms;
mod console_pages;
mod first_setup;
mod passwords;
mod validation_quota;
