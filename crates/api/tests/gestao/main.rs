//! Management, through HTTP on both engines: each record's life, who may do what, old versions, eight at once.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

#[allow(dead_code, reason = "made for the tests of the contract, and shared with them")]
#[path = "../contract/calls.rs"]
mod calls;

mod base;
mod benefit_life;
mod member_life;
mod sales_life;
mod sales_won;
mod user_life;
mod user_rights;
