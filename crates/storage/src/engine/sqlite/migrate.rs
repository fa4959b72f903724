//! Migrates a database file to the newest schema, after making a backup.

use super::database_file::{append_extension, make_file, make_folder};
use super::lock_wait::{WAIT_WHILE_OPENING, wait_for_locks};
use super::replace_files::check_replacement;
use crate::engine::{SchemaPolicy, check_schema, dialect};
use crate::migrations::{self, AppliedMigration, NameIndexUpdate, SchemaMigration, SchemaUpgrade};
use crate::name_index;
use crate::{Error, OpenError};
use domain::{BranchCode, TenantId, split_name_words};
use rusqlite::{OpenFlags, OptionalExtension, TransactionBehavior};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub fn migrate_database(path: &Path, schema: SchemaPolicy) -> Result<SchemaUpgrade, OpenError> {
    check_replacement(path)?;
    let place = path.display().to_string();
    if schema == SchemaPolicy::Inspect && !path.exists() {
        return Err(OpenError::Absent(place));
    }
    let unreachable = |cause: String| OpenError::Unreachable { place: place.clone(), cause };
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if schema != SchemaPolicy::Inspect {
        make_folder(path).and_then(|()| make_file(path)).map_err(|error| unreachable(error.to_string()))?;
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let mut connection =
        rusqlite::Connection::open_with_flags(path, flags).map_err(|error| unreachable(error.to_string()))?;
    let applied = prepare_file(&mut connection, schema).map_err(|error| unreachable(error.to_string()))?;
    let current_version = check_schema(&applied, schema)?;
    let to = migrations::find_newest_version();
    if current_version == to || schema == SchemaPolicy::Inspect {
        return Ok(SchemaUpgrade { from: current_version, to: current_version, copy: None });
    }
    let copy = if current_version > 0 {
        Some(copy_before_migration(&connection, path, current_version)?)
    } else {
        None
    };
    for migration in migrations::list_migrations_after(current_version) {
        apply_migration(&mut connection, migration)
            .map_err(|error| OpenError::Migration { version: migration.version, cause: error.to_string() })?;
    }
    Ok(SchemaUpgrade { from: current_version, to, copy })
}

/// Enables concurrent readers with one writer, and reads the applied migrations.
fn prepare_file(
    connection: &mut rusqlite::Connection,
    schema: SchemaPolicy,
) -> rusqlite::Result<Vec<AppliedMigration>> {
    wait_for_locks(connection, WAIT_WHILE_OPENING)?;
    if schema != SchemaPolicy::Inspect {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
    }
    list_applied_migrations(connection)
}

pub(super) fn list_applied_migrations(
    connection: &rusqlite::Connection,
) -> rusqlite::Result<Vec<AppliedMigration>> {
    let existing_table: Option<i64> = connection
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'", [], |row| {
            row.get(0)
        })
        .optional()?;
    if existing_table.is_none() {
        return Ok(Vec::new());
    }
    let mut read = connection.prepare("SELECT version, checksum FROM migrations ORDER BY version")?;
    let rows =
        read.query_map([], |row| Ok(AppliedMigration { version: row.get(0)?, checksum: row.get(1)? }))?;
    rows.collect()
}

/// Each migration is one transaction; a process that waited for another finds it applied.
pub(super) fn apply_migration(
    connection: &mut rusqlite::Connection,
    migration: &SchemaMigration,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if list_applied_migrations(&transaction)?.iter().any(|done| done.version == migration.version) {
        return Ok(());
    }
    for statement in translate_migration(migration.text) {
        transaction.execute_batch(&statement)?;
    }
    match migration.names {
        NameIndexUpdate::Skip => {}
        NameIndexUpdate::FillIndex => index_names(&transaction)?,
        NameIndexUpdate::FillVocabulary => index_name_words(&transaction)?,
    }
    super::planner::write_planner_statistics(&transaction)?;
    transaction.execute(
        "INSERT INTO migrations (version, name, checksum) VALUES (?1, ?2, ?3)",
        (migration.version, migration.name, migration.checksum()),
    )?;
    transaction.commit()
}

fn index_names(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    let mut read = connection.prepare(
        "SELECT l.tenant, l.slot, l.branch, p.name FROM listing l
         JOIN people p ON p.tenant = l.tenant AND p.code = l.person ORDER BY l.tenant, l.slot",
    )?;
    let mut write = connection.prepare("INSERT INTO name_index (rowid, words) VALUES (?1, ?2)")?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let (tenant, slot) = (TenantId::new(row.get(0)?), row.get(1)?);
        let (branch, name): (i32, String) = (row.get(2)?, row.get(3)?);
        let words = name_index::build_index_words(tenant, BranchCode::new(branch), &name);
        write.execute((name_index::build_index_key(tenant, slot), words))?;
    }
    Ok(())
}

