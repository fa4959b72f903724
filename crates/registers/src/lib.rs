//! The registers of an association: what it names and orders by itself (situations, plans, branches…). A register is
//! described here once, and storage, api, console and import read the description.

mod funnels;
mod situations;

pub use funnels::{BornFunnel, FUNNEL};
pub use situations::{BornSituation, SITUATIONS};
