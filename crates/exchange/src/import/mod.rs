//! Imports: a file is uploaded and split into lines, its columns are mapped to fields, it is checked in a dry run, and
//! it is imported in short low-priority transactions.
//!
//! # Steps
//! 1. [`create_upload_spool`] creates a temporary file for the upload. [`receive_upload`] reads it and returns the
//!    [`StoredImportRun`] in the state `Ready`, with a suggested field for each column ([`StoredImportRun::mapping`],
//!    from earlier mappings and from the headers). [`wire::import_sheet::list_import_fields`] lists the fields of a kind, with
//!    their labels.
//! 2. [`map_import_columns`] changes the mapping and remembers it for this tenant and kind.
//! 3. [`start_dry_run`] starts the dry run, [`start_import`] the import. Both return at once: a server task
//!    ([`run_due_imports`]) does the work, [`load_import`] and [`measure_progress`] report the progress,
//!    [`pause_import`] and [`resume_import`] control it.
//! 4. [`list_import_problems`] lists the problems by line and column; [`open_error_file`] returns the failed lines as
//!    CSV, with their original columns and one more with the reason.
//! 5. [`undo_import`] reverts an import for 7 days; [`list_kept_rows`] lists the records that it could not revert.
//!
//! Administrators see every import, operators their own; registers are for administrators only, titles and opening
//! balances for those who may settle titles. Every row goes through the same functions as the API,
//! with the permissions of the user who started the current stage.
//!
//! # Guarantees
//! A transaction writes its records, the results of its lines and the position of the import, or nothing: after a crash
//! another process continues after the last transaction (`lease_import` in `storage::exchange::imports::leases`, with a
//! fencing token). Two lines of one file never write the same record: the second is refused, so that a repeated run
//! changes nothing. History entries have the origin `importação`; triggers are sent only on request.

mod action_refusals;
mod caller;
mod change_state;
mod column_mapping;
mod column_names;
mod dry_run;
mod file;
mod find;
mod finish_stage;
mod leased_import;
mod line_batch;
mod line_errors;
mod line_worker;
mod measure_progress;
mod parse_lines;
mod parse_row;
mod parsed_row;
mod preview;
mod price_bands;
mod process_lines;
mod progress_callback;
mod receive_upload;
mod release_imports;
mod report;
mod run_due_imports;
mod run_import;
mod undo_lines;
mod undo_period;
mod upload_spool;
mod write_line_batch;
mod write_lines;
mod write_row;

// For other packages; the files of this folder import from each other directly.
pub use app::import_row::UNDO_FOR;
pub use caller::ImportCaller;
pub use change_state::{
    map_import_columns, pause_import, resume_import, start_dry_run, start_import, undo_import,
};
pub use column_mapping::{ColumnMapping, has_default_branch};
pub use file::line_collector::MOST_LINES;
pub use find::{list_imports, load_import};
pub use measure_progress::measure_progress;
pub use preview::{list_cells_by_line, list_first_lines};
pub use receive_upload::{receive_local_file, receive_upload};
pub use release_imports::release_all_imports;
pub use report::{ImportErrorFile, list_import_problems, list_kept_rows, open_error_file};
pub use run_due_imports::run_due_imports;
pub use run_import::run_import;
pub use storage::exchange::imports::line_problems::StoredLineProblem;
pub use storage::exchange::imports::line_results::KeptRecord;
pub use storage::exchange::imports::runs::StoredImportRun;
pub use undo_period::may_undo_import;
pub use upload_spool::{UploadSpool, create_upload_spool};
