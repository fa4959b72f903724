//! Registers: list, read, create and change records according to their descriptions (crate `registers`). Records are
//! never deleted, only deactivated. Rules that a description cannot express are in `rules/`.

mod defaults;
mod draft;
pub mod import_rows;
mod list;
mod rules;
mod save;
pub mod suppliers;
mod validate;

pub use defaults::{insert_default_money_records, insert_default_records, insert_records};
pub use list::{
    LARGEST_EXACT_COUNT, RecordChoice, RecordPage, count_records, list_choices, list_records, read_record,
};
pub use save::{SavedRecord, change_record, create_record};
pub use storage::registers::StoredRecord;

pub use registers::{FieldContent, FieldType, Register};
