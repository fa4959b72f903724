//! rusqlite as one would write it by hand: connections like the executor's, statements kept, no other layer.

use super::ours::{CALLERS, callers};
use super::tables::{CREATE, PAGE, POINT, RANGE, Sheet, TENANT, for_sqlite, numbered, tables};
use super::units::{BATCH, COUNTER, HISTORY, OUTBOX, RECEIVER, body, change};
use crate::measure::{Keys, Side, threads};
use rusqlite::config::DbConfig;
use rusqlite::types::ToSql;
use rusqlite::{Connection, OpenFlags, params};
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use storage::{DatabaseOptions, SqlScalar};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A connection as the executor opens its own.
pub fn open(path: &Path, options: &DatabaseOptions) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -i64::try_from(options.cache_mib * 1024).unwrap_or(1024))?;
    connection.pragma_update(None, "mmap_size", i64::try_from(options.mmap_mib << 20).unwrap_or(0))?;
    Ok(connection)
}

/// Makes the tables that are read, and fills them.
pub fn fill(path: &Path, rows: i64) -> rusqlite::Result<()> {
    let mut connection = open(path, &DatabaseOptions::default())?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(&for_sqlite(CREATE))?;
    for (table, columns, count, row) in tables(rows) {
        let marks = vec!["?"; columns].join(", ");
        let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES ({marks})"))?;
        for code in 1..=count {
            let values = row(code);
            let cells: Vec<&dyn ToSql> = values.iter().map(cell).collect();
            insert.execute(&cells[..])?;
        }
    }
    transaction.commit()?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.execute_batch("ANALYZE")
}

fn cell(value: &SqlScalar) -> &dyn ToSql {
    match value {
        SqlScalar::Null => &rusqlite::types::Null,
        SqlScalar::Int(number) => number,
        SqlScalar::Bool(flag) => flag,
        SqlScalar::Text(text) => text,
        SqlScalar::Bytes(bytes) => bytes,
    }
}

fn point(connection: &Connection, text: &str, code: i64) -> rusqlite::Result<Sheet> {
    connection.prepare_cached(text)?.query_row([TENANT, code], Sheet::sqlite)
}

fn range(connection: &Connection, text: &str, first: i64) -> rusqlite::Result<Vec<Sheet>> {
    connection.prepare_cached(text)?.query_map([TENANT, first, first + PAGE], Sheet::sqlite)?.collect()
}

/// As many threads as the executor has for this weight, each reading as fast as it can, without a caller.
pub struct Threads {
    each: Vec<(Connection, Keys)>,
    rows: i64,
}

impl Threads {
    pub fn open(
        path: &Path,
        options: &DatabaseOptions,
        count: usize,
        rows: i64,
    ) -> rusqlite::Result<Threads> {
        let each = (0..count).map(|at| Ok((open(path, options)?, Keys::new(at))));
        Ok(Threads { each: each.collect::<rusqlite::Result<_>>()?, rows })
    }

