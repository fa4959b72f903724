//! The file of activity beside a database file (`amparo.db.activity`): who looked at whom, and heartbeats. Every commit
//! makes all readers of its file drop their caches, so what is written although nobody changes anything has a file of
//! its own. Reasons: docs/adr/0018-activity-file.md.
//!
//! The settings of the database name the identity of its file. Preparing it is safe to repeat after an interruption at
//! any point: first the name, then the file, then the rows, each deleted only after its copy is stored.

use super::database_file::{build_activity_path, make_file};
use super::lock_wait::{WAIT_WHILE_OPENING, wait_for_locks};
use super::migrate::{apply_migration, list_applied_migrations};
use crate::OpenError;
use crate::engine::SchemaPolicy;
use crate::migrations::{ACTIVITY_MIGRATIONS, check_known_migrations};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};

/// Rows moved in one transaction.
const ROWS_PER_MOVE: i64 = 2_000;

/// Prepares the file of activity of a database file. `None` if the activity is still in the database itself: only a
/// server moves it.
pub fn prepare_activity_file(path: &Path, schema: SchemaPolicy) -> Result<Option<PathBuf>, OpenError> {
    let activity_path = build_activity_path(path);
    let unreachable = |cause: String| OpenError::Unreachable { place: describe_place(&activity_path), cause };
    let mut database =
        open_connection(path, OpenFlags::empty()).map_err(|error| unreachable(error.to_string()))?;
    let stored = find_identity(&database).map_err(|error| unreachable(error.to_string()))?;
    let is_known = stored.is_some();
    let identity = match stored {
        Some(identity) => identity,
        None if schema != SchemaPolicy::Migrate => return Ok(None),
        None if read_identity_of_file(&activity_path).is_some() => {
            return Err(unreachable(
                "it belongs to another database; move it away and start again".to_owned(),
            ));
        }
        None => create_identity(&mut database).map_err(|error| unreachable(error.to_string()))?,
    };
    if schema == SchemaPolicy::Inspect {
        return match read_identity_of_file(&activity_path) {
            Some(found) if found == identity => Ok(Some(activity_path)),
            Some(_) => Err(unreachable("it belongs to another database".to_owned())),
            None => Err(OpenError::Absent(describe_place(&activity_path))),
        };
    }
    let is_lost = is_known && !activity_path.exists();
    let mut activity = create_file(&activity_path, &database, &identity)?;
    if is_lost {
        tracing::warn!(file = %activity_path.display(), "the file of activity was missing: the access log begins again");
    }
    if schema == SchemaPolicy::Migrate {
        move_accesses(&mut database, &mut activity).map_err(|error| unreachable(error.to_string()))?;
    }
    Ok(Some(activity_path))
}

fn describe_place(path: &Path) -> String {
    path.display().to_string()
}

fn open_connection(path: &Path, also: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | also;
    let mut connection = Connection::open_with_flags(path, flags)?;
    wait_for_locks(&mut connection, WAIT_WHILE_OPENING)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// The identity that the database gives its file of activity.
fn find_identity(database: &Connection) -> rusqlite::Result<Option<String>> {
    let has_settings = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'settings'";
    if database.query_row(has_settings, [], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    let stored = "SELECT value FROM settings WHERE name = 'activity_file'";
    database.query_row(stored, [], |row| row.get(0)).optional()
}

/// Of two processes that start at once, the first names the identity.
fn create_identity(database: &mut Connection) -> rusqlite::Result<String> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "INSERT INTO settings (name, value) VALUES ('activity_file', lower(hex(randomblob(16)))) ON CONFLICT DO NOTHING",
        [],
    )?;
    let identity =
        transaction
            .query_row("SELECT value FROM settings WHERE name = 'activity_file'", [], |row| row.get(0))?;
    transaction.commit()?;
    Ok(identity)
}

/// The identity in an existing file; `None` if there is no file, or none that was ever finished.
fn read_identity_of_file(path: &Path) -> Option<String> {
    if !path.exists() {
        return None;
    }
    let file = open_connection(path, OpenFlags::empty()).ok()?;
    file.query_row("SELECT value FROM identity", [], |row| row.get(0)).optional().ok().flatten()
}

