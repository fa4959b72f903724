//! List exports: every row that the caller may see, with the caller's filters, as a spreadsheet file. Rows are read
//! page by page with the functions of the web lists and streamed as they are read; the export stops when the client
//! disconnects.
//!
//! # Adding a list
//! 1. Add a variant to `ListKind` and a line to [`list_exportable_lists`]: its name in URLs, its title, the allowed
//!    roles.
//! 2. Define its columns (`member_columns.rs`, `case_columns.rs`, `title_columns.rs`, `administration_columns.rs`): name, title, kind,
//!    value.
//! 3. Add an arm to `ListRowReader::next` that reads the next page. CSV, XLSX, the API, its documentation and the audit
//!    follow.

mod administration_columns;
mod audit;
mod case_columns;
mod cell_values;
pub(crate) mod csv;
mod error;
mod exportable_lists;
mod list_columns;
mod member_columns;
mod register_columns;
mod rows;
mod stream;
mod title_columns;
mod title_query;
mod xlsx;

pub use cell_values::{CellKind, SpreadsheetCell};
pub use error::ListExportError;
pub use exportable_lists::{ExportableList, find_list_by_name, list_exportable_lists};
pub use list_columns::ColumnHeading;
pub use stream::{ListExport, start_list_export};
