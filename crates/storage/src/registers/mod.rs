//! Records of every register described in `registers`, with statements built from the description. Table and column
//! names come only from there; input from callers is always bound as a value.
//!
//! Registers that most requests need also have a module of their own with specialized reads.

pub mod additional_fields;
pub mod bank_holidays;
pub mod branches;
pub mod claim_types;
pub mod clinics;
pub mod doctors;
pub mod due_days;
pub mod finance;
pub mod funnels;
pub mod inspection_types;
pub mod money_registers;
pub mod plans;
pub mod sellers;
pub mod situations;
pub mod specialties;
pub mod suppliers;
pub mod ticket_types;
pub mod trackers;
pub mod vehicle_types;

mod child_tables;
mod conditions;
mod duplicates;
mod find;
mod page;
mod references;
mod row;
mod snapshot;
mod write;

pub use conditions::FieldCondition;
pub use duplicates::{count_other_active_records, find_duplicate_record};
pub use find::{find_record, has_record, list_records};
pub use page::{count_active_records_up_to, count_records, list_record_page};
pub use references::find_record_reference;
pub use row::StoredRecord;
pub use snapshot::{encode_record_snapshot, parse_record_snapshot};
pub use write::{build_record_inserts, clear_flag_of_others, delete_record, insert_record, update_record};
