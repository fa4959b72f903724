//! What the association registers and operates by itself, through HTTP on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

#[allow(dead_code, reason = "those of the contract call more than these do")]
#[path = "../contract/calls.rs"]
mod calls;
mod case_lists;
mod case_lives;
mod case_scene;
mod consulta;
mod evento;
mod help_desk;
mod vistoria;
