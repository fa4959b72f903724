//! Runs an import: checks or writes its lines in low-priority transactions of up to a few hundred lines. Each
//! transaction also stores the position, so that another process can continue exactly there.

mod dry_run;
mod due_imports;
mod run_import;
mod worker;

pub use due_imports::run_due_imports;
pub use run_import::run_import;
