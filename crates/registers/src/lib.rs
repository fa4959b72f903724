//! The registers of an association: what it names and orders by itself (situations, plans, branches…). A register is
//! described here once, and storage, api, console and import read the description.

mod situations;

pub use situations::{BornSituation, SITUATIONS};
