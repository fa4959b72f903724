//! Leads, deals and the sellers behind them.

pub mod deals;
pub mod leads;
pub mod sellers;
