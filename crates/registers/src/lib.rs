//! The registers of an association: the lists it maintains itself (situations, plans, branches…). Each register is
//! described here once; storage, api, console and import read the description.
//!
//! # Adding a field
//! Add a column in a new migration, and a line in the register's description (`catalog/`): external name, column, type,
//! meaning and example. Reader, statements, answers and documentation follow from it. Rules that a description cannot
//! express go to `app/src/registers/rules/`.

mod catalog;
mod defaults;
mod describe;
mod money_rules;

pub use crate::catalog::{REGISTERS, find_choice_label, find_register};
pub use crate::defaults::{
    CLAIM_TYPES, FUNNEL, INSPECTION_TYPES, InitialFunnel, InitialInspectionType, InitialSituation,
    SITUATIONS, TICKET_TYPES, list_finance_records,
};
pub use describe::{
    DisplayTexts, FieldContent, FieldDefault, FieldRequirement, FieldSpec, FieldType, OperationDescription,
    PartTable, RecordVisibility, Register, SearchMethod, UniqueConstraint,
};
pub use money_rules::{complete_values, find_money_problems, read_table_price};
