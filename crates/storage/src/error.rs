//! Errors of statements, units of work and opening a database. "Not found" is not an error: it is `None`.

use domain::DatabaseFault;

/// Why a statement or a unit of work failed. Except for [`Error::Unknown`], nothing of the unit is stored.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("the database cannot be used now: {0}")]
    Unavailable(String),
    /// A retry fails until an operator repairs the database or its machine.
    #[error("the database refuses its work ({fault:?}): {cause}")]
    DatabaseFault { fault: DatabaseFault, cause: String },
    #[error("the answer to COMMIT was lost: stored or not, nobody knows")]
    Unknown,
    #[error("a value that must be unique is there already: {0}")]
    Conflict(String),
    #[error("the statement or unit took longer than it may")]
    TooSlow,
    #[error("the unit awaited something that is not its transaction")]
    Foreign,
    #[error("the unit panicked: {0}")]
    Panicked(String),
    /// A dry run that reaches its first write ends so; anywhere else it is a defect.
    #[error("a write in a transaction that only reads: {0}")]
    ReadOnlyTransaction(String),
    #[error("defect: {0}")]
    Broken(String),
}

impl Error {
    /// Whether the whole database fails, or seems to. The executor logs this once for an outage, so its callers do not
    /// log it again for each request.
    pub fn is_outage(&self) -> bool {
        matches!(self, Error::Unavailable(_) | Error::DatabaseFault { .. } | Error::Unknown | Error::TooSlow)
    }
}

/// Logs a warning, unless its cause is an outage, which the executor logs itself: then the line is only for debugging.
#[macro_export]
macro_rules! warn_unless_outage {
    ($error:ident, $($fields:tt)+) => {
        if $error.is_outage() {
            tracing::debug!(error = %$error, $($fields)+)
        } else {
            tracing::warn!(error = %$error, $($fields)+)
        }
    };
}

/// Why a database could not be opened. The binary prints each case in Portuguese.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("not a database address: {0:?}")]
    BadAddress(AddressProblem),
    #[error("no database there: {0}")]
    Absent(String),
    #[error("cannot open {place}: {cause}")]
    Unreachable { place: String, cause: String },
    #[error("{place} hands each transaction to another session: a pooler in transaction mode")]
    TransactionPooler { place: String },
    #[error("another process has been migrating {place} for {seconds} s; the lock is held by {holder}")]
    MigrationLocked { place: String, seconds: u64, holder: String },
    /// The files of a restored backup did not all take their place.
    #[error("{0} was being replaced")]
    ReplacementUnfinished(String),
    #[error("another server uses {0}")]
    InUse(String),
    #[error("schema {found} is newer than {known}, the newest this program knows")]
    Newer { found: i64, known: i64 },
    #[error("schema {found} is older than {known}")]
    Older { found: i64, known: i64 },
    #[error("migration {0} was changed after it was applied")]
    Altered(i64),
    #[error("migration {version} failed: {cause}")]
    Migration { version: i64, cause: String },
    #[error("no copy could be made before the migration: {0}")]
    Copy(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressProblem {
    /// The scheme is not supported.
    Scheme,
    /// A file address without a path.
    NoFile,
    NoHost,
    /// An `@` or another reserved character in the user name or password that must be percent-encoded (`%40`).
    Unescaped,
    /// A weak `sslmode` for a remote host: a man in the middle could strip the encryption.
    WeakProtection,
    /// The driver's message.
    Other(String),
}
