//! Our side: many callers on tokio, each waiting for its own answer, on whichever engine the database is.

use super::tables::{PAGE, POINT, RANGE, Sheet, TENANT};
use super::units::{RECEIVER, body, change};
use crate::measure::{Keys, Side};
use domain::HistoryCode;
use std::future::Future;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use storage::history::situation_changes::insert_history_entry;
use storage::server::counters::{self, Counter};
use storage::{Db, Error, QueryWeight, Row, WriteLane, sql};
use tokio::runtime::Runtime;

/// How many wait for the database at once.
pub const CALLERS: usize = 64;

/// Runs the callers until their time is over. The body is given its number and the flag that says when to stop.
pub fn callers<F>(
    runtime: &Runtime,
    count: usize,
    span: Duration,
    body: impl Fn(usize, Arc<AtomicBool>) -> F,
) -> f64
where
    F: Future<Output = u64> + Send + 'static,
{
    runtime.block_on(async {
        let stop = Arc::new(AtomicBool::new(false));
        let begun = Instant::now();
        let running: Vec<_> = (0..count).map(|at| tokio::spawn(body(at, Arc::clone(&stop)))).collect();
        tokio::time::sleep(span).await;
        stop.store(true, Ordering::Relaxed);
        let mut done = 0;
        for caller in running {
            done += caller.await.expect("a caller does not panic");
        }
        done as f64 / begun.elapsed().as_secs_f64()
    })
}

pub fn points<'s>(runtime: &'s Runtime, db: &Db, rows: i64) -> Side<'s> {
    let db = db.clone();
    Box::new(move |span| {
        callers(runtime, CALLERS, span, |at, stop| {
            let (db, mut keys) = (db.clone(), Keys::new(at));
            async move {
                let mut done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let statement = sql(POINT).arg(TENANT).arg(keys.next(rows));
                    let found = db.query(QueryWeight::Point, statement).await.expect("a point read succeeds");
                    let sheet = Sheet::ours(found.first().expect("every key is there"));
                    black_box(sheet.expect("every column is read"));
                    done += 1;
                }
                done
            }
        })
    })
}

pub fn ranges<'s>(runtime: &'s Runtime, db: &Db, rows: i64) -> Side<'s> {
    let db = db.clone();
    Box::new(move |span| {
        callers(runtime, CALLERS, span, |at, stop| {
            let (db, mut keys) = (db.clone(), Keys::new(at));
            async move {
                let mut done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let first = keys.next(rows - PAGE);
                    let statement = sql(RANGE).arg(TENANT).arg(first).arg(first + PAGE);
                    let found = db.query(QueryWeight::Search, statement).await.expect("a search succeeds");
                    assert_eq!(found.len() as i64, PAGE, "every key is there");
                    decode(&found);
                    done += 1;
                }
                done
            }
        })
    })
}

fn decode(rows: &[Row]) {
    let sheets: Result<Vec<Sheet>, Error> = rows.iter().map(Sheet::ours).collect();
    black_box(sheets.expect("every column is read"));
}

/// Durable units, the callers spread over `tenants`.
pub fn units<'s>(runtime: &'s Runtime, db: &Db, count: usize, tenants: &'static [i32]) -> Side<'s> {
    let db = db.clone();
    Box::new(move |span| {
        callers(runtime, count, span, |at, stop| {
            let (db, mut keys) = (db.clone(), Keys::new(at));
            let tenant = tenants[at % tenants.len()];
            async move {
                let mut done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let change = change(tenant, keys.next(1_000_000));
                    let written: Result<_, Error> = db
                        .write(WriteLane::foreground(change.tenant), change, |tx, change| {
                            Box::pin(async move {
                                let code =
                                    counters::reserve_number(tx, change.tenant, Counter::History).await?;
                                let body = body(change, code);
                                let code = HistoryCode::new(code);
                                tx.execute_batch(insert_history_entry(change, code, &[RECEIVER], body)).await
                            })
                        })
                        .await;
                    written.expect("a unit is committed");
                    done += 1;
                }
                done
            }
        })
    })
}
