//! What the business does, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_app as app;

mod access_trail;
mod accounts;
mod agreement;
mod auditing;
mod boards;
mod console;
mod console_door;
mod demo;
mod files;
mod growth;
mod import_pages;
mod importing;
mod key_rotation;
mod life;
mod looked;
mod lost_key;
mod money_defaults;
mod pages;
mod people;
mod phone;
mod second_factor;
mod upkeep;
mod whole;
