//! One connection, and how a statement runs on it.

use super::limit::Limit;
use crate::db::{Failure, Tx};
use crate::engine::texts::Texts;
use crate::engine::{Options, Session, dialect, refuse_nul};
use crate::row::{Column, Columns, Page};
use crate::{Cost, Error, Executed, Row, Statement, Value, ValueRef, Watch};
use domain::DatabaseFault;
use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags, StatementStatus, ffi};
use std::cell::{Cell, OnceCell};
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Reader,
    Writer,
    Checkpointer,
}

pub struct Connection {
    inner: rusqlite::Connection,
    known: Texts<Known>,
    limit: Limit,
    told: Option<Watch>,
    role: Role,
}

/// How many virtual-machine steps pass between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

impl Connection {
    pub fn open(path: &Path, role: Role, cache_mib: usize, options: &Options) -> Result<Connection, Error> {
        // A reader too opens for writing: it may have to make the shared-memory file of the log.
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let mut inner = rusqlite::Connection::open_with_flags(path, flags).map_err(|e| failure(&e).error)?;
        let limit = Limit::default();
        let prepare = |inner: &mut rusqlite::Connection| -> rusqlite::Result<()> {
            inner.busy_timeout(match role {
                Role::Checkpointer => super::checkpoint::PATIENCE,
                Role::Reader | Role::Writer => BUSY_TIMEOUT,
            })?;
            // Without it a cached statement is prepared anew at every run.
            inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
            inner.set_prepared_statement_cache_capacity(512);
            inner.pragma_update(None, "synchronous", "FULL")?;
            inner.pragma_update(None, "foreign_keys", true)?;
            inner.pragma_update(None, "temp_store", "MEMORY")?;
            inner.pragma_update(
                None,
                "cache_size",
                -i64::try_from(cache_mib.max(1) * 1024).unwrap_or(1024),
            )?;
            inner.pragma_update(None, "mmap_size", i64::try_from(options.mmap_mib << 20).unwrap_or(0))?;
            inner.pragma_update(None, "query_only", role == Role::Reader)?;
            if role == Role::Writer {
                // What is erased is overwritten. FAST would leave long texts, such as the bodies of mails, on pages that are
                // free; what ON costs more is one write for each such page, and deletions are few.
                inner.pragma_update(None, "secure_delete", true)?;
                // The checkpointer's thread moves the log back; here it would make somebody wait.
                inner.pragma_update(None, "wal_autocheckpoint", 0)?;
                inner.pragma_update(None, "journal_size_limit", 64 << 20)?;
            }
            let limit = limit.clone();
            inner.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || limit.is_past()))
        };
        prepare(&mut inner).map_err(|e| failure(&e).error)?;
        Ok(Connection { inner, known: Texts::default(), limit, told: options.watch.clone(), role })
    }

    /// After a commit, says how long the log is where that is worth a look. A full channel means that the
    /// checkpointer has not yet looked at the last one.
    pub fn tell_log_length(&mut self, log: crossbeam_channel::Sender<i64>) -> Result<(), Error> {
        let tell = move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            if i64::from(pages) >= super::checkpoint::MOVE_AT {
                let _ = log.try_send(pages.into());
            }
            Ok(())
        };
        self.inner.wal_hook(Some(tell)).map_err(|e| failure(&e).error)
    }

    /// Statements that run past this moment are interrupted.
    pub fn limit(&self, span: Duration) {
        self.limit.set(span);
    }

    /// Statements are interrupted at the first look at the clock: after about a millisecond of work.
    pub fn limit_to_first_look(&self) {
        self.limit.set_to_first_look();
    }

    pub fn all(&mut self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        self.run(statement, fetch, Vec::len)
    }

    pub fn execute(&mut self, statement: &Statement) -> Result<u64, Failure> {
        self.run(statement, touch, |touched| usize::try_from(*touched).unwrap_or(usize::MAX))
    }

    /// Prepares a statement and runs it, and tells whoever watches.
    fn run<T>(
        &mut self,
        statement: &Statement,
        act: impl Fn(&mut CachedStatement<'_>, &Known) -> Result<T, Failure>,
        rows: impl Fn(&T) -> usize,
    ) -> Result<T, Failure> {
        let Connection { inner, known, told, role, .. } = self;
        let (known, role) = (known.get(statement, Known::new), *role);
        let act = |prepared: &mut CachedStatement<'_>, known: &Known| {
            act(prepared, known).map_err(|failure| as_of(role, failure))
        };
        let Some(watch) = told else { return act(&mut prepare(inner, known, statement)?, known) };
        let begun = Instant::now();
        let mut prepared = prepare(inner, known, statement)?;
        // The counter is never set back: by it the database knows when to look at the clock.
        let before = prepared.get_status(StatementStatus::VmStep);
        let result = act(&mut prepared, known);
        let steps = prepared.get_status(StatementStatus::VmStep).wrapping_sub(before);
        let cost = Cost { took: begun.elapsed(), steps, rows: result.as_ref().map_or(0, rows) };
        watch.tell(&Executed { text: &known.text, values: statement.values(), cost });
        result
    }

    /// Runs a statement without parameters: BEGIN, SAVEPOINT and their like. None of them is ever interrupted: a
    /// BEGIN that was would leave its transaction open, a ROLLBACK would not roll back.
    pub fn control(&mut self, text: &'static str) -> Result<(), Failure> {
        self.limit.lift();
        let mut prepared = self.inner.prepare_cached(text).map_err(|e| failure(&e))?;
        prepared.raw_execute().map(drop).map_err(|e| failure(&e))
    }

    /// A statement is also interrupted once this is set.
    pub fn watch(&self, gone: Option<super::reader::Gone>) {
        self.limit.watch(gone);
    }

    /// Whether a transaction is open. After FULL or IOERR the database may have ended it by itself.
    pub fn in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    pub fn raw(&self) -> &rusqlite::Connection {
        &self.inner
    }
}

