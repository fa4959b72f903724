//! Why something was not done.

use domain::{InputField, Rejection};
use std::time::Duration;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A rule says no; every problem that was found, not the first alone.
    #[error("refused: {0:?}")]
    Refused(Vec<Rejection>),
    /// User, password or token are not good, and that is all that is said.
    #[error("the credential is not good")]
    Credential,
    /// The role may not do this.
    #[error("the role may not do this")]
    Forbidden,
    /// The token was given for a password alone, and its owner has a second factor: it reaches `/ext` at most.
    #[error("the token was given without a code")]
    CodeNotGiven,
    /// The association demands a second factor of the caller's role, and he has none.
    #[error("a second factor is demanded")]
    FactorDemanded,
    /// Too many failed logins.
    #[error("too many failed logins; again in {0:?}")]
    TooManyFailures(Duration),
    /// Too many lookups without a credential.
    #[error("too many lookups without a credential; again in {0:?}")]
    TooManyLookups(Duration),
    /// More logins wait than can be checked.
    #[error("too many logins at once")]
    Busy,
    /// As much of this work is under way as the server does at once.
    #[error("no place is free for {0:?}")]
    NoPlace(HeavyWork),
    /// A user's requests come faster than they may.
    #[error("too many requests of one user; again in {0:?}")]
    TooManyRequests(Duration),
    /// The server has no association yet that this could be meant for.
    #[error("no tenant is meant")]
    NoTenant,
    /// What was asked for by its code is not there, or not for the caller.
    #[error("there is no {code} for the caller ({field:?})")]
    NotFound { field: InputField, code: i32 },
    /// The same of a record of a register, which only its description can name.
    #[error("there is no such record for the caller: {0:?}")]
    NoRecord(Rejection),
    /// A register changed while something was decided by it: decided anew, and never shown.
    #[error("a register changed meanwhile")]
    StaleRegisters,
    /// Another process has the work in hand now: for whoever had it, and never shown.
    #[error("another process has the work in hand")]
    LeaseLost,
    /// More looks at people wait to be written down than may be forgotten.
    #[error("the audit cannot keep up")]
    AuditBacklogFull,
    /// The key came before, with another body.
    #[error("the idempotency key was used for something else")]
    KeyReused,
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The bytes of files can be neither read nor written just now.
    #[error("the place of the files cannot be used: {0}")]
    Files(String),
    #[error("password hashing failed: {0}")]
    Hashing(String),
    #[error("a text could not be written: {0}")]
    Defect(String),
}

/// Work of which the server does little at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeavyWork {
    WorkbookReading,
    WorkbookExport,
}

impl Error {
    /// The database could not be used just now: the same may work in a moment, or once somebody has mended it.
    pub fn is_transient(&self) -> bool {
        use storage::Error::{DatabaseFault, TooSlow, Unavailable, Unknown};
        matches!(
            self,
            Error::Busy
                | Error::NoPlace(_)
                | Error::Files(_)
                | Error::Storage(Unavailable(_) | DatabaseFault { .. } | TooSlow | Unknown)
        )
    }

    /// What somebody has to mend before the same can work.
    pub fn database_fault(&self) -> Option<domain::DatabaseFault> {
        match self {
            Error::Storage(storage::Error::DatabaseFault { fault, .. }) => Some(*fault),
            _ => None,
        }
    }
}

impl From<Rejection> for Error {
    fn from(rejection: Rejection) -> Error {
        Error::Refused(vec![rejection])
    }
}

/// Takes the value, or keeps the refusal for the list of all of them.
pub fn collect_problem<T>(problems: &mut Vec<Rejection>, result: Result<T, Rejection>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}
