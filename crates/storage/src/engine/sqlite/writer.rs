//! The writer thread: runs units of work in batches, one commit per batch.

use super::checkpoint::WriterTurnstile;
use super::connection::{EmbeddedConnection, execute_control, is_in_transaction, set_time_limit};
use crate::Error;
use crate::engine::TransactionSession;
use crate::executor::batch::{BatchPassOutcome, RunningBatch, UnitQueue};
use crate::executor::db::Tx;
use crate::executor::unit::{PrioritizedUnit, QueuedUnit, TransactionVerdict};
use crate::executor::write_health::WriteHealth;
use crossbeam_channel::Receiver;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How long a batch runs before it commits: every caller waits for it.
const BATCH_TIME: Duration = Duration::from_millis(5);

pub fn run_writer(
    connection: EmbeddedConnection,
    queue: &Receiver<PrioritizedUnit>,
    unit_timeout: Duration,
    turnstile: &WriterTurnstile,
    health: &Arc<WriteHealth>,
) -> Tx {
    let mut tx = Tx::new(TransactionSession::Sqlite(Box::new(connection)), Arc::clone(health));
    let mut waiting = UnitQueue::default();
    loop {
        if waiting.is_empty() {
            match queue.recv() {
                Ok(job) => waiting.push(job),
                Err(_) => return tx,
            }
        }
        queue.try_iter().for_each(|job| waiting.push(job));
        let batch = waiting.take();
        let _passed = turnstile.pass();
        // A failure outside of a unit affects only its batch: there is no other writer.
        let committed = catch_unwind(AssertUnwindSafe(|| commit_batch(&mut tx, batch, unit_timeout, health)));
        match committed {
            Ok(unfinished) => waiting.put_back(unfinished),
            Err(_) if is_in_transaction(&mut tx) => drop(execute_control(&mut tx, "ROLLBACK")),
            Err(_) => {}
        }
    }
}

/// Runs a batch in one transaction and answers its callers. Returns the units that must run again.
fn commit_batch(
    tx: &mut Tx,
    batch: VecDeque<PrioritizedUnit>,
    unit_timeout: Duration,
    health: &WriteHealth,
) -> VecDeque<PrioritizedUnit> {
    if let Err(error) = execute_control(tx, "BEGIN IMMEDIATE") {
        crate::warn_unless_outage!(error, units = batch.len(), "cannot begin");
        health.report_failure(&error);
        if is_in_transaction(tx) {
            let _ = execute_control(tx, "ROLLBACK");
        }
        batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
        return VecDeque::new();
    }
    let mut round = RunningBatch::new(batch, BATCH_TIME);
    let mut ended = run_without_savepoints(tx, &mut round, unit_timeout);
    if let Ok(BatchPassOutcome::Repeat) = ended {
        ended = run_with_savepoints(tx, &mut round, unit_timeout);
    }
    let committed = ended.and_then(|_| execute_control(tx, "COMMIT"));
    match &committed {
        Ok(()) if round.has_stored_writes() => health.report_success(),
        Ok(()) => {}
        Err(error) => {
            crate::warn_unless_outage!(error, "a batch was rolled back");
            health.report_failure(error);
            if is_in_transaction(tx) {
                let _ = execute_control(tx, "ROLLBACK");
            }
        }
    }
    round.answer_callers(committed)
}

/// An error here fails the entire batch.
fn run_without_savepoints(
    tx: &mut Tx,
    round: &mut RunningBatch,
    unit_timeout: Duration,
) -> Result<BatchPassOutcome, Error> {
    while let Some(mut job) = round.next() {
        set_time_limit(tx, unit_timeout);
        let result = run_unit(tx, &mut job.work);
        if matches!(result, Ok(TransactionVerdict::Commit | TransactionVerdict::NoWrites)) {
            round.record_outcome(job, result);
            continue;
        }
        // After an interrupted write or a full disk, the database may have rolled back by itself.
        let rollback = if is_in_transaction(tx) { execute_control(tx, "ROLLBACK") } else { Ok(()) };
        if let Err(error) = rollback.and_then(|()| execute_control(tx, "BEGIN IMMEDIATE")) {
            round.record_outcome(job, result);
            return Err(error);
        }
        if round.has_stored_writes() {
            round.restart_after_rollback(job, result);
            return Ok(BatchPassOutcome::Repeat);
        }
        // No earlier write is lost: the batch continues in a new transaction.
        round.record_outcome(job, result);
    }
    Ok(BatchPassOutcome::Done)
}

fn run_with_savepoints(
    tx: &mut Tx,
    round: &mut RunningBatch,
    unit_timeout: Duration,
) -> Result<BatchPassOutcome, Error> {
    while let Some(mut job) = round.next() {
        execute_control(tx, "SAVEPOINT unit")?;
        set_time_limit(tx, unit_timeout);
        let result = run_unit(tx, &mut job.work);
        let keep = matches!(result, Ok(TransactionVerdict::Commit));
        round.record_outcome(job, result);
        check_transaction_open(tx)?;
        if !keep {
            execute_control(tx, "ROLLBACK TO unit")?;
        }
        execute_control(tx, "RELEASE unit")?;
    }
    Ok(BatchPassOutcome::Done)
}

/// On FULL and IOERR the database may roll back by itself: then nothing of the batch is stored.
fn check_transaction_open(tx: &mut Tx) -> Result<(), Error> {
    if is_in_transaction(tx) {
        return Ok(());
    }
    Err(Error::Unavailable("the database rolled the batch back".to_owned()))
}

/// Polls a unit once: it awaits only its transaction, so it is ready. If it is not, it awaited something else. A
/// panic affects only its caller.
pub fn run_unit(tx: &mut Tx, work: &mut QueuedUnit) -> Result<TransactionVerdict, Error> {
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let unit = pin!(work.run(tx));
        unit.poll(&mut Context::from_waker(Waker::noop()))
    }));
    match polled {
        Ok(Poll::Ready(verdict)) => Ok(verdict),
        Ok(Poll::Pending) => Err(Error::Foreign),
        Err(panic) => Err(Error::Panicked(crate::engine::describe_panic(&*panic))),
    }
}
