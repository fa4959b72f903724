//! The one thread that writes: units in batches, one commit for each batch.

use super::checkpoint::Turnstile;
use super::connection::{Connection, control, in_transaction, limit};
use crate::Error;
use crate::batch::{Ended, Round, Waiting};
use crate::db::Tx;
use crate::engine::Session;
use crate::unit::{Job, Ran, Work};
use crate::write_health::WriteHealth;
use crossbeam_channel::Receiver;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How long a batch works before it commits: everybody waits for it.
const WORK: Duration = Duration::from_millis(5);

pub fn run(
    connection: Connection,
    queue: &Receiver<Job>,
    unit_timeout: Duration,
    turnstile: &Turnstile,
    health: &Arc<WriteHealth>,
) -> Tx {
    let mut tx = Tx::new(Session::Sqlite(Box::new(connection)), Arc::clone(health));
    let mut waiting = Waiting::default();
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
        // Whatever goes wrong around a batch costs that batch alone: nobody else writes.
        let committed =
            catch_unwind(AssertUnwindSafe(|| commit_together(&mut tx, batch, unit_timeout, health)));
        match committed {
            Ok(again) => waiting.put_back(again),
            Err(_) if in_transaction(&mut tx) => drop(control(&mut tx, "ROLLBACK")),
            Err(_) => {}
        }
    }
}

/// Runs a batch in one transaction and answers everybody in it. Gives back what must run again.
fn commit_together(
    tx: &mut Tx,
    batch: VecDeque<Job>,
    unit_timeout: Duration,
    health: &WriteHealth,
) -> VecDeque<Job> {
    if let Err(error) = control(tx, "BEGIN IMMEDIATE") {
        tracing::error!(%error, units = batch.len(), "cannot begin");
        health.report_failure(&error);
        if in_transaction(tx) {
            let _ = control(tx, "ROLLBACK");
        }
        batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
        return VecDeque::new();
    }
    let mut round = Round::new(batch, WORK);
    let mut ended = run_plainly(tx, &mut round, unit_timeout);
    if let Ok(Ended::Repeat) = ended {
        ended = run_with_savepoints(tx, &mut round, unit_timeout);
    }
    let committed = ended.and_then(|_| control(tx, "COMMIT"));
    match &committed {
        Ok(()) if round.has_kept() => health.report_success(),
        Ok(()) => {}
        Err(error) => {
            tracing::error!(%error, "a batch was rolled back");
            health.report_failure(error);
            if in_transaction(tx) {
                let _ = control(tx, "ROLLBACK");
            }
        }
    }
    round.answer(committed)
}

/// Without savepoints. An error is the whole batch's.
fn run_plainly(tx: &mut Tx, round: &mut Round, unit_timeout: Duration) -> Result<Ended, Error> {
    while let Some(mut job) = round.next() {
        limit(tx, unit_timeout);
        let ran = run_unit(tx, &mut job.work);
        if matches!(ran, Ok(Ran::Keep | Ran::Clean)) {
            round.ran(job, ran);
            continue;
        }
        // An interrupted write, a full disk: the database may have rolled everything back by itself.
        let anew = if in_transaction(tx) { control(tx, "ROLLBACK") } else { Ok(()) };
        if let Err(error) = anew.and_then(|()| control(tx, "BEGIN IMMEDIATE")) {
            round.ran(job, ran);
            return Err(error);
        }
        if round.has_kept() {
            round.put_back(job, ran);
            return Ok(Ended::Repeat);
        }
        // Nothing before it is lost with it: the batch goes on as a new transaction.
        round.ran(job, ran);
    }
    Ok(Ended::Done)
}

fn run_with_savepoints(tx: &mut Tx, round: &mut Round, unit_timeout: Duration) -> Result<Ended, Error> {
    while let Some(mut job) = round.next() {
        control(tx, "SAVEPOINT unit")?;
        limit(tx, unit_timeout);
        let ran = run_unit(tx, &mut job.work);
        let keep = matches!(ran, Ok(Ran::Keep));
        round.ran(job, ran);
        still_there(tx)?;
        if !keep {
            control(tx, "ROLLBACK TO unit")?;
        }
        control(tx, "RELEASE unit")?;
    }
    Ok(Ended::Done)
}

/// On FULL and IOERR the database may roll everything back by itself: then nothing of the batch is stored.
fn still_there(tx: &mut Tx) -> Result<(), Error> {
    if in_transaction(tx) {
        return Ok(());
    }
    Err(Error::Unavailable("the database rolled the batch back".to_owned()))
}

/// Polls a unit once: it only awaits its transaction, so it is ready. One that is not awaited something foreign,
/// and one that panics costs nobody but its caller.
pub fn run_unit(tx: &mut Tx, work: &mut Work) -> Result<Ran, Error> {
    let polled = catch_unwind(AssertUnwindSafe(|| {
        let unit = pin!(work.run(tx));
        unit.poll(&mut Context::from_waker(Waker::noop()))
    }));
    match polled {
        Ok(Poll::Ready(ran)) => Ok(ran),
        Ok(Poll::Pending) => Err(Error::Foreign),
        Err(panic) => Err(Error::Panicked(crate::engine::panic_text(&*panic))),
    }
}
