//! Reports the progress of a running import to its caller.

use storage::exchange::imports::runs::StoredImportRun;

/// Called after every transaction.
pub type ImportProgressCallback<'t> = &'t mut (dyn FnMut(&StoredImportRun) + Send);
