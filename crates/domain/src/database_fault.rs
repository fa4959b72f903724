//! Why a database refuses its work although this server is sound: what the operator has to mend.

/// What keeps a database from storing anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFault {
    /// It takes no writes: a standby, a server that was demoted, a file system mounted read-only.
    ReadOnly,
    /// This server's user may not do what it has to do.
    NoPermission,
    DiskFull,
    /// The disk, or the way to it, reports errors.
    DiskError,
    /// What is stored can no longer be read as it was written.
    Damaged,
    /// It confirms no write in time.
    NoAnswer,
}

impl DatabaseFault {
    /// Whether it may concern one table or one page alone, so that a successful write elsewhere does not disprove it.
    pub const fn is_partial(self) -> bool {
        matches!(self, DatabaseFault::NoPermission | DatabaseFault::Damaged)
    }
}
