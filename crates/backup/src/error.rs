use domain::describe_error_chain;
use object_store::Error as StoreError;

/// What is wrong with a stored object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DamageCause {
    Missing,
    /// Its content is not what was written.
    Altered,
    /// The database in it does not open, or a program that reads it refuses it.
    Unusable(String),
}

#[derive(Debug, thiserror::Error)]
pub enum BackupActionError {
    #[error("the destination cannot be used: {0}")]
    Destination(String),
    #[error("another backup is running")]
    Busy,
    #[error("there is no backup")]
    NoBackup,
    #[error("there is no backup {0}")]
    UnknownName(String),
    #[error("the destination is encrypted, and no secret was given")]
    SecretMissing,
    #[error("the secret does not open the destination")]
    WrongSecret,
    #[error("the destination is not encrypted, but a secret was given")]
    NotEncrypted,
    #[error("the destination has the format {found}, and this program knows {known}")]
    NewerFormat { found: u32, known: u32 },
    #[error("the database has the schema {found}, and this program knows {known}")]
    NewerSchema { found: i64, known: i64 },
    #[error("the backup is of another engine")]
    OtherEngine,
    #[error("the destination has backups, but its head is missing")]
    HeadMissing,
    #[error("{path} is damaged: {cause:?}")]
    Damaged { path: String, cause: DamageCause },
    #[error("{0} is already there")]
    TargetExists(String),
    #[error("{0} holds another key")]
    OtherKey(String),
    #[error("cannot read or write {path}: {cause}")]
    File { path: String, cause: String },
    #[error("the program {0} is not installed")]
    ToolMissing(&'static str),
    #[error("{tool} failed: {cause}")]
    ToolFailed { tool: &'static str, cause: String },
    #[error("the attachments cannot be used: {0}")]
    Attachments(String),
    /// The key file is not the key of the database.
    #[error(transparent)]
    Key(vault::KeyError),
    #[error(transparent)]
    Open(#[from] storage::OpenError),
    #[error(transparent)]
    Storage(#[from] storage::Error),
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl BackupActionError {
    pub(crate) fn from_destination(error: StoreError) -> BackupActionError {
        BackupActionError::Destination(describe_error_chain(&error))
    }

    pub(crate) fn from_attachments(error: StoreError) -> BackupActionError {
        BackupActionError::Attachments(describe_error_chain(&error))
    }

    pub(crate) fn damaged(path: &str, cause: DamageCause) -> BackupActionError {
        BackupActionError::Damaged { path: path.to_owned(), cause }
    }
}
