//! The error type of the application layer.

use domain::{InputField, Rejection};
use std::time::Duration;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A business rule rejects the request; lists every problem found, not only the first.
    #[error("refused: {0:?}")]
    Refused(Vec<Rejection>),
    /// Unknown user, wrong password or invalid token; the caller never learns which.
    #[error("the credential is not good")]
    Credential,
    #[error("the role may not do this")]
    Forbidden,
    /// The token was issued for a password alone, but its owner has a second factor: it reaches only `/ext`.
    #[error("the token was given without a code")]
    CodeNotGiven,
    /// The association requires a second factor for the caller's role, and the caller has none.
    #[error("a second factor is demanded")]
    FactorDemanded,
    #[error("too many failed logins; again in {0:?}")]
    TooManyFailures(Duration),
    #[error("too many lookups without a credential; again in {0:?}")]
    TooManyLookups(Duration),
    /// The queue for password hashing is full.
    #[error("too many logins at once")]
    Busy,
    /// Every slot for this kind of heavy work is taken.
    #[error("no place is free for {0:?}")]
    NoPlace(HeavyWork),
    /// The user exceeds the request rate limit.
    #[error("too many requests of one user; again in {0:?}")]
    TooManyRequests(Duration),
    /// No account of the association can receive a Pix for this.
    #[error("no account has a Pix key")]
    NoPixKey,
    /// No tenant matches the request, and the server has no default tenant.
    #[error("no tenant is meant")]
    NoTenant,
    /// No record has this code, or the caller may not see it.
    #[error("there is no {code} for the caller ({field:?})")]
    NotFound { field: InputField, code: i32 },
    /// As `NotFound`, for a register record, which only its register can describe.
    #[error("there is no such record for the caller: {0:?}")]
    NoRecord(Rejection),
    /// A register changed during the decision. Triggers a retry; never reaches the caller.
    #[error("a register changed meanwhile")]
    StaleRegisters,
    /// Another process holds the lease now. Handled by the former holder; never reaches the caller.
    #[error("another process has the work in hand")]
    LeaseLost,
    /// The buffer of unwritten access-log entries is full.
    #[error("the audit cannot keep up")]
    AuditBacklogFull,
    /// The idempotency key was already used with a different body.
    #[error("the idempotency key was used for something else")]
    KeyReused,
    #[error(transparent)]
    Storage(#[from] storage::Error),
    /// The file store can be neither read nor written at the moment.
    #[error("the place of the files cannot be used: {0}")]
    Files(String),
    #[error("password hashing failed: {0}")]
    Hashing(String),
    #[error("a text could not be written: {0}")]
    Defect(String),
}

/// Work that only a few requests may do at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeavyWork {
    WorkbookReading,
    WorkbookExport,
}

impl Error {
    /// Whether a retry may succeed, either shortly or once an operator has fixed the cause.
    pub fn is_transient(&self) -> bool {
        matches!(self, Error::Busy | Error::NoPlace(_) | Error::Files(_)) || self.is_outage()
    }

    /// Whether the whole database fails, which the executor logs once.
    pub fn is_outage(&self) -> bool {
        matches!(self, Error::Storage(error) if error.is_outage())
    }

    /// The fault an operator has to fix before a retry can succeed.
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

impl From<vault::SealError> for Error {
    fn from(error: vault::SealError) -> Error {
        Error::Storage(storage::Error::Broken(error.to_string()))
    }
}

/// Returns the value, or adds the rejection to the list of problems.
pub fn collect_problem<T>(problems: &mut Vec<Rejection>, result: Result<T, Rejection>) -> Option<T> {
    result.map_err(|problem| problems.push(problem)).ok()
}