    pub fn points(mut self) -> Side<'static> {
        let text = numbered(POINT);
        Box::new(move |span| {
            threads(span, &mut self.each, |(connection, keys), stop| {
                let mut done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let sheet = point(connection, &text, keys.next(self.rows));
                    black_box(sheet.expect("every key is there"));
                    done += 1;
                }
                done
            })
        })
    }

    pub fn ranges(mut self) -> Side<'static> {
        let text = numbered(RANGE);
        Box::new(move |span| {
            threads(span, &mut self.each, |(connection, keys), stop| {
                let mut done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let sheets = range(connection, &text, keys.next(self.rows - PAGE));
                    assert_eq!(black_box(sheets.expect("a search succeeds")).len() as i64, PAGE);
                    done += 1;
                }
                done
            })
        })
    }

    /// The same threads, reached from the callers' tasks through a channel: what anybody on tokio has to pay.
    pub fn points_by_channel(self, runtime: &Runtime) -> Side<'_> {
        let (queue, work) = crossbeam_channel::unbounded::<(i64, oneshot::Sender<Sheet>)>();
        for (connection, _) in self.each {
            let work = work.clone();
            std::thread::spawn(move || {
                let text = numbered(POINT);
                for (code, reply) in work {
                    let _ = reply.send(point(&connection, &text, code).expect("every key is there"));
                }
            });
        }
        let rows = self.rows;
        Box::new(move |span| {
            callers(runtime, CALLERS, span, |at, stop| {
                let (queue, mut keys) = (queue.clone(), Keys::new(at));
                async move {
                    let mut done = 0;
                    while !stop.load(Ordering::Relaxed) {
                        let (reply, answer) = oneshot::channel();
                        queue
                            .send((keys.next(rows), reply))
                            .expect("the threads serve while the queue is there");
                        black_box(answer.await.expect("the threads answer"));
                        done += 1;
                    }
                    done
                }
            })
        })
    }
}

/// Who moves the log back into the database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// The thread that writes, after every 1000 pages: as SQLite does it by itself.
    Inline,
    /// Another thread, from 4 MiB on: as the executor does it.
    Aside,
}

/// Decides who moves the log of a connection back; where somebody else does, he is told here that it has grown.
pub fn keep_log(
    connection: &Connection,
    path: &Path,
    options: &DatabaseOptions,
    log: Log,
) -> rusqlite::Result<crossbeam_channel::Sender<()>> {
    connection.pragma_update(None, "wal_autocheckpoint", if log == Log::Inline { 1000 } else { 0 })?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    let (dirty, wake) = crossbeam_channel::bounded::<()>(1);
    if log == Log::Aside {
        let (mover, wal) = (open(path, options)?, path.with_extension("db-wal"));
        std::thread::spawn(move || {
            for () in wake {
                if std::fs::metadata(&wal).map_or(0, |file| file.len()) >= 4 << 20 {
                    let _ = mover.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
                }
            }
        });
    }
    Ok(dirty)
}

/// One thread that writes batches in a loop, without savepoints and without callers.
pub fn batches(
    path: &Path,
    options: &DatabaseOptions,
    tenant: i32,
    log: Log,
) -> rusqlite::Result<Side<'static>> {
    let connection = open(path, options)?;
    let dirty = keep_log(&connection, path, options, log)?;
    let mut keys = Keys::new(0);
    Ok(Box::new(move |span| {
        let begun = Instant::now();
        let mut done = 0;
        while begun.elapsed() < span {
            batch(&connection, tenant, &mut keys).expect("a batch is committed");
            let _ = dirty.try_send(());
            done += BATCH;
        }
        done as f64 / begun.elapsed().as_secs_f64()
    }))
}

fn batch(connection: &Connection, tenant: i32, keys: &mut Keys) -> rusqlite::Result<()> {
    thread_local! {
        static TEXTS: [String; 3] = [COUNTER, HISTORY, OUTBOX].map(numbered);
    }
    TEXTS.with(|[counter, history, outbox]| {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for _ in 0..BATCH {
            let change = change(tenant, keys.next(1_000_000));
            let (entity, at) = (change.entity.number(), change.at.millis());
            let code: i32 = connection
                .prepare_cached(counter)?
                .query_row(params![tenant, "history", 1], |row| row.get(0))?;
            connection.prepare_cached(history)?.execute(params![
                tenant,
                code,
                entity,
                change.record,
                change.branch.get(),
                at,
                change.from.map(domain::SituationCode::get),
                change.to.get(),
                None::<i64>,
                change.reason,
                change.origin,
                body(&change, code)
            ])?;
            connection.prepare_cached(outbox)?.execute(params![
                tenant,
                RECEIVER.get(),
                code,
                entity,
                change.record,
                at
            ])?;
        }
        connection.prepare_cached("COMMIT")?.execute([]).map(drop)
    })
}
