//! The progress that a run reports.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressUpdate {
    pub what: &'static str,
    pub done: u64,
    /// If known.
    pub of: Option<u64>,
    pub requests: u64,
}