/// A connection that may only read refuses to write whatever the file allows: then it was our own statement that was wrong.
fn as_of(role: Role, failure: Failure) -> Failure {
    match failure.error {
        Error::DatabaseFault { fault: DatabaseFault::ReadOnly, cause } if role == Role::Reader => {
            Error::Broken(format!("a read that writes: {cause}")).into()
        }
        error => Failure { error, ..failure },
    }
}

/// What a connection knows about a text that it has run.
struct Known {
    /// Here `$1` would be a name, numbered by where it first stands; `?1` is a number.
    text: Box<str>,
    columns: OnceCell<Columns>,
    /// Of the last result, so that the next finds room at once.
    size: Cell<(usize, usize)>,
}

impl Known {
    fn new(text: &str) -> Known {
        let text = text.replace('$', "?");
        let text = dialect::names(&text, ["rowid", "n.rowid", matches_name(&text), ""]).unwrap_or(text);
        Known { text: text.into(), columns: OnceCell::new(), size: Cell::default() }
    }
}

/// An index of names is asked by its own name.
fn matches_name(text: &str) -> &'static str {
    if text.contains("name_index_leads") {
        "n.name_index_leads MATCH"
    } else if text.contains("name_index_dependents") {
        "n.name_index_dependents MATCH"
    } else {
        "n.name_index MATCH"
    }
}

/// The rows of a statement.
fn fetch(prepared: &mut CachedStatement<'_>, known: &Known) -> Result<Vec<Row>, Failure> {
    let columns = known.columns.get_or_init(|| prepared.column_names().map(Column::from).collect()).clone();
    let width = columns.len();
    let mut page = Page::new(columns, known.size.get());
    let mut cursor = prepared.raw_query();
    while let Some(row) = cursor.next().map_err(|e| failure(&e))? {
        for at in 0..width {
            page.push(value(row.get_ref(at).map_err(|e| failure(&e))?)?)?;
        }
    }
    known.size.set(page.size());
    Ok(page.rows())
}

/// How many rows a statement touched.
fn touch(prepared: &mut CachedStatement<'_>, _: &Known) -> Result<u64, Failure> {
    if prepared.column_count() > 0 {
        let mut cursor = prepared.raw_query();
        let mut rows = 0;
        while cursor.next().map_err(|e| failure(&e))?.is_some() {
            rows += 1;
        }
        return Ok(rows);
    }
    prepared.raw_execute().map(|touched| touched as u64).map_err(|e| failure(&e))
}

/// Prepares a statement, or finds it prepared, and gives it its values.
fn prepare<'c>(
    connection: &'c rusqlite::Connection,
    known: &Known,
    statement: &Statement,
) -> Result<CachedStatement<'c>, Failure> {
    refuse_nul(statement)?;
    let mut prepared = connection.prepare_cached(&known.text).map_err(|e| failure(&e))?;
    for (at, value) in statement.values().iter().enumerate() {
        let bound = match value {
            Value::Null => prepared.raw_bind_parameter(at + 1, rusqlite::types::Null),
            Value::Int(number) => prepared.raw_bind_parameter(at + 1, number),
            Value::Bool(flag) => prepared.raw_bind_parameter(at + 1, flag),
            Value::Text(text) => prepared.raw_bind_parameter(at + 1, text.as_str()),
            Value::Bytes(bytes) => prepared.raw_bind_parameter(at + 1, bytes.as_slice()),
        };
        bound.map_err(|e| failure(&e))?;
    }
    Ok(prepared)
}

