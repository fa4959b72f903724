//! Imports of files: their lines, results and progress. Cells and undo snapshots are personal data;
//! `server/housekeeping.rs` deletes them once the import can no longer be undone.

mod change_state;
mod column_mappings;
mod leases;
mod lines;
mod runs;
mod unconfirmed_imports;

pub use change_state::{ImportStateChange, update_import_state};
pub use column_mappings::{list_column_mappings, upsert_column_mapping};
pub use leases::{LeasedImport, advance_import, lease_import, list_due_imports, release_import};
pub use lines::{
    KeptRecord, StoredLineProblem, StoredLineResult, delete_line_problems, insert_import_lines,
    insert_line_problems, insert_line_results, insert_removed_code, list_cells_of_lines, list_import_lines,
    list_kept_records, list_line_problems, list_line_results_before, list_problem_lines,
    list_problems_of_lines, list_records_of_lines, list_removed_codes, update_kept_reason,
};
pub use runs::{
    ImportLineCounts, StoredImportRun, encode_text_list, find_import_run, insert_import_run, list_import_runs,
};
pub use unconfirmed_imports::{UnconfirmedImport, delete_unfinished_import, list_unconfirmed_imports};
