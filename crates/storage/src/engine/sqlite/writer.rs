//! The one thread that writes: units in batches, one commit for each batch.

use super::checkpoint::Turnstile;
use super::connection::{Connection, control, in_transaction, limit};
use crate::Error;
use crate::batch::{BATCH, Ended, PATIENCE, Round};
use crate::db::Tx;
use crate::engine::Session;
use crate::unit::{Job, Ran, Work};
use crossbeam_channel::{Receiver, TryRecvError};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

pub struct Queue {
    pub people: Receiver<Job>,
    pub background: Receiver<Job>,
}

pub fn run(connection: Connection, queue: &Queue, unit_timeout: Duration, turnstile: &Turnstile) {
    let mut tx = Tx::new(Session::Sqlite(Box::new(connection)));
    // Units that ran in a batch which the database rolled back, or that its end cut off.
    let mut again: VecDeque<Job> = VecDeque::new();
    let mut background_ran = Instant::now();
    loop {
        let mut batch = std::mem::take(&mut again);
        if batch.is_empty() {
            match first(queue) {
                Some(job) => batch.push_back(job),
                None => return,
            }
        }
        if background_ran.elapsed() > PATIENCE {
            batch.extend(queue.background.try_recv());
            background_ran = Instant::now();
        }
        batch.extend(queue.people.try_iter().take(BATCH.saturating_sub(batch.len())));
        if queue.people.is_empty() {
            batch.extend(queue.background.try_iter().take(BATCH.saturating_sub(batch.len())));
            background_ran = Instant::now();
        }
        turnstile.pass();
        again = commit_together(&mut tx, batch, unit_timeout);
    }
}

/// Waits for a unit; `None` once both queues are closed and empty.
fn first(queue: &Queue) -> Option<Job> {
    loop {
        let people = queue.people.try_recv();
        if let Ok(job) = people {
            return Some(job);
        }
        match queue.background.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) if matches!(people, Err(TryRecvError::Disconnected)) => {
                return None;
            }
            Err(_) => {}
        }
        let mut either = crossbeam_channel::Select::new();
        either.recv(&queue.people);
        either.recv(&queue.background);
        either.ready();
    }
}

/// Runs a batch in one transaction and answers everybody in it. Gives back what must run again.
fn commit_together(tx: &mut Tx, batch: VecDeque<Job>, unit_timeout: Duration) -> VecDeque<Job> {
    if let Err(error) = control(tx, "BEGIN IMMEDIATE") {
        tracing::error!(%error, units = batch.len(), "cannot begin");
        batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
        return VecDeque::new();
    }
    let mut round = Round::new(batch);
    let mut ended = run_plainly(tx, &mut round, unit_timeout);
    if let Ok(Ended::Repeat) = ended {
        ended = run_with_savepoints(tx, &mut round, unit_timeout);
    }
    let committed = ended.and_then(|_| control(tx, "COMMIT"));
    if let Err(error) = &committed {
        tracing::error!(%error, "a batch was rolled back");
        if in_transaction(tx) {
            let _ = control(tx, "ROLLBACK");
        }
    }
    round.answer(committed)
}

/// Without savepoints. An error is the whole batch's.
fn run_plainly(tx: &mut Tx, round: &mut Round, unit_timeout: Duration) -> Result<Ended, Error> {
    while let Some(mut job) = round.next() {
        limit(tx, unit_timeout);
        let ran = run_unit(tx, &mut *job.work);
        let must_undo = !matches!(ran, Ok(Ran::Keep | Ran::Clean));
        if must_undo && in_transaction(tx) {
            let has_kept = round.has_kept();
            let anew = control(tx, "ROLLBACK").and_then(|()| control(tx, "BEGIN IMMEDIATE"));
            if has_kept && anew.is_ok() {
                round.put_back(job);
                return Ok(Ended::Repeat);
            }
            // Nothing before it is lost with it: the batch goes on as a new transaction.
        }
        round.ran(job, ran);
        still_there(tx)?;
    }
    Ok(Ended::Done)
}

fn run_with_savepoints(tx: &mut Tx, round: &mut Round, unit_timeout: Duration) -> Result<Ended, Error> {
    while let Some(mut job) = round.next() {
        limit(tx, unit_timeout);
        control(tx, "SAVEPOINT unit")?;
        let ran = run_unit(tx, &mut *job.work);
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
pub fn run_unit(tx: &mut Tx, work: &mut dyn Work) -> Result<Ran, Error> {
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
