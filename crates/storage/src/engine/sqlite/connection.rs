//! One connection, and how a statement runs on it.

use super::limit::StatementDeadline;
use super::lock_wait::{choose_lock_wait, wait_for_locks};
use crate::engine::statement_texts::StatementTextCache;
use crate::engine::{DatabaseOptions, TransactionSession, dialect, refuse_nul_text};
use crate::executor::db::{StatementFailure, Tx};
use crate::executor::row::{ResultBuffer, ResultColumn, SharedColumns};
use crate::{
    Error, ExecutedStatement, Row, SqlScalar, SqlScalarRef, Statement, StatementCost, StatementWatch,
};
use domain::DatabaseFault;
use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, OpenFlags, StatementStatus, ffi};
use std::cell::{Cell, OnceCell};
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionPurpose {
    Reader,
    Writer,
    Checkpointer,
}

pub struct EmbeddedConnection {
    inner: rusqlite::Connection,
    known_statements: StatementTextCache<KnownStatement>,
    limit: StatementDeadline,
    watch: Option<StatementWatch>,
    role: ConnectionPurpose,
}

/// Virtual machine steps between two checks of the clock.
const STEPS_BETWEEN_LOOKS: i32 = 20_000;

impl EmbeddedConnection {
    pub fn open(
        path: &Path,
        role: ConnectionPurpose,
        options: &DatabaseOptions,
    ) -> Result<EmbeddedConnection, Error> {
        // Readers open for writing too: they may have to create the shared-memory file of the log.
        let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
        let mut inner =
            rusqlite::Connection::open_with_flags(path, flags).map_err(|e| classify_failure(&e).error)?;
        let limit = StatementDeadline::default();
        let cache_mib = if role == ConnectionPurpose::Checkpointer { 1 } else { options.cache_mib };
        let prepare = |inner: &mut rusqlite::Connection| -> rusqlite::Result<()> {
            wait_for_locks(inner, choose_lock_wait(role, options.unit_timeout))?;
            // Without it a cached statement is prepared again at every run.
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
            inner.pragma_update(None, "query_only", role == ConnectionPurpose::Reader)?;
            if role == ConnectionPurpose::Writer {
                // Deleted content is overwritten. FAST would leave long texts, such as mail bodies, on free pages; ON
                // costs one more write for each such page, and deletions are few.
                inner.pragma_update(None, "secure_delete", true)?;
                // The checkpointer thread does this; here it would delay a caller.
                inner.pragma_update(None, "wal_autocheckpoint", 0)?;
                inner.pragma_update(None, "journal_size_limit", 64 << 20)?;
            }
            let limit = limit.clone();
            inner.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || limit.is_past()))
        };
        prepare(&mut inner).map_err(|e| classify_failure(&e).error)?;
        Ok(EmbeddedConnection {
            inner,
            known_statements: StatementTextCache::default(),
            limit,
            watch: options.watch.clone(),
            role,
        })
    }

    /// After a commit, reports the log length if it is worth a checkpoint. A full channel means that the checkpointer
    /// has not yet handled the last message.
    pub fn report_log_length(&mut self, log: crossbeam_channel::Sender<i64>) -> Result<(), Error> {
        let hook = move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            if i64::from(pages) >= super::checkpoint::MOVE_AT {
                let _ = log.try_send(pages.into());
            }
            Ok(())
        };
        self.inner.wal_hook(Some(hook)).map_err(|e| classify_failure(&e).error)
    }

    /// Statements that run longer than this are interrupted.
    pub fn set_time_limit(&self, span: Duration) {
        self.limit.set(span);
    }

    /// Statements are interrupted at the first check of the clock: after about a millisecond of work.
    pub fn expire_at_first_check(&self) {
        self.limit.expire_at_first_check();
    }

    pub fn fetch_all(&mut self, statement: &Statement) -> Result<Vec<Row>, StatementFailure> {
        self.run(statement, fetch_rows, Vec::len)
    }

    pub fn execute(&mut self, statement: &Statement) -> Result<u64, StatementFailure> {
        self.run(statement, count_touched_rows, |touched| usize::try_from(*touched).unwrap_or(usize::MAX))
    }

    /// Prepares and runs a statement, and notifies the observer.
    fn run<T>(
        &mut self,
        statement: &Statement,
        action: impl Fn(&mut CachedStatement<'_>, &KnownStatement) -> Result<T, StatementFailure>,
        rows: impl Fn(&T) -> usize,
    ) -> Result<T, StatementFailure> {
        let EmbeddedConnection { inner, known_statements, watch, role, .. } = self;
        let (known, role) = (known_statements.get_or_insert_with(statement, KnownStatement::new), *role);
        let action = |prepared: &mut CachedStatement<'_>, known: &KnownStatement| {
            action(prepared, known).map_err(|failure| reclassify_for_purpose(role, failure))
        };
        let Some(watch) = watch else {
            return action(&mut prepare_statement(inner, known, statement)?, known);
        };
        let started = Instant::now();
        let mut prepared = prepare_statement(inner, known, statement)?;
        // The counter is never reset: the database uses it to decide when to check the clock.
        let before = prepared.get_status(StatementStatus::VmStep);
        let result = action(&mut prepared, known);
        let steps = prepared.get_status(StatementStatus::VmStep).wrapping_sub(before);
        let cost = StatementCost { took: started.elapsed(), steps, rows: result.as_ref().map_or(0, rows) };
        watch.notify(&ExecutedStatement { text: &known.text, values: statement.values(), cost });
        result
    }

    /// Runs a statement without parameters, such as BEGIN and SAVEPOINT, without a time limit: an interrupted BEGIN
    /// would leave its transaction open, and an interrupted ROLLBACK would not roll back.
    pub fn execute_control(&mut self, text: &'static str) -> Result<(), StatementFailure> {
        self.limit.lift();
        let mut prepared = self.inner.prepare_cached(text).map_err(|e| classify_failure(&e))?;
        prepared.raw_execute().map(drop).map_err(|e| classify_failure(&e))
    }

    /// Statements are also interrupted once this flag is set.
    pub fn watch_caller(&self, cancellation: Option<super::reader::CancellationFlag>) {
        self.limit.watch_caller(cancellation);
    }

    /// Whether a transaction is open. After FULL or IOERR the database may have rolled it back by itself.
    pub fn is_in_transaction(&self) -> bool {
        !self.inner.is_autocommit()
    }

    pub fn raw_connection(&self) -> &rusqlite::Connection {
        &self.inner
    }
}

