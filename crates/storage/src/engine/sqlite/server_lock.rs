//! The lock that only one server can hold on a database file.

use super::database_file::{append_extension, make_folder};
use crate::OpenError;
use std::fs::File;
use std::path::Path;

/// Takes the lock that only one server can hold. Commands that run next to a server do not take it.
pub fn lock_database_file(path: &Path) -> Result<File, OpenError> {
    let unreachable = |cause: std::io::Error| OpenError::Unreachable {
        place: path.display().to_string(),
        cause: cause.to_string(),
    };
    make_folder(path).map_err(unreachable)?;
    let file = File::create(append_extension(path, "lock")).map_err(unreachable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(OpenError::InUse(path.display().to_string())),
        Err(std::fs::TryLockError::Error(error)) => Err(unreachable(error)),
    }
}
