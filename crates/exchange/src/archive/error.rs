//! Why an export or restore failed.

use app::Error;
use domain::TenantId;

/// Why an export or restore failed. The binary translates each to Portuguese.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("cannot read or write {path}: {cause}")]
    File { path: String, cause: String },
    #[error("{0} is there already")]
    FileExists(String),
    #[error("not an archive of this format: {0}")]
    UnknownFormat(String),
    #[error("format {found} is newer than {known}")]
    NewerFormat { found: u32, known: u32 },
    #[error("schema {found} is newer than {known}")]
    NewerSchema { found: i64, known: i64 },
    /// The content does not match its digest or format.
    #[error("{path} is damaged: {cause}")]
    Damaged { path: String, cause: String },
    #[error("{path}, line {line}: {cause}")]
    BadRow { path: String, line: u64, cause: String },
    #[error("{0} is there already")]
    TenantExists(TenantId),
    #[error("logins of others: {0:?}")]
    LoginsTaken(Vec<String>),
    #[error("hosts of others: {0:?}")]
    HostsTaken(Vec<String>),
    #[error("half of {0} was brought from another file")]
    OtherRestoreUnfinished(TenantId),
    #[error("nothing was brought by half")]
    NoUnfinishedRestore,
    #[error("somebody else brings it")]
    ConcurrentRestore,
    /// A background task ended unexpectedly.
    #[error("the work was cut short: {0}")]
    Interrupted(String),
    #[error(transparent)]
    App(#[from] Error),
}

impl From<storage::Error> for ArchiveError {
    fn from(error: storage::Error) -> ArchiveError {
        ArchiveError::App(error.into())
    }
}

pub(super) fn wrap_file_error(path: &std::path::Path, cause: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::File { path: path.display().to_string(), cause: cause.to_string() }
}
