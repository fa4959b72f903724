//! Leads, deals and sellers.

pub mod deals;
pub mod leads;
pub mod sellers;
