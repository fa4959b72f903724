//! Links that open a document without a credential, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_links as links;

mod address;
mod opening;
mod revocation;
mod scene;
