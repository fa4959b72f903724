//! Imports of files: their lines, results and progress. Cells and undo snapshots are personal data;
//! `server/housekeeping.rs` deletes them once the import can no longer be undone.

pub mod change_state;
pub mod column_mappings;
pub mod leases;
pub mod line_problems;
pub mod line_results;
pub mod lines;
pub mod removed_codes;
pub mod runs;
pub mod unconfirmed_imports;

pub use line_results::StoredLineResult;
pub use removed_codes::{insert_removed_code, list_removed_codes};