/// A read-only connection refuses writes even if the file is writable.
fn reclassify_for_purpose(role: ConnectionPurpose, failure: StatementFailure) -> StatementFailure {
    match failure.error {
        Error::DatabaseFault { fault: DatabaseFault::ReadOnly, cause }
            if role == ConnectionPurpose::Reader =>
        {
            Error::ReadOnlyTransaction(cause).into()
        }
        error => StatementFailure { error, ..failure },
    }
}

/// What a connection caches about a text.
struct KnownStatement {
    /// With parameters as `?1`: `$1` would be a name, numbered by its first occurrence.
    text: Box<str>,
    columns: OnceCell<SharedColumns>,
    /// The size of the last result, to allocate the next one.
    size: Cell<(usize, usize)>,
}

impl KnownStatement {
    fn new(text: &str) -> KnownStatement {
        let text = text.replace('$', "?");
        let text =
            dialect::translate_name_index(&text, ["rowid", "n.rowid", choose_match_operator(&text), ""])
                .unwrap_or(text);
        KnownStatement { text: text.into(), columns: OnceCell::new(), size: Cell::default() }
    }
}

/// An FTS index is matched by its own name.
fn choose_match_operator(text: &str) -> &'static str {
    if text.contains("name_index_leads") {
        "n.name_index_leads MATCH"
    } else if text.contains("name_index_dependents") {
        "n.name_index_dependents MATCH"
    } else {
        "n.name_index MATCH"
    }
}

fn fetch_rows(
    prepared: &mut CachedStatement<'_>,
    known: &KnownStatement,
) -> Result<Vec<Row>, StatementFailure> {
    let columns =
        known.columns.get_or_init(|| prepared.column_names().map(ResultColumn::from).collect()).clone();
    let width = columns.len();
    let mut page = ResultBuffer::new(columns, known.size.get());
    let mut cursor = prepared.raw_query();
    while let Some(row) = cursor.next().map_err(|e| classify_failure(&e))? {
        for at in 0..width {
            page.push(convert_value(row.get_ref(at).map_err(|e| classify_failure(&e))?)?)?;
        }
    }
    known.size.set(page.size());
    Ok(page.into_rows())
}

fn count_touched_rows(
    prepared: &mut CachedStatement<'_>,
    _: &KnownStatement,
) -> Result<u64, StatementFailure> {
    if prepared.column_count() > 0 {
        let mut cursor = prepared.raw_query();
        let mut rows = 0;
        while cursor.next().map_err(|e| classify_failure(&e))?.is_some() {
            rows += 1;
        }
        return Ok(rows);
    }
    prepared.raw_execute().map(|touched| touched as u64).map_err(|e| classify_failure(&e))
}

