//! One lane for each tenant: its units run one after another, here and in every other process.
//!
//! A lane exists while something is queued in it. Its task takes a connection, begins a transaction under the
//! tenant's advisory lock, runs up to 32 units between savepoints, commits them together, and only then answers.
//! Savepoints travel with the first statement of the unit behind them, so that they cost no round trip.

use super::{AnySession, Connections, Session, run_unit, take};
use crate::Error;
use crate::db::{Lane, Rank, Tx, stopped};
use crate::unit::{Job, Ran, TRIES, Work};
use deadpool::managed::Pool;
use domain::TenantId;
use futures_util::future::join;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// At most so many units share a commit.
const BATCH: usize = 32;
/// After so much work the batch is committed, whoever still waits.
const WORK: Duration = Duration::from_millis(5);
/// Background units wait behind people, but not for ever.
const PATIENCE: Duration = Duration::from_secs(1);
/// The first half of the advisory locks' key, so that they meet nobody else's.
pub const LOCKS: i32 = 0x616D_7061;

pub struct Lanes {
    pool: Pool<Connections>,
    unit_timeout: Duration,
    state: Mutex<State>,
    idle: Notify,
}

#[derive(Default)]
struct State {
    lanes: HashMap<TenantId, Waiting>,
    closed: bool,
}

#[derive(Default)]
struct Waiting {
    people: VecDeque<Job>,
    background: VecDeque<Job>,
}

impl Waiting {
    fn queue(&mut self, rank: Rank) -> &mut VecDeque<Job> {
        match rank {
            Rank::People => &mut self.people,
            Rank::Background => &mut self.background,
        }
    }

    /// People first; in what room they leave, the background; and first of all a background unit whose patience
    /// has ended.
    fn take(&mut self) -> VecDeque<Job> {
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
}

impl Lanes {
    pub fn new(pool: Pool<Connections>, unit_timeout: Duration) -> Lanes {
        Lanes { pool, unit_timeout, state: Mutex::default(), idle: Notify::new() }
    }

    pub fn push(self: &Arc<Lanes>, lane: Lane, work: Box<dyn Work>) {
        let mut state = self.state();
        if state.closed {
            drop(state);
            return work.answer(Some(stopped()));
        }
        let is_new = !state.lanes.contains_key(&lane.tenant);
        state.lanes.entry(lane.tenant).or_default().queue(lane.rank).push_back(Job::new(work));
        drop(state);
        if is_new {
            tokio::spawn(Arc::clone(self).run(lane.tenant));
        }
    }

    /// Takes no more; returns when every lane is empty.
    pub async fn close(&self) {
        loop {
            let idle = self.idle.notified();
            if self.shut() {
                break;
            }
            idle.await;
        }
        self.pool.close();
    }

    /// Whether nothing is left to do.
    fn shut(&self) -> bool {
        let mut state = self.state();
        state.closed = true;
        state.lanes.is_empty()
    }

    async fn run(self: Arc<Lanes>, tenant: TenantId) {
        loop {
            let batch = {
                let mut state = self.state();
                let batch = state.lanes.get_mut(&tenant).map(Waiting::take).unwrap_or_default();
                if batch.is_empty() {
                    state.lanes.remove(&tenant);
                    self.idle.notify_waiters();
                    return;
                }
                batch
            };
            let again = self.commit_together(tenant, batch).await;
            if !again.is_empty() {
                let mut state = self.state();
                let lane = state.lanes.entry(tenant).or_default();
                again.into_iter().rev().for_each(|job| lane.people.push_front(job));
            }
        }
    }

    /// Runs a batch in one transaction and answers everybody in it. Gives back what must run again.
    async fn commit_together(&self, tenant: TenantId, mut batch: VecDeque<Job>) -> VecDeque<Job> {
        let begun = Instant::now();
        let session = match self.begin(tenant).await {
            Ok(session) => session,
            Err(error) => {
                tracing::error!(%error, %tenant, units = batch.len(), "cannot begin");
                batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
                return VecDeque::new();
            }
        };
        let mut tx = Tx::new(AnySession::Postgres(Arc::clone(&session)));
        let mut done = Vec::with_capacity(batch.len());
        let mut again = VecDeque::new();
        let mut before = "SAVEPOINT unit";
        while let Some(mut job) = batch.pop_front() {
            if job.work.abandoned() {
                continue;
            }
            let (opened, ran) = tokio::time::timeout(
                self.unit_timeout,
                join(session.control(before), run_unit(&mut tx, &mut *job.work)),
            )
            .await
            .unwrap_or((Ok(()), Err(Error::TooSlow)));
            if let Err(error) = opened {
                // Without its savepoint nothing of the batch can be kept apart.
                session.spoil();
                job.work.answer(Some(error.clone()));
                done.into_iter().for_each(|(job, _): (Job, _)| job.work.answer(Some(error.clone())));
                again.extend(batch);
                return again;
            }
            let (ran, failure) = match ran {
                Ok(ran) => (ran, None),
                Err(error) => (Ran::Undo, Some(error)),
            };
            before = if ran == Ran::Keep { "RELEASE unit; SAVEPOINT unit" } else { "ROLLBACK TO unit" };
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
        let committed = commit(&session, before, self.unit_timeout).await;
        metrics::histogram!("amparo_batch_units").record(done.len() as f64);
        metrics::histogram!("amparo_batch_seconds").record(begun.elapsed().as_secs_f64());
        // The connection goes back before the callers wake: one of them may want it.
        drop(tx);
        drop(session);
        for (job, failure) in done {
            metrics::histogram!("amparo_unit_seconds").record(job.work.queued_at().elapsed().as_secs_f64());
            job.work.answer(committed.clone().err().or(failure));
        }
        again
    }

    /// A connection inside a transaction that holds the tenant's lock. One that the server ended meanwhile shows
    /// it here, where nothing has run yet, so another is tried.
    async fn begin(&self, tenant: TenantId) -> Result<deadpool::managed::Object<Connections>, Error> {
        let text = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCKS}, {tenant})");
        let mut tries = 0;
        loop {
            let session = take(&self.pool).await?;
            match session.control(&text).await {
                Ok(()) => return Ok(session),
                Err(error) => {
                    let ended = !session.is_open();
                    session.spoil();
                    tries += 1;
                    // As many as the pool may hold can have been ended by one restart.
                    if !ended || tries > self.pool.status().max_size {
                        return Err(error);
                    }
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the lanes are never poisoned")
    }
}

/// Ends the last unit and commits. Once COMMIT is on its way, only its answer tells what became of it.
async fn commit(session: &Session, before: &str, limit: Duration) -> Result<(), Error> {
    let undo_last = if before.starts_with("ROLLBACK") { session.control(before).await } else { Ok(()) };
    if let Err(error) = undo_last {
        session.spoil();
        return Err(error);
    }
    let error = match tokio::time::timeout(limit, session.control("COMMIT")).await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) if session.is_open() => error,
        Ok(Err(_)) | Err(_) => Error::Unknown,
    };
    session.spoil();
    Err(error)
}
