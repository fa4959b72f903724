//! Reasons why a database refuses to work although this server is healthy; the operator has to fix them.

/// What prevents a database from storing, or this server from showing personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFault {
    /// Read-only: a standby, a demoted server, a file system mounted read-only.
    ReadOnly,
    /// The server's database user lacks a permission.
    NoPermission,
    DiskFull,
    /// The disk, or the connection to it, reports errors.
    DiskError,
    /// Stored data can no longer be read.
    Damaged,
    /// Writes are not confirmed in time.
    NoAnswer,
    /// Accesses to personal data cannot be logged, so none is shown.
    NoAccessLog,
}

impl DatabaseFault {
    /// Whether the fault may affect a single table or page, so that a successful write elsewhere does not disprove it.
    pub const fn is_partial(self) -> bool {
        matches!(self, DatabaseFault::NoPermission | DatabaseFault::Damaged)
    }
}
