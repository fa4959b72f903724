//! The registers of an association: what it names and orders by itself (situations, plans, branches…). A register is
//! described here once, and storage, api, console and import read the description.
//!
//! # Adding a field
//! A column in a new migration, and a line in the register's description (`described/`): its name outside, its column, what
//! it holds, what it means, an example. Reader, statements, answers and documentation follow. What a description cannot say is
//! a rule in `app/src/registering/rules/`.

mod catalog;
mod defaults;
mod describe;
mod funnels;
mod situations;

pub use crate::catalog::{REGISTERS, find_choice_label, find_register};
pub use crate::defaults::{CLAIM_TYPES, INSPECTION_TYPES, InitialInspectionType, TICKET_TYPES};
pub use describe::{
    DisplayTexts, FieldContent, FieldDefault, FieldRequirement, FieldSpec, FieldType, OperationDescription,
    PartTable, RecordVisibility, Register, SearchMethod, UniqueConstraint,
};
pub use funnels::{FUNNEL, InitialFunnel};
pub use situations::{InitialSituation, SITUATIONS};
