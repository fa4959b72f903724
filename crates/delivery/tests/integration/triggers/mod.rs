//! Triggers from the unit that causes them to their receivers, on both engines.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails loudly")]

mod again;
mod answers;
mod cases;
mod clock;
mod guard;
mod hands;
mod model;
mod pauses;
mod scene;
mod schedule;
mod secrets;
mod unwritable;
mod verifier;
