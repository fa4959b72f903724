//! The one thread that writes: units in batches, one commit for each batch.

use super::checkpoint::Turnstile;
use super::connection::{Connection, control, in_transaction, limit};
use crate::Error;
use crate::db::Tx;
use crate::engine::Session;
use crate::unit::{Job, Ran, TRIES, Work};
use crossbeam_channel::{Receiver, TryRecvError};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// At most so many units share a commit.
const BATCH: usize = 32;
/// After so much work the batch is committed, whoever still waits.
const WORK: Duration = Duration::from_millis(5);
/// Background units wait behind people, but not for ever.
const PATIENCE: Duration = Duration::from_secs(1);

pub struct Queue {
    pub people: Receiver<Job>,
    pub background: Receiver<Job>,
}

pub fn run(connection: Connection, queue: &Queue, unit_timeout: Duration, turnstile: &Turnstile) {
    let mut tx = Tx::new(Session::Sqlite(connection));
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
fn commit_together(tx: &mut Tx, mut batch: VecDeque<Job>, unit_timeout: Duration) -> VecDeque<Job> {
    let begun = Instant::now();
    if let Err(error) = control(tx, "BEGIN IMMEDIATE") {
        tracing::error!(%error, units = batch.len(), "cannot begin");
        batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
        return VecDeque::new();
    }
    let mut done = Vec::with_capacity(batch.len());
    let mut again = VecDeque::new();
    while let Some(mut job) = batch.pop_front() {
        if job.work.abandoned() {
            continue;
        }
        limit(tx, unit_timeout);
        let (ran, failure) = match in_savepoint(tx, &mut *job.work) {
            Ok(ran) => (ran, None),
            Err(error) => (Ran::Undo, Some(error)),
        };
        if !in_transaction(tx) {
            // The database rolled back everything by itself: nothing of this batch is stored.
            let error = Error::Unavailable("the database rolled the batch back".to_owned());
            tracing::error!(units = done.len() + 1, "the database rolled a batch back");
            job.work.answer(Some(failure.unwrap_or(error.clone())));
            done.into_iter().for_each(|(job, _): (Job, _)| job.work.answer(Some(error.clone())));
            again.extend(batch);
            return again;
        }
        job.tries += 1;
        if ran == Ran::Again && job.tries < TRIES {
            again.push_back(job);
        } else {
            done.push((job, failure));
        }
        if begun.elapsed() > WORK {
            break;
        }
    }
    again.extend(batch);
    let committed = control(tx, "COMMIT");
    if committed.is_err() && in_transaction(tx) {
        let _ = control(tx, "ROLLBACK");
    }
    metrics::histogram!("amparo_batch_units").record(done.len() as f64);
    metrics::histogram!("amparo_batch_seconds").record(begun.elapsed().as_secs_f64());
    for (job, failure) in done {
        metrics::histogram!("amparo_unit_seconds").record(job.work.queued_at().elapsed().as_secs_f64());
        job.work.answer(committed.clone().err().or(failure));
    }
    again
}

fn in_savepoint(tx: &mut Tx, work: &mut dyn Work) -> Result<Ran, Error> {
    control(tx, "SAVEPOINT unit")?;
    let ran = run_unit(tx, work);
    if in_transaction(tx) {
        if !matches!(ran, Ok(Ran::Keep)) {
            control(tx, "ROLLBACK TO unit")?;
        }
        control(tx, "RELEASE unit")?;
    }
    ran
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
