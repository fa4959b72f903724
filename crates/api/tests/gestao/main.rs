//! Management through HTTP on both engines: what an association registers and operates by itself.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

#[allow(dead_code, reason = "it is that of the contract, which calls more")]
#[path = "../contract/calls.rs"]
mod calls;

mod cards;
mod equipment;
mod registers;
mod registers_at_once;
mod registers_roles;
mod registers_rules;
mod registers_search;
mod situations;
