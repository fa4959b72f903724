//! The locks beside a database file: one that only one server can hold, and one that commands share while they import.

use super::database_file::{append_extension, make_folder};
use crate::OpenError;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

/// Takes the lock that only one server can hold. Commands that run next to a server do not take it.
pub fn lock_database_file(path: &Path) -> Result<File, OpenError> {
    let unreachable = |cause| report_unreachable(path, cause);
    make_folder(path).map_err(unreachable)?;
    let file = File::create(append_extension(path, "lock")).map_err(unreachable)?;
    match try_lock(&file).map_err(unreachable)? {
        true => Ok(file),
        false => Err(OpenError::InUse(path.display().to_string())),
    }
}

/// Shares the lock of the commands that import. Waits while a server holds it, which is for a moment.
pub fn share_import_lock(path: &Path) -> Result<File, OpenError> {
    let unreachable = |cause| report_unreachable(path, cause);
    let file = open_import_lock(path).map_err(unreachable)?;
    file.lock_shared().map_err(unreachable)?;
    Ok(file)
}

/// Takes the lock of the commands that import, unless one of them holds it.
pub fn take_import_lock(path: &Path) -> Result<Option<File>, OpenError> {
    let unreachable = |cause| report_unreachable(path, cause);
    let file = open_import_lock(path).map_err(unreachable)?;
    let is_taken = try_lock(&file).map_err(unreachable)?;
    Ok(is_taken.then_some(file))
}

/// Opens it to read, for another user may have created it.
fn open_import_lock(path: &Path) -> std::io::Result<File> {
    let path = append_extension(path, "import");
    match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => File::create(path),
        opened => opened,
    }
}

/// `false` if another process holds the lock.
fn try_lock(file: &File) -> std::io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn report_unreachable(path: &Path, cause: std::io::Error) -> OpenError {
    OpenError::Unreachable { place: path.display().to_string(), cause: cause.to_string() }
}
