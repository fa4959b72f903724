//! A batch of units on its way through one transaction, on either engine.
//!
//! Most batches need no savepoints, and they are not cheap. So a batch runs without them first: a unit that is refused
//! before it wrote needs none, and one that fails after it wrote takes the batch with it, which is then rolled back and
//! run again with a savepoint for each unit. Units may be run again by their contract.

use crate::Error;
use crate::db::Rank;
use crate::unit::{Job, Ran, TRIES};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// At most so many units share a commit.
const BATCH: usize = 32;
/// Background units wait behind people, but not for ever.
const PATIENCE: Duration = Duration::from_secs(1);

/// The units that wait in a lane.
#[derive(Default)]
pub(crate) struct Waiting {
    people: VecDeque<Job>,
    background: VecDeque<Job>,
}

impl Waiting {
    pub fn push(&mut self, job: Job) {
        self.queue(job.rank).push_back(job);
    }

    /// Puts units that did not get their turn where they were: each in front of its own queue.
    pub fn put_back(&mut self, jobs: VecDeque<Job>) {
        jobs.into_iter().rev().for_each(|job| self.queue(job.rank).push_front(job));
    }

    pub fn is_empty(&self) -> bool {
        self.people.is_empty() && self.background.is_empty()
    }

    /// A batch: people first; in what room they leave, the background; and first of all a background unit whose
    /// patience has ended.
    pub fn take(&mut self) -> VecDeque<Job> {
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

    fn queue(&mut self, rank: Rank) -> &mut VecDeque<Job> {
        match rank {
            Rank::People => &mut self.people,
            Rank::Background => &mut self.background,
        }
    }
}

/// How running a batch ended.
pub(crate) enum Ended {
    Done,
    /// Rolled back and begun anew: everything stands in the batch again.
    Repeat,
}

pub(crate) struct Round {
    begun: Instant,
    work: Duration,
    batch: VecDeque<Job>,
    done: Vec<(Job, Option<Error>)>,
    again: VecDeque<Job>,
    kept: usize,
}

impl Round {
    /// After so much work what has run is committed, whoever still waits.
    pub fn new(batch: VecDeque<Job>, work: Duration) -> Round {
        let done = Vec::with_capacity(batch.len());
        Round { begun: Instant::now(), work, batch, done, again: VecDeque::new(), kept: 0 }
    }

    /// The next unit for which somebody still waits, until the batch has worked long enough.
    pub fn next(&mut self) -> Option<Job> {
        let has_run = !self.done.is_empty() || !self.again.is_empty();
        if has_run && self.begun.elapsed() > self.work {
            return None;
        }
        while let Some(job) = self.batch.pop_front() {
            if !job.work.abandoned() {
                return Some(job);
            }
        }
        None
    }

    /// Takes a unit that ran: its answer goes out with the others, unless it is to run again.
    pub fn ran(&mut self, mut job: Job, ran: Result<Ran, Error>) {
        job.tries += 1;
        self.kept += usize::from(matches!(ran, Ok(Ran::Keep)));
        match ran {
            Ok(Ran::Again) if job.tries < TRIES => self.again.push_back(job),
            Ok(_) => self.done.push((job, None)),
            Err(error) => self.done.push((job, Some(error))),
        }
    }

    /// Whether rolling back would lose something that a unit of this batch wrote.
    pub fn has_kept(&self) -> bool {
        self.kept > 0
    }

    /// The batch was rolled back: puts everything that ran in front again, and this unit too unless it is spent, in
    /// which case its answer stands.
    pub fn put_back(&mut self, job: Job, ran: Result<Ran, Error>) {
        let mut before: Vec<Job> = Vec::with_capacity(self.done.len() + 1);
        let mut spent = Vec::new();
        for (job, failure) in self.done.drain(..) {
            // What panicked or dawdled before does not get another chance to.
            if failure.is_some() { spent.push((job, failure)) } else { before.push(job) }
        }
        self.done = spent;
        match ran {
            Ok(Ran::Spent) | Err(_) => self.ran(job, ran),
            Ok(_) => before.push(job),
        }
        before.into_iter().rev().for_each(|job| self.batch.push_front(job));
        self.begun = Instant::now();
        self.kept = 0;
        metrics::counter!("amparo_batches_repeated_total").increment(1);
    }

    /// Answers everybody whose unit ran, now that the fate of the transaction is known. Gives back what must run
    /// again, and what has not run yet.
    pub fn answer(mut self, committed: Result<(), Error>) -> VecDeque<Job> {
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