fn value(value: rusqlite::types::ValueRef<'_>) -> Result<ValueRef<'_>, Failure> {
    use rusqlite::types::ValueRef as Found;
    Ok(match value {
        Found::Null => ValueRef::Null,
        Found::Integer(number) => ValueRef::Int(number),
        Found::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => ValueRef::Text(text),
            Err(_) => return Err(Error::Broken("a text column is not UTF-8".to_owned()).into()),
        },
        Found::Blob(bytes) => ValueRef::Bytes(bytes),
        Found::Real(_) => return Err(Error::Broken("a column holds a float".to_owned()).into()),
    })
}

pub fn failure(error: &rusqlite::Error) -> Failure {
    let text = error.to_string();
    let Some(extended) = error.sqlite_error().map(|told| told.extended_code) else {
        return Error::Broken(text).into();
    };
    let error = match (extended, extended & 0xFF) {
        (ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY, _) => Error::Conflict(text),
        (_, ffi::SQLITE_INTERRUPT) => Error::TooSlow,
        (_, ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_CANTOPEN | ffi::SQLITE_NOMEM) => {
            Error::Unavailable(text)
        }
        (_, code) => match fault(code) {
            Some(fault) => Error::DatabaseFault { fault, cause: text },
            None => Error::Broken(text),
        },
    };
    error.into()
}

/// What an operator must mend.
fn fault(code: i32) -> Option<DatabaseFault> {
    Some(match code {
        ffi::SQLITE_READONLY => DatabaseFault::ReadOnly,
        ffi::SQLITE_PERM => DatabaseFault::NoPermission,
        ffi::SQLITE_FULL => DatabaseFault::DiskFull,
        ffi::SQLITE_IOERR => DatabaseFault::DiskError,
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => DatabaseFault::Damaged,
        _ => return None,
    })
}

/// Runs a statement without parameters in a session known to be of this engine.
pub fn control(tx: &mut Tx, text: &'static str) -> Result<(), Error> {
    let Session::Sqlite(connection) = tx.session() else {
        return Err(Error::Broken("a session of another engine".to_owned()));
    };
    connection.control(text).map_err(|failure| failure.error)
}

pub fn limit(tx: &mut Tx, span: Duration) {
    if let Session::Sqlite(connection) = tx.session() {
        connection.limit(span);
    }
}

pub fn in_transaction(tx: &mut Tx) -> bool {
    matches!(tx.session(), Session::Sqlite(connection) if connection.in_transaction())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql;

    /// The database looks at the clock after so many steps of a cached statement, however many runs they took.
    #[test]
    fn a_begin_and_a_rollback_are_never_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        crate::engine::sqlite::migrate(&path, crate::Schema::Migrate).unwrap();
        let mut connection = Connection::open(&path, Role::Writer, 1, &Options::default()).unwrap();
        for _ in 0..15_000 {
            connection.limit(Duration::ZERO);
            connection.control("BEGIN IMMEDIATE").ok().unwrap();
            connection.limit(Duration::ZERO);
            connection.control("ROLLBACK").ok().unwrap();
            assert!(!connection.in_transaction());
        }
    }

    #[test]
    fn a_cached_statement_is_never_prepared_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        crate::engine::sqlite::migrate(&path, crate::Schema::Migrate).unwrap();
        let mut connection = Connection::open(&path, Role::Writer, 1, &Options::default()).unwrap();
        for number in 0..100 {
            let insert =
                sql("INSERT INTO settings (name, value) VALUES ($1, $2)").arg(number.to_string()).arg("x");
            connection.execute(&insert).ok().unwrap();
            let select = sql("SELECT value FROM settings WHERE name = $1").arg(number.to_string());
            assert_eq!(connection.all(&select).ok().unwrap().len(), 1);
        }
        for text in [
            "INSERT INTO settings (name, value) VALUES (?1, ?2)",
            "SELECT value FROM settings WHERE name = ?1",
        ] {
            let statement = connection.inner.prepare_cached(text).unwrap();
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{text}");
            assert!(
                statement.get_status(StatementStatus::Run) >= 100,
                "the cached statement is the one that ran"
            );
        }
    }
}
