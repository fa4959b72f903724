//! Every route of the console through the whole server, for everybody who may come: a visitor, an administrator, an
//! operator of one branch, a program, and the administrator of another association.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_console as console;

mod accounts;
mod filters;
mod forms;
mod import_columns;
mod named_records;
mod notices;
mod pages;
mod scene;
mod valid_forms;