fn index_name_words(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    let mut read = connection.prepare("SELECT tenant, name FROM people ORDER BY tenant")?;
    let mut write =
        connection.prepare("INSERT INTO name_words (tenant, word) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    let (mut tenant, mut known) = (0, HashSet::new());
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let (row_tenant, name): (i64, String) = (row.get(0)?, row.get(1)?);
        if row_tenant != tenant {
            (tenant, known) = (row_tenant, HashSet::new());
        }
        for word in split_name_words(&name) {
            if !known.contains(&word) {
                write.execute((tenant, &word))?;
                known.insert(word);
            }
        }
    }
    Ok(())
}

/// STRICT tables know neither BIGINT nor BOOLEAN; CLUSTERED becomes WITHOUT ROWID.
fn translate_migration(text: &str) -> Vec<String> {
    let words = dialect::replace_words(text, |word| match word {
        "BIGINT" | "BOOLEAN" => Some("INTEGER"),
        "BYTEA" => Some("BLOB"),
        "CLUSTERED" => Some("STRICT, WITHOUT ROWID"),
        _ => None,
    });
    let translate = |statement: &str| {
        let is_table = statement.starts_with("CREATE TABLE");
        if let Some(name) = statement.strip_prefix("CREATE NAME_INDEX ") {
            format!("CREATE VIRTUAL TABLE {name} {NAME_INDEX}")
        } else if let Some(table) = statement.strip_prefix("FORBID CHANGES ON ") {
            build_change_guards(table)
        } else if is_table && statement.ends_with(')') {
            format!("{statement} STRICT")
        } else {
            statement.to_owned()
        }
    };
    dialect::split_statements(&words).map(translate).collect()
}

/// Triggers that refuse to change or delete the rows of a table. Only a restore that was given up deletes its rows.
fn build_change_guards(table: &str) -> String {
    let abort = format!("BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or deleted'); END;");
    format!(
        "CREATE TRIGGER {table}_update BEFORE UPDATE ON {table} {abort}
         CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} WHEN NOT ({UNFINISHED_RESTORE}) {abort}"
    )
}

const UNFINISHED_RESTORE: &str = "EXISTS (SELECT 1 FROM settings WHERE name = 'bringing')
    AND EXISTS (SELECT 1 FROM tenants WHERE tenant = OLD.tenant AND NOT active)";

/// Stores only which row has which word: neither texts nor positions.
const NAME_INDEX: &str = "USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')";

/// A full copy of the database before the migration, next to it: `amparo.db.v3`.
fn copy_before_migration(
    connection: &rusqlite::Connection,
    path: &Path,
    version: i64,
) -> Result<PathBuf, OpenError> {
    let failed = OpenError::Copy;
    let copy = append_extension(path, &format!("v{version}"));
    let unfinished = append_extension(path, &format!("v{version}.tmp"));
    let _ = std::fs::remove_file(&unfinished);
    // The copy goes into an empty file that only its owner can read; one created by SQLite would have default
    // permissions.
    make_file(&unfinished).map_err(|error| failed(error.to_string()))?;
    connection
        .execute("VACUUM INTO ?1", [unfinished.to_string_lossy()])
        .map_err(|error| failed(error.to_string()))?;
    std::fs::rename(&unfinished, &copy).map_err(|error| failed(error.to_string()))?;
    Ok(copy)
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        super::connection::classify_failure(&error).error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_before_a_migration_is_whole_and_replaces_an_unfinished_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        migrate_database(&path, SchemaPolicy::Migrate).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute("INSERT INTO settings (name, value) VALUES ('a', 'b')", []).unwrap();
        std::fs::write(append_extension(&path, "v1.tmp"), "left by a process that was killed").unwrap();
        let copy = copy_before_migration(&connection, &path, 1).unwrap();
        assert_eq!(copy, folder.path().join("amparo.db.v1"));
        assert!(!append_extension(&path, "v1.tmp").exists());
        let copied = rusqlite::Connection::open(&copy).unwrap();
        let value: String =
            copied.query_row("SELECT value FROM settings WHERE name = 'a'", [], |r| r.get(0)).unwrap();
        assert_eq!(value, "b");
        assert_eq!(list_applied_migrations(&copied).unwrap().len(), migrations::MIGRATIONS.len());
    }
}
