//! Whoever is told of every statement that ran: what it was, and what it took. The server tells its log of slow ones;
//! tests count the work of all.

use crate::SqlScalar;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Is told of each statement, on the thread that ran it, so it must be quick. Cloning it is cheap.
#[derive(Clone)]
pub struct StatementWatch(Arc<dyn Fn(&ExecutedStatement<'_>) + Send + Sync>);

/// A statement that has ended, well or not.
pub struct ExecutedStatement<'s> {
    /// As the engine ran it.
    pub text: &'s str,
    /// They may be personal: nothing for a log.
    pub values: &'s [SqlScalar],
    pub cost: StatementCost,
}

/// What a statement took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementCost {
    /// Without what ran before it on the same connection.
    pub took: Duration,
    /// Steps of the embedded engine's virtual machine; 0 where the database is a server.
    pub steps: i32,
    /// Rows that it gave or touched; 0 where it failed.
    pub rows: usize,
}

impl StatementWatch {
    pub fn new(tell: impl Fn(&ExecutedStatement<'_>) + Send + Sync + 'static) -> StatementWatch {
        StatementWatch(Arc::new(tell))
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

/// Without the values, so that it may stand in a log.
impl fmt::Debug for ExecutedStatement<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {:?}", self.text, self.cost)
    }
}
