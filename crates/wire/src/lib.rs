//! The wire format: records and formats in Portuguese, exactly as in the specification, the reader of requests, and the
//! texts of all refusals and mails. It contains no business rules.

pub mod attachment;
pub mod audit;
pub mod database_fault;
pub mod field_differences;
pub mod field_texts;
pub mod import_sheet;
pub mod mail;
pub mod mirror;
pub mod read;
pub mod record_version;
pub mod records;
pub mod refusal;
pub mod register;
pub mod set_names;
pub mod slip;

pub mod trigger;

pub use crate::set_names::{
    delivery_state, entity_path, import_state, money_right, parse_entity_path, parse_money_right, parse_role,
    role,
};
