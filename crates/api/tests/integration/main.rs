//! The HTTP interface through the whole server, on both engines.
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

extern crate amparo_api as api;

mod access;
mod alike;
mod answers;
mod associado;
mod browser;
mod calls;
mod contract;
mod documentation;
mod finance;
mod gestao;
mod leaving;
mod measurements;
mod requests;
mod safety;
mod shell;
mod tls;
