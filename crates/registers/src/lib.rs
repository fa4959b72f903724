//! The registers of an association: what it names and orders by itself (situations, plans, branches…). A register is
//! described here once, and storage, api, console and import read the description.
//!
//! # Adding a field
//! A column in a new migration, and a line in the register's description (`described/`): its name outside, its column, what
//! it holds, what it means, an example. Reader, statements, answers and documentation follow. What a description cannot say is
//! a rule in `app/src/registering/rules/`.

mod born;
mod describe;
mod described;
mod funnels;
mod situations;

pub use born::{BornInspectionType, CLAIM_TYPES, INSPECTION_TYPES, TICKET_TYPES};
pub use describe::{
    Default, FieldSpec, Kind, Need, Register, Rows, Search, Told, Unique, Value, Within, Words,
};
pub use described::{REGISTERS, find, label};
pub use funnels::{BornFunnel, FUNNEL};
pub use situations::{BornSituation, SITUATIONS};
