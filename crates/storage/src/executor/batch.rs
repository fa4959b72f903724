//! A batch of units on its way through one transaction, on either engine.
//!
//! Most batches need no savepoints, and they are not cheap. So a batch runs without them first: a unit that is refused
//! before it wrote needs none, and one that fails after it wrote takes the batch with it, which is then rolled back and
//! run again with a savepoint for each unit. Units may be run again by their contract.

use super::db::UnitRank;
use super::unit::{PrioritizedUnit, TRIES, TransactionVerdict};
use crate::Error;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// At most so many units share a commit.
const BATCH: usize = 32;
/// Background units wait behind people, but not for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// The units that wait in a lane.
#[derive(Default)]
pub(crate) struct UnitQueue {
    people: VecDeque<PrioritizedUnit>,
    background: VecDeque<PrioritizedUnit>,
}

impl UnitQueue {
    pub fn push(&mut self, job: PrioritizedUnit) {
        self.queue_mut(job.rank).push_back(job);
    }

    /// Puts units that did not get their turn where they were: each in front of its own queue.
    pub fn put_back(&mut self, jobs: VecDeque<PrioritizedUnit>) {
        jobs.into_iter().rev().for_each(|job| self.queue_mut(job.rank).push_front(job));
    }

    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.background.is_empty()
    }

    /// A batch: people first; in what room they leave, the background; and first of all a background unit whose
    /// patience has ended.
    pub fn take(&mut self) -> VecDeque<PrioritizedUnit> {
        let mut batch = VecDeque::new();
        if self.background.front().is_some_and(|job| job.work.queued_at().elapsed() > PATIENCE) {
            batch.extend(self.background.pop_front());
        }
        for queue in [&mut self.people, &mut self.background] {
            let room = BATCH - batch.len();
            batch.extend(queue.drain(..room.min(queue.len())));
        }
        batch
    }

    fn queue_mut(&mut self, rank: UnitRank) -> &mut VecDeque<PrioritizedUnit> {
        match rank {
            UnitRank::People => &mut self.people,
            UnitRank::Background => &mut self.background,
        }
    }
}

/// How running a batch ended.
pub(crate) enum BatchPassOutcome {
    Done,
    /// Rolled back and begun anew: everything stands in the batch again.
    Repeat,
}

pub(crate) struct RunningBatch {
    begun: Instant,
    work: Duration,
    batch: VecDeque<PrioritizedUnit>,
    done: Vec<(PrioritizedUnit, Option<Error>)>,
    again: VecDeque<PrioritizedUnit>,
    kept: usize,
}

impl RunningBatch {
    /// After so much work what has run is committed, whoever still waits.
    pub fn new(batch: VecDeque<PrioritizedUnit>, work: Duration) -> RunningBatch {
        let done = Vec::with_capacity(batch.len());
        RunningBatch { begun: Instant::now(), work, batch, done, again: VecDeque::new(), kept: 0 }
    }

    /// The next unit for which somebody still waits, until the batch has worked long enough.
    pub fn next(&mut self) -> Option<PrioritizedUnit> {
        let has_run = !self.done.is_empty() || !self.again.is_empty();
        if has_run && self.begun.elapsed() > self.work {
            return None;
        }
        while let Some(job) = self.batch.pop_front() {
            if !job.work.is_abandoned() {
                return Some(job);
            }
        }
        None
    }

    /// Takes a unit that ran: its answer goes out with the others, unless it is to run again.
    pub fn record_outcome(&mut self, mut job: PrioritizedUnit, ran: Result<TransactionVerdict, Error>) {
        job.tries += 1;
        self.kept += usize::from(matches!(ran, Ok(TransactionVerdict::Commit)));
        match ran {
            Ok(TransactionVerdict::Retry) if job.tries < TRIES => self.again.push_back(job),
            Ok(_) => self.done.push((job, None)),
            Err(error) => self.done.push((job, Some(error))),
        }
    }

    /// Whether rolling back would lose something that a unit of this batch wrote.
    pub fn has_stored_writes(&self) -> bool {
        self.kept > 0
    }

    /// The batch was rolled back: puts everything that ran in front again, and this unit too unless it is spent, in
    /// which case its answer stands.
    pub fn restart_after_rollback(&mut self, job: PrioritizedUnit, ran: Result<TransactionVerdict, Error>) {
        let mut before: Vec<PrioritizedUnit> = Vec::with_capacity(self.done.len() + 1);
        let mut spent = Vec::new();
        for (job, failure) in self.done.drain(..) {
            // What panicked or dawdled before does not get another chance to.
            if failure.is_some() { spent.push((job, failure)) } else { before.push(job) }
        }
        self.done = spent;
        match ran {
            Ok(TransactionVerdict::GiveUp) | Err(_) => self.record_outcome(job, ran),
            Ok(_) => before.push(job),
        }
        before.into_iter().rev().for_each(|job| self.batch.push_front(job));
        self.begun = Instant::now();
        self.kept = 0;
        metrics::counter!("amparo_batches_repeated_total").increment(1);
    }

    /// Answers everybody whose unit ran, now that the fate of the transaction is known. Gives back what must run
    /// again, and what has not run yet.
    pub fn answer_callers(mut self, committed: Result<(), Error>) -> VecDeque<PrioritizedUnit> {
        metrics::histogram!("amparo_batch_units").record(self.done.len() as f64);
        metrics::histogram!("amparo_batch_seconds").record(self.begun.elapsed().as_secs_f64());
        let failed = committed.err();
        for (job, failure) in self.done {
            metrics::histogram!("amparo_unit_seconds").record(job.work.queued_at().elapsed().as_secs_f64());
            job.work.answer(failed.clone().or(failure));
        }
        self.again.append(&mut self.batch);
        self.again
    }
}
