//! Every route of the console through the whole server, for everybody who may come: a visitor, an administrator, an
//! operator of one branch, a program, and nobody of the other association.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_console as console;

mod accounts;
mod forms;
mod pages;
mod scene;
mod valid_forms;
