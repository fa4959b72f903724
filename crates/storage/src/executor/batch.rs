//! A batch of units of work that share one transaction, on either engine.
//!
//! Savepoints are expensive and most batches need none, so a batch first runs without them. A unit refused before it
//! wrote needs no rollback. A unit that fails after it wrote rolls back the batch, which then runs again with a
//! savepoint per unit. The contract of units allows running them again.

use super::db::UnitRank;
use super::unit::{PrioritizedUnit, RUNS_PER_UNIT, TransactionVerdict};
use crate::Error;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Maximum number of units that share a commit.
const UNITS_PER_BATCH: usize = 32;
/// Background units wait behind foreground units, but no longer than this.
const BACKGROUND_WAIT: Duration = Duration::from_secs(1);

/// The units waiting in a lane.
#[derive(Default)]
pub(crate) struct UnitQueue {
    people: VecDeque<PrioritizedUnit>,
    background: VecDeque<PrioritizedUnit>,
}

impl UnitQueue {
    pub fn push(&mut self, job: PrioritizedUnit) {
        self.queue_mut(job.rank).push_back(job);
    }

    /// Puts units that did not run back at the front of their own queues.
    pub fn put_back(&mut self, jobs: VecDeque<PrioritizedUnit>) {
        jobs.into_iter().rev().for_each(|job| self.queue_mut(job.rank).push_front(job));
    }

    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.background.is_empty()
    }

    /// The next batch: first a background unit that has waited too long, then foreground units, then background units
    /// in the remaining room.
    pub fn take(&mut self) -> VecDeque<PrioritizedUnit> {
        let mut batch = VecDeque::new();
        if self.background.front().is_some_and(|job| job.work.queued_at().elapsed() > BACKGROUND_WAIT) {
            batch.extend(self.background.pop_front());
        }
        for queue in [&mut self.people, &mut self.background] {
            let room = UNITS_PER_BATCH - batch.len();
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

pub(crate) enum BatchPassOutcome {
    Done,
    /// The batch was rolled back; all its units are queued in it again.
    Repeat,
}

pub(crate) struct RunningBatch {
    begun: Instant,
    work: Duration,
    batch: VecDeque<PrioritizedUnit>,
    finished: Vec<(PrioritizedUnit, Option<Error>)>,
    retries: VecDeque<PrioritizedUnit>,
    commits: usize,
}

impl RunningBatch {
    /// `work` is the time after which the units that ran are committed, even if others still wait.
    pub fn new(batch: VecDeque<PrioritizedUnit>, work: Duration) -> RunningBatch {
        let finished = Vec::with_capacity(batch.len());
        RunningBatch { begun: Instant::now(), work, batch, finished, retries: VecDeque::new(), commits: 0 }
    }

    /// The next unit whose caller still waits, until the batch has used its time.
    pub fn next(&mut self) -> Option<PrioritizedUnit> {
        let has_run = !self.finished.is_empty() || !self.retries.is_empty();
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

    /// Records the result of a unit: it is answered after the commit, unless the unit must run again.
    pub fn record_outcome(&mut self, mut job: PrioritizedUnit, result: Result<TransactionVerdict, Error>) {
        job.tries += 1;
        self.commits += usize::from(matches!(result, Ok(TransactionVerdict::Commit)));
        match result {
            Ok(TransactionVerdict::Retry) if job.tries < RUNS_PER_UNIT => self.retries.push_back(job),
            Ok(_) => self.finished.push((job, None)),
            Err(error) => self.finished.push((job, Some(error))),
        }
    }

    /// Whether a rollback would lose writes of a unit of this batch.
    pub fn has_stored_writes(&self) -> bool {
        self.commits > 0
    }

    /// After a rollback: queues every unit that ran again, and this one too, unless it must not run a second time;
    /// then its result stands.
    pub fn restart_after_rollback(
        &mut self,
        job: PrioritizedUnit,
        result: Result<TransactionVerdict, Error>,
    ) {
        let mut before: Vec<PrioritizedUnit> = Vec::with_capacity(self.finished.len() + 1);
        let mut spent = Vec::new();
        for (job, failure) in self.finished.drain(..) {
            // Units that panicked or timed out do not run again.
            if failure.is_some() { spent.push((job, failure)) } else { before.push(job) }
        }
        self.finished = spent;
        match result {
            Ok(TransactionVerdict::GiveUp) | Err(_) => self.record_outcome(job, result),
            Ok(_) => before.push(job),
        }
        before.into_iter().rev().for_each(|job| self.batch.push_front(job));
        self.begun = Instant::now();
        self.commits = 0;
        metrics::counter!("amparo_batches_repeated_total").increment(1);
    }

    /// Answers the callers of the units that ran, once the outcome of the transaction is known. Returns the units
    /// that must run again or have not run yet.
    pub fn answer_callers(mut self, committed: Result<(), Error>) -> VecDeque<PrioritizedUnit> {
        metrics::histogram!("amparo_batch_units").record(self.finished.len() as f64);
        metrics::histogram!("amparo_batch_seconds").record(self.begun.elapsed().as_secs_f64());
        let failed = committed.err();
        for (job, failure) in self.finished {
            metrics::histogram!("amparo_unit_seconds").record(job.work.queued_at().elapsed().as_secs_f64());
            job.work.answer(failed.clone().or(failure));
        }
        self.retries.append(&mut self.batch);
        self.retries
    }
}
