//! The lock that keeps a second server off a database.

use super::address::DatabaseAddress;
use super::sqlite;
use crate::OpenError;

/// A lock that keeps a second server off a database that only one process may serve. Dropping it releases the lock.
pub struct ServerLock(#[allow(dead_code)] Option<std::fs::File>);

/// Locks the database for a server. Does nothing if several processes may serve the database.
pub fn lock_for_server(address: &DatabaseAddress) -> Result<ServerLock, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => sqlite::lock_database_file(path).map(|file| ServerLock(Some(file))),
        DatabaseAddress::Postgres(_) => Ok(ServerLock(None)),
    }
}
