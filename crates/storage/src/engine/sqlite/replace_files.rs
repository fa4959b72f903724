//! Puts a restored database in the place of another, in steps that an interruption at any point does not spoil.
//!
//! A note beside the database says that its files are being replaced, and under which ending the old ones are set
//! aside. While it is there the database does not open: a start would take the place for an empty one, and throw
//! the log of the old database away. Repeating the restore continues with the same ending.

use super::database_file::{append_extension, build_activity_path, make_file, make_folder};
use super::lock_wait::{WAIT_WHILE_OPENING, wait_for_locks};
use crate::OpenError;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The restored files, still under names of their own.
pub struct RestoredFiles {
    pub database: PathBuf,
    pub activity: Option<PathBuf>,
}

/// Where the files of a restore are written before they take their place: on the same disk, under a name of their own.
pub fn build_staging_path(path: &Path, ending: &str) -> io::Result<PathBuf> {
    make_folder(path)?;
    Ok(append_extension(path, &format!("restoring{ending}")))
}

fn build_note_path(path: &Path) -> PathBuf {
    append_extension(path, "replacing")
}

/// Refuses to open a database whose replacement was interrupted, or a log without its database.
pub(super) fn check_replacement(path: &Path) -> Result<(), OpenError> {
    let is_log_alone = || {
        let log = std::fs::metadata(append_suffix(path, "-wal"));
        !path.exists() && log.is_ok_and(|log| log.len() > 0)
    };
    if build_note_path(path).exists() || is_log_alone() {
        return Err(OpenError::ReplacementUnfinished(path.display().to_string()));
    }
    Ok(())
}

/// Moves the files of the old database aside, under a name with this ending, and the restored ones into their place.
/// The log of the old database never stands beside the new one, and neither does its mark, so that the next start
/// notices the restore.
pub fn replace_database(path: &Path, restored: &RestoredFiles, ending: &str) -> io::Result<Vec<PathBuf>> {
    let ending = write_note(path, ending)?;
    for file in [path, &build_activity_path(path)] {
        fold_log(file);
    }
    let mut moved = Vec::new();
    for step in list_moves(path, &ending) {
        if step.from.exists() {
            std::fs::rename(&step.from, &step.to)?;
        }
        if step.to.exists() {
            moved.push(step.to);
        }
    }
    match std::fs::remove_file(append_extension(path, "mark")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // First the activity: a database without its file of activity begins a new one.
    if let Some(file) = &restored.activity {
        std::fs::rename(file, build_activity_path(path))?;
    }
    std::fs::rename(&restored.database, path)?;
    sync_folder(path)?;
    std::fs::remove_file(build_note_path(path))?;
    sync_folder(path)?;
    Ok(moved)
}

/// Writes the note durably; returns the ending of an earlier one.
fn write_note(path: &Path, ending: &str) -> io::Result<String> {
    let note = build_note_path(path);
    if let Ok(text) = std::fs::read_to_string(&note)
        && !text.is_empty()
    {
        return Ok(text);
    }
    let unfinished = append_extension(path, "replacing.tmp");
    make_file(&unfinished)?;
    std::fs::write(&unfinished, ending)?;
    File::open(&unfinished)?.sync_all()?;
    std::fs::rename(&unfinished, &note)?;
    sync_folder(path)?;
    Ok(ending.to_owned())
}

/// Moves what the log holds into the old database, if that still opens; otherwise both are set aside as they are.
fn fold_log(path: &Path) {
    let fold = || -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut old = Connection::open_with_flags(path, flags)?;
        wait_for_locks(&mut old, WAIT_WHILE_OPENING)?;
        old.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    if path.exists()
        && let Err(error) = fold()
    {
        tracing::warn!(%error, "the log of the old database stays beside it");
    }
}

struct FileMove {
    from: PathBuf,
    to: PathBuf,
}

/// The logs move before their databases, so that no start finds a database without its log.
fn list_moves(path: &Path, ending: &str) -> Vec<FileMove> {
    let activity = build_activity_path(path);
    let mut moves = Vec::new();
    for file in [path, activity.as_path()] {
        let aside = append_extension(file, ending);
        for suffix in ["-wal", "-shm", ""] {
            moves.push(FileMove { from: append_suffix(file, suffix), to: append_suffix(&aside, suffix) });
        }
    }
    moves
}

fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SchemaPolicy;
    use crate::engine::sqlite::migrate_database;

    /// A database with this value in it, as a killed process leaves it: in the log.
    fn leave_database(path: &Path, value: &str) {
        let folder = tempfile::tempdir().unwrap();
        let written = folder.path().join("amparo.db");
        migrate_database(&written, SchemaPolicy::Migrate).unwrap();
        let connection = Connection::open(&written).unwrap();
        connection.execute("INSERT INTO settings (name, value) VALUES (?1, '')", [value]).unwrap();
        for suffix in ["", "-wal"] {
            std::fs::copy(append_suffix(&written, suffix), append_suffix(path, suffix)).unwrap();
        }
    }

    fn has_value(path: &Path, value: &str) -> bool {
        let connection = Connection::open(path).unwrap();
        connection
            .query_row("SELECT count(*) FROM settings WHERE name = ?1", [value], |row| row.get(0))
            .unwrap()
    }

    /// Interrupted after each of its steps, the database does not open, and repeating it ends well: nothing of the old
    /// database is lost, and nothing of it meets the new one.
    #[test]
    fn a_replacement_that_is_interrupted_anywhere_is_refused_and_then_repeated() {
        for done in 0..=6 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("amparo.db");
            let restored =
                RestoredFiles { database: folder.path().join("amparo.db.restoring"), activity: None };
            leave_database(&restored.database, "new");
            fold_log(&restored.database);
            leave_database(&path, "old");
            assert!(std::fs::metadata(append_suffix(&path, "-wal")).unwrap().len() > 0);
            assert_eq!(write_note(&path, "before").unwrap(), "before");
            for step in list_moves(&path, "before").into_iter().take(done) {
                let _ = std::fs::rename(step.from, step.to);
            }
            let refused = migrate_database(&path, SchemaPolicy::Migrate);
            assert!(matches!(refused, Err(OpenError::ReplacementUnfinished(_))), "{done}: {refused:?}");
            let moved = replace_database(&path, &restored, "another").unwrap();
            let aside = folder.path().join("amparo.db.before");
            assert!(moved.contains(&aside), "{done}: {moved:?}");
            migrate_database(&path, SchemaPolicy::Migrate).unwrap();
            assert!(has_value(&path, "new") && !has_value(&path, "old"), "{done}");
            assert!(has_value(&aside, "old") && !has_value(&aside, "new"), "{done}");
        }
    }

    #[test]
    fn a_log_without_its_database_is_not_thrown_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        std::fs::write(append_suffix(&path, "-wal"), b"what was answered last").unwrap();
        let refused = migrate_database(&path, SchemaPolicy::Migrate);
        assert!(matches!(refused, Err(OpenError::ReplacementUnfinished(_))), "{refused:?}");
        assert!(append_suffix(&path, "-wal").exists());
    }
}
