//! Copies a database file as it is at one moment, page by page, while others write to it.

use super::lock_wait::{WAIT_WHILE_OPENING, wait_for_locks};
use super::migrate::list_applied_migrations;
use crate::migrations;
use rusqlite::{Connection, OpenFlags};
use std::io;
use std::path::Path;

/// Gives every page of the file to `take_page`, all of one moment: the pages of one read transaction, those in the log
/// included. Writers go on; their log grows meanwhile. Returns the schema version of that moment.
pub fn copy_snapshot(path: &Path, take_page: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<i64> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(io::Error::other)?;
    wait_for_locks(&mut connection, WAIT_WHILE_OPENING).map_err(io::Error::other)?;
    let snapshot = connection.transaction().map_err(io::Error::other)?;
    let applied = list_applied_migrations(&snapshot).map_err(io::Error::other)?;
    let mut pages =
        snapshot.prepare("SELECT data FROM sqlite_dbpage ORDER BY pgno").map_err(io::Error::other)?;
    let mut rows = pages.query([]).map_err(io::Error::other)?;
    while let Some(row) = rows.next().map_err(io::Error::other)? {
        let page = row.get_ref(0).map_err(io::Error::other)?;
        take_page(page.as_blob().map_err(io::Error::other)?)?;
    }
    Ok(applied.last().map_or(0, |newest| newest.version))
}

/// Checks a copied file: that it is whole, and its schema one that this program can open or migrate. Returns its
/// version.
pub fn check_copy(path: &Path) -> Result<i64, crate::OpenError> {
    let unreachable =
        |cause: String| crate::OpenError::Unreachable { place: path.display().to_string(), cause };
    let check = || -> rusqlite::Result<(String, Vec<migrations::AppliedMigration>)> {
        let copy = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let verdict = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        Ok((verdict, list_applied_migrations(&copy)?))
    };
    let (verdict, applied) = check().map_err(|error| unreachable(error.to_string()))?;
    if verdict != "ok" {
        return Err(unreachable(format!("database disk image is malformed: {verdict}")));
    }
    Ok(applied.last().map_or(0, |newest| newest.version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SchemaPolicy;
    use crate::engine::sqlite::migrate_database;

    /// A writer that never pauses neither stops the copy nor gets into it: the copy is of one moment.
    #[test]
    fn a_copy_is_of_one_moment_although_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("amparo.db"), folder.path().join("copy.db"));
        migrate_database(&path, SchemaPolicy::Migrate).unwrap();
        let writer = Connection::open(&path).unwrap();
        wait_for_locks(&mut Connection::open(&path).unwrap(), WAIT_WHILE_OPENING).unwrap();
        writer.execute_batch("CREATE TABLE a (n INTEGER); CREATE TABLE b (n INTEGER, filler BLOB)").unwrap();
        // Both tables always have the same number of rows.
        let write = |number: i64| {
            let both = format!(
                "BEGIN; INSERT INTO a VALUES ({number}); INSERT INTO b VALUES ({number}, randomblob(3000)); COMMIT"
            );
            writer.execute_batch(&both).unwrap();
        };
        (0..200).for_each(write);
        let (mut bytes, mut pages) = (Vec::new(), 0);
        let schema = copy_snapshot(&path, &mut |page| {
            bytes.extend_from_slice(page);
            pages += 1;
            write(1_000 + pages);
            Ok(())
        });
        assert_eq!(schema.unwrap(), migrations::find_newest_version());
        std::fs::write(&copy, bytes).unwrap();
        assert_eq!(check_copy(&copy).unwrap(), migrations::find_newest_version());
        let copied = Connection::open(&copy).unwrap();
        let count = |table: &str| -> i64 {
            copied.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("a"), count("b")), (200, 200));
    }

    #[test]
    fn a_damaged_copy_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        migrate_database(&path, SchemaPolicy::Migrate).unwrap();
        let mut bytes = Vec::new();
        copy_snapshot(&path, &mut |page| {
            bytes.extend_from_slice(page);
            Ok(())
        })
        .unwrap();
        let copy = folder.path().join("copy.db");
        let middle = bytes.len() / 8192 * 4096;
        bytes[middle..middle + 4096].fill(0x55);
        std::fs::write(&copy, &bytes).unwrap();
        assert!(check_copy(&copy).is_err());
    }
}
