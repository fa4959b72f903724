//! What a new association is born with, and may rename and extend.

mod case_types;
mod finance;
mod funnel;
mod situations;

pub use case_types::{CLAIM_TYPES, INSPECTION_TYPES, InitialInspectionType, TICKET_TYPES};
pub use finance::list_finance_records;
pub use funnel::{FUNNEL, InitialFunnel};
pub use situations::{InitialSituation, SITUATIONS};
