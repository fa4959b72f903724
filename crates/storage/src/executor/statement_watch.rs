//! An observer of executed statements. The server logs slow ones; tests count the work of all.

use crate::SqlScalar;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Called for each statement on the thread that ran it, so it must be fast. Cloning it is cheap.
#[derive(Clone)]
pub struct StatementWatch(Arc<dyn Fn(&ExecutedStatement<'_>) + Send + Sync>);

/// A statement that has ended, successfully or not.
pub struct ExecutedStatement<'s> {
    /// The text that the engine ran.
    pub text: &'s str,
    /// May be personal data: never log them.
    pub values: &'s [SqlScalar],
    pub cost: StatementCost,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementCost {
    /// Excludes the time of earlier statements on the same connection.
    pub took: Duration,
    /// Virtual machine steps of the embedded engine; 0 for a database server.
    pub steps: i32,
    /// Rows returned or affected; 0 if it failed.
    pub rows: usize,
}

impl StatementWatch {
    pub fn new(observer: impl Fn(&ExecutedStatement<'_>) + Send + Sync + 'static) -> StatementWatch {
        StatementWatch(Arc::new(observer))
    }

    pub(crate) fn notify(&self, executed: &ExecutedStatement<'_>) {
        (self.0)(executed);
    }
}

impl fmt::Debug for StatementWatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Watch")
    }
}

/// Omits the values, so that it is safe to log.
impl fmt::Debug for ExecutedStatement<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {:?}", self.text, self.cost)
    }
}
