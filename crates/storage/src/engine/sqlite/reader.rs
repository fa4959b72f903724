//! A reader thread.

use super::connection::{EmbeddedConnection, execute_control, set_time_limit};
use crate::engine::TransactionSession;
use crate::executor::db::{QueryWeight, Tx};
use crate::executor::unit::{QueuedUnit, TransactionVerdict};
use crate::executor::write_health::WriteHealth;
use crate::{Error, Row, Statement};
use crossbeam_channel::{Receiver, never, select_biased};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

pub enum ReadRequest {
    Statement {
        statement: Statement,
        reply: oneshot::Sender<Result<Vec<Row>, Error>>,
        gone: Option<CancellationFlag>,
    },
    Snapshot(QueuedUnit),
}

/// Set when the caller of a search is gone, so that the thread stops searching.
pub type CancellationFlag = Arc<AtomicBool>;

/// Held by the caller of a search; dropping it cancels the search.
pub struct CancellationGuard(CancellationFlag);

impl Drop for CancellationGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// None for point reads: they end before a check would pay off.
pub fn create_cancellation(weight: QueryWeight) -> (Option<CancellationGuard>, Option<CancellationFlag>) {
    if weight == QueryWeight::Point {
        return (None, None);
    }
    let flag = CancellationFlag::default();
    (Some(CancellationGuard(Arc::clone(&flag))), Some(flag))
}

pub struct ReadThread {
    pub points: Receiver<ReadRequest>,
    pub searches: Option<Receiver<ReadRequest>>,
    pub point_timeout: Duration,
    pub search_timeout: Duration,
    pub health: Arc<WriteHealth>,
}

impl ReadThread {
    pub fn run(self, connection: EmbeddedConnection) -> Tx {
        let mut tx = Tx::new(TransactionSession::Sqlite(Box::new(connection)), Arc::clone(&self.health));
        match &self.searches {
            None => {
                while let Ok(read) = self.points.recv() {
                    serve_read(&mut tx, read, self.point_timeout);
                }
            }
            Some(searches) => self.serve_both_queues(&mut tx, searches),
        }
        tx
    }

    fn serve_both_queues(&self, tx: &mut Tx, searches: &Receiver<ReadRequest>) {
        let (mut points, mut searches) = (self.points.clone(), searches.clone());
        let (mut open_points, mut open_searches) = (true, true);
        while open_points || open_searches {
            // Searches first: the other threads serve only point reads, so neither starves.
            select_biased! {
                recv(searches) -> read => match read {
                    Ok(read) => serve_read(tx, read, self.search_timeout),
                    Err(_) => { open_searches = false; searches = never(); }
                },
                recv(points) -> read => match read {
                    Ok(read) => serve_read(tx, read, self.point_timeout),
                    Err(_) => { open_points = false; points = never(); }
                },
            }
        }
    }
}

fn serve_read(tx: &mut Tx, read: ReadRequest, span: Duration) {
    let TransactionSession::Sqlite(connection) = tx.session() else { return };
    connection.set_time_limit(span);
    match read {
        ReadRequest::Statement { reply, .. } if reply.is_closed() => {}
        ReadRequest::Statement { statement, reply, gone: cancellation } => {
            connection.watch_caller(cancellation);
            let _ = reply.send(connection.fetch_all(&statement).map_err(|failure| failure.error));
        }
        ReadRequest::Snapshot(work) if work.is_abandoned() => {}
        ReadRequest::Snapshot(mut work) => {
            // The caller of the previous search no longer matters.
            connection.watch_caller(None);
            let failure = run_snapshot_reads(tx, &mut work, span).err();
            work.answer(failure);
        }
    }
}

fn run_snapshot_reads(
    tx: &mut Tx,
    work: &mut QueuedUnit,
    span: Duration,
) -> Result<TransactionVerdict, Error> {
    execute_control(tx, "BEGIN")?;
    set_time_limit(tx, span);
    let result = super::writer::run_unit(tx, work);
    execute_control(tx, "ROLLBACK")?;
    result
}
