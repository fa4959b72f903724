//! Leads and deals.

pub mod deals;
pub mod leads;