/// Opens the file, with the newest schema and the identity of its database.
fn create_file(path: &Path, database: &Connection, identity: &str) -> Result<Connection, OpenError> {
    let unreachable = |cause: String| OpenError::Unreachable { place: describe_place(path), cause };
    make_file(path).map_err(|error| unreachable(error.to_string()))?;
    let prepare = || -> rusqlite::Result<Connection> {
        let file = open_connection(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        file.pragma_update(None, "journal_mode", "WAL")?;
        Ok(file)
    };
    let mut file = prepare().map_err(|error| unreachable(error.to_string()))?;
    let applied = list_applied_migrations(&file).map_err(|error| unreachable(error.to_string()))?;
    let version = check_known_migrations(&applied, ACTIVITY_MIGRATIONS)?;
    for migration in ACTIVITY_MIGRATIONS.iter().filter(|migration| migration.version > version) {
        apply_migration(&mut file, migration)
            .map_err(|error| OpenError::Migration { version: migration.version, cause: error.to_string() })?;
    }
    let found =
        enter_identity(&mut file, database, identity).map_err(|error| unreachable(error.to_string()))?;
    if found != identity {
        return Err(unreachable("it belongs to another database; move it away and start again".to_owned()));
    }
    Ok(file)
}

/// Writes the identity into a new file, with the numbers from which accesses count on, so that cursors given out before
/// still hold; returns the identity of the file.
fn enter_identity(file: &mut Connection, database: &Connection, identity: &str) -> rusqlite::Result<String> {
    let transaction = file.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: Option<String> =
        transaction.query_row("SELECT value FROM identity", [], |row| row.get(0)).optional()?;
    if let Some(found) = found {
        return Ok(found);
    }
    advance_counters(&transaction, database)?;
    transaction.execute("INSERT INTO identity (value) VALUES (?1)", [identity])?;
    transaction.commit()?;
    Ok(identity.to_owned())
}

/// Makes accesses count on from where the audit and the accesses of the database are, if they are further.
fn advance_counters(activity: &Transaction<'_>, database: &Connection) -> rusqlite::Result<()> {
    let mut counters = database.prepare(
        "SELECT tenant, max(last) FROM counters WHERE kind IN ('audit', 'access') GROUP BY tenant",
    )?;
    let mut rows = counters.query([])?;
    while let Some(row) = rows.next()? {
        let counter: (i64, i64) = (row.get(0)?, row.get(1)?);
        activity.execute(
            "INSERT INTO counters (tenant, kind, last) VALUES (?1, 'access', ?2)
             ON CONFLICT (tenant, kind) DO UPDATE SET last = max(counters.last, excluded.last)",
            counter,
        )?;
    }
    Ok(())
}

/// A row of `sightings`.
#[derive(PartialEq)]
struct AccessRow {
    tenant: i64,
    code: i64,
    /// Block, time, user, operation, people and address.
    content: (i64, i64, Option<i64>, String, Vec<u8>, Option<String>),
}

const ACCESS_COLUMNS: &str = "tenant, code, block, happened_at, user_code, operation, people, address";

fn parse_access(row: &rusqlite::Row<'_>) -> rusqlite::Result<AccessRow> {
    Ok(AccessRow {
        tenant: row.get(0)?,
        code: row.get(1)?,
        content: (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?),
    })
}

/// Moves the accesses in the database to the file: those of earlier versions, or of a command that ran before the first
/// server.
fn move_accesses(database: &mut Connection, activity: &mut Connection) -> rusqlite::Result<()> {
    loop {
        let select =
            format!("SELECT {ACCESS_COLUMNS} FROM sightings ORDER BY tenant, code LIMIT {ROWS_PER_MOVE}");
        let rows: Vec<AccessRow> =
            database.prepare(&select)?.query_map([], parse_access)?.collect::<rusqlite::Result<_>>()?;
        if rows.is_empty() {
            return Ok(());
        }
        let copy = activity.transaction_with_behavior(TransactionBehavior::Immediate)?;
        advance_counters(&copy, database)?;
        for row in &rows {
            copy_access(&copy, row)?;
        }
        copy.commit()?;
        let deletion = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for row in &rows {
            deletion
                .execute("DELETE FROM sightings WHERE tenant = ?1 AND code = ?2", (row.tenant, row.code))?;
        }
        deletion.commit()?;
    }
}

/// Copies a row under its code, or under the next one if another access has that code: an earlier version counted on
/// by itself.
fn copy_access(activity: &Transaction<'_>, row: &AccessRow) -> rusqlite::Result<()> {
    let present = format!("SELECT {ACCESS_COLUMNS} FROM sightings WHERE tenant = ?1 AND code = ?2");
    let present = activity.query_row(&present, (row.tenant, row.code), parse_access).optional()?;
    let code = match present {
        None => row.code,
        Some(present) if present == *row => return Ok(()),
        Some(_) => activity.query_row(
            "UPDATE counters SET last = last + 1 WHERE tenant = ?1 AND kind = 'access' RETURNING last",
            [row.tenant],
            |row| row.get(0),
        )?,
    };
    let (block, at, user, operation, people, address) = &row.content;
    let insert = format!("INSERT INTO sightings ({ACCESS_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    activity.execute(&insert, (row.tenant, code, block, at, user, operation, people, address)).map(drop)
}
