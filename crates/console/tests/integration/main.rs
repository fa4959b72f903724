//! Every route of the console through the whole server, for everybody who may come: a visitor, an administrator, an
//! operator of one branch, a program, and the administrator of another association.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_console as console;

mod accounts;
mod charging;
mod filters;
mod finance;
mod forms;
mod import_columns;
mod incomplete_phones;
mod money_overview;
mod money_registers;
mod money_rights;
mod named_records;
mod notices;
mod pages;
mod prices;
mod scene;
mod valid_forms;
mod valid_money_forms;
