//! The locks by which a server knows that it is alone on a database.

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

/// A lock that tells a server that a command imports beside it. Dropping it releases the lock.
pub struct ImportLock(#[allow(dead_code)] Option<std::fs::File>);

/// Locks the database for a command that imports; any number of commands may. Does nothing if several processes may serve
/// the database.
pub fn lock_for_import(address: &DatabaseAddress) -> Result<ImportLock, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => sqlite::share_import_lock(path).map(|file| ImportLock(Some(file))),
        DatabaseAddress::Postgres(_) => Ok(ImportLock(None)),
    }
}

/// Keeps commands from beginning to import until it is dropped. `None` if one of them imports, or if it cannot be known.
pub fn lock_out_imports(address: &DatabaseAddress) -> Result<Option<ImportLock>, OpenError> {
    match address {
        DatabaseAddress::Sqlite(path) => {
            Ok(sqlite::take_import_lock(path)?.map(|file| ImportLock(Some(file))))
        }
        DatabaseAddress::Postgres(_) => Ok(None),
    }
}
