//! Runs a mirror phase by phase.

mod claims;
mod details;
mod error;
mod lease;
mod notes;
mod options;
pub(crate) mod phase;
mod progress_update;
mod registers;
mod runner;
mod sales;
mod start;
mod title_lists;
mod titles;
mod walk;

pub use error::MirrorError;
pub use options::MirrorOptions;
pub use progress_update::ProgressUpdate;
pub use start::run_mirror;