/// Prepares a statement, or takes it from the cache, and binds its values.
fn prepare_statement<'c>(
    connection: &'c rusqlite::Connection,
    known: &KnownStatement,
    statement: &Statement,
) -> Result<CachedStatement<'c>, StatementFailure> {
    refuse_nul_text(statement)?;
    let mut prepared = connection.prepare_cached(&known.text).map_err(|e| classify_failure(&e))?;
    for (at, value) in statement.values().iter().enumerate() {
        let bound = match value {
            SqlScalar::Null => prepared.raw_bind_parameter(at + 1, rusqlite::types::Null),
            SqlScalar::Int(number) => prepared.raw_bind_parameter(at + 1, number),
            SqlScalar::Bool(flag) => prepared.raw_bind_parameter(at + 1, flag),
            SqlScalar::Text(text) => prepared.raw_bind_parameter(at + 1, text.as_str()),
            SqlScalar::Bytes(bytes) => prepared.raw_bind_parameter(at + 1, bytes.as_slice()),
        };
        bound.map_err(|e| classify_failure(&e))?;
    }
    Ok(prepared)
}

fn convert_value(value: rusqlite::types::ValueRef<'_>) -> Result<SqlScalarRef<'_>, StatementFailure> {
    use rusqlite::types::ValueRef;
    Ok(match value {
        ValueRef::Null => SqlScalarRef::Null,
        ValueRef::Integer(number) => SqlScalarRef::Int(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => SqlScalarRef::Text(text),
            Err(_) => return Err(Error::Broken("a text column is not UTF-8".to_owned()).into()),
        },
        ValueRef::Blob(bytes) => SqlScalarRef::Bytes(bytes),
        ValueRef::Real(_) => return Err(Error::Broken("a column holds a float".to_owned()).into()),
    })
}

pub fn classify_failure(error: &rusqlite::Error) -> StatementFailure {
    let text = error.to_string();
    let Some(extended) = error.sqlite_error().map(|failure| failure.extended_code) else {
        return Error::Broken(text).into();
    };
    let error = match (extended, extended & 0xFF) {
        (ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY, _) => Error::Conflict(text),
        (_, ffi::SQLITE_INTERRUPT) => Error::TooSlow,
        (_, ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED | ffi::SQLITE_CANTOPEN | ffi::SQLITE_NOMEM) => {
            Error::Unavailable(text)
        }
        (_, code) => match classify_fault(code) {
            Some(fault) => Error::DatabaseFault { fault, cause: text },
            None => Error::Broken(text),
        },
    };
    error.into()
}

/// Faults that an operator must repair.
fn classify_fault(code: i32) -> Option<DatabaseFault> {
    Some(match code {
        ffi::SQLITE_READONLY => DatabaseFault::ReadOnly,
        ffi::SQLITE_PERM => DatabaseFault::NoPermission,
        ffi::SQLITE_FULL => DatabaseFault::DiskFull,
        ffi::SQLITE_IOERR => DatabaseFault::DiskError,
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => DatabaseFault::Damaged,
        _ => return None,
    })
}

/// Runs a statement without parameters; fails if the session belongs to another engine.
pub fn execute_control(tx: &mut Tx, text: &'static str) -> Result<(), Error> {
    let TransactionSession::Sqlite(connection) = tx.session() else {
        return Err(Error::Broken("a session of another engine".to_owned()));
    };
    connection.execute_control(text).map_err(|failure| failure.error)
}

pub fn set_time_limit(tx: &mut Tx, span: Duration) {
    if let TransactionSession::Sqlite(connection) = tx.session() {
        connection.set_time_limit(span);
    }
}

pub fn is_in_transaction(tx: &mut Tx) -> bool {
    matches!(tx.session(), TransactionSession::Sqlite(connection) if connection.is_in_transaction())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql;

    /// The database checks the clock after a number of steps of a cached statement, counted across runs.
    #[test]
    fn a_begin_and_a_rollback_are_never_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        crate::engine::sqlite::migrate_database(&path, crate::SchemaPolicy::Migrate).unwrap();
        let mut connection =
            EmbeddedConnection::open(&path, ConnectionPurpose::Writer, &DatabaseOptions::default()).unwrap();
        for _ in 0..15_000 {
            connection.set_time_limit(Duration::ZERO);
            connection.execute_control("BEGIN IMMEDIATE").ok().unwrap();
            connection.set_time_limit(Duration::ZERO);
            connection.execute_control("ROLLBACK").ok().unwrap();
            assert!(!connection.is_in_transaction());
        }
    }

    #[test]
    fn a_cached_statement_is_never_prepared_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("amparo.db");
        crate::engine::sqlite::migrate_database(&path, crate::SchemaPolicy::Migrate).unwrap();
        let mut connection =
            EmbeddedConnection::open(&path, ConnectionPurpose::Writer, &DatabaseOptions::default()).unwrap();
        for number in 0..100 {
            let insert =
                sql("INSERT INTO settings (name, value) VALUES ($1, $2)").arg(number.to_string()).arg("x");
            connection.execute(&insert).ok().unwrap();
            let select = sql("SELECT value FROM settings WHERE name = $1").arg(number.to_string());
            assert_eq!(connection.fetch_all(&select).ok().unwrap().len(), 1);
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
