//! One lane per tenant: its units of work run one after another, across all processes.
//!
//! A lane exists while it has queued units. Its task takes a connection, begins a transaction under the tenant's
//! advisory lock, runs up to 32 units, commits them together, and only then answers the callers.

use super::ServerSession;
use super::pool::{SessionFactory, measure_pool, take_session};
use super::run_unit::run_unit;
use crate::Error;
use crate::engine::{ConnectionUse, TransactionSession as AnySession};
use crate::executor::batch::{BatchPassOutcome, RunningBatch, UnitQueue};
use crate::executor::db::{Tx, WriteLane, build_closed_error};
use crate::executor::unit::{PrioritizedUnit, QueuedUnit, TransactionVerdict};
use crate::executor::write_health::WriteHealth;
use deadpool::managed::Pool;
use domain::TenantId;
use futures_util::future::join;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a batch runs before it commits: only its own tenant waits for it, and a commit costs two round trips and
/// a disk write.
const BATCH_TIME: Duration = Duration::from_millis(25);
/// The first half of the advisory lock keys, to avoid collisions with other applications.
pub const LOCK_NAMESPACE: i32 = 0x616D_7061;

pub struct TenantLanes {
    pool: Pool<SessionFactory>,
    unit_timeout: Duration,
    health: Arc<WriteHealth>,
    state: Mutex<TenantLaneState>,
    idle: Notify,
}

#[derive(Default)]
struct TenantLaneState {
    lanes: HashMap<TenantId, UnitQueue>,
    closed: bool,
}

impl TenantLanes {
    pub fn new(pool: Pool<SessionFactory>, unit_timeout: Duration, health: Arc<WriteHealth>) -> TenantLanes {
        TenantLanes { pool, unit_timeout, health, state: Mutex::default(), idle: Notify::new() }
    }

    pub fn push(self: &Arc<TenantLanes>, lane: WriteLane, work: QueuedUnit) {
        let mut state = self.lock_state();
        if state.closed {
            drop(state);
            return work.answer(Some(build_closed_error()));
        }
        let is_new = !state.lanes.contains_key(&lane.tenant);
        state.lanes.entry(lane.tenant).or_default().push(PrioritizedUnit::new(work, lane.rank));
        drop(state);
        if is_new {
            tokio::spawn(Arc::clone(self).run_lane(lane.tenant));
        }
    }

    /// How many lanes wait for a connection, and how many connections are in use.
    pub fn measure_connections(&self) -> (usize, ConnectionUse) {
        measure_pool(&self.pool)
    }

    /// Accepts no more units; returns when every lane is empty.
    #[boxed::future]
    pub async fn close(&self) {
        loop {
            let idle = self.idle.notified();
            if self.refuse_new_units() {
                break;
            }
            idle.await;
        }
        self.pool.close();
    }

    /// Returns whether no lane is left.
    fn refuse_new_units(&self) -> bool {
        let mut state = self.lock_state();
        state.closed = true;
        state.lanes.is_empty()
    }

    async fn run_lane(self: Arc<TenantLanes>, tenant: TenantId) {
        loop {
            let batch = {
                let mut state = self.lock_state();
                let batch = state.lanes.get_mut(&tenant).map(UnitQueue::take).unwrap_or_default();
                if batch.is_empty() {
                    state.lanes.remove(&tenant);
                    self.idle.notify_waiters();
                    return;
                }
                batch
            };
            let unfinished = self.commit_batch(tenant, batch).await;
            if !unfinished.is_empty() {
                self.lock_state().lanes.entry(tenant).or_default().put_back(unfinished);
            }
        }
    }

    /// Runs a batch in one transaction and answers its callers. Returns the units that must run again.
    async fn commit_batch(
        &self,
        tenant: TenantId,
        batch: VecDeque<PrioritizedUnit>,
    ) -> VecDeque<PrioritizedUnit> {
        let session = match self.begin_transaction(tenant).await {
            Ok(session) => session,
            Err(error) => {
                crate::warn_unless_outage!(error, %tenant, units = batch.len(), "cannot begin");
                self.health.report_failure(&error);
                batch.into_iter().for_each(|job| job.work.answer(Some(error.clone())));
                return VecDeque::new();
            }
        };
        let mut round = RunningBatch::new(batch, BATCH_TIME);
        let mut tx = Tx::new(AnySession::Postgres(Arc::clone(&session)), Arc::clone(&self.health));
        let mut ended = self.run_without_savepoints(tenant, &session, &mut tx, &mut round).await;
        if let Ok(BatchPassOutcome::Repeat) = ended {
            ended = self.run_with_savepoints(&session, &mut tx, &mut round).await;
        }
        let committed = match ended {
            Ok(_) => commit_transaction(&session).await,
            Err(error) => Err(error),
        };
        match &committed {
            Ok(()) if round.has_stored_writes() => self.health.report_success(),
            Ok(()) => {}
            Err(error) => {
                self.health.report_failure(error);
                session.spoil();
            }
        }
        // Return the connection to the pool before waking the callers: one of them may need it.
        drop(tx);
        drop(session);
        round.answer_callers(committed)
    }

    /// Savepoints are expensive and most batches need none. Without them, a unit that fails after it wrote rolls back
    /// the batch, and all units that ran are queued again for a run with savepoints.
    async fn run_without_savepoints(
        &self,
        tenant: TenantId,
        session: &ServerSession,
        tx: &mut Tx,
        round: &mut RunningBatch,
    ) -> Result<BatchPassOutcome, Error> {
        while let Some(mut job) = round.next() {
            let result = tokio::time::timeout(self.unit_timeout, run_unit(tx, &mut job.work)).await;
            let result =
                result.unwrap_or(Err(Error::TooSlow)).inspect_err(|error| self.health.report_failure(error));
            if matches!(result, Ok(TransactionVerdict::Commit | TransactionVerdict::NoWrites)) {
                round.record_outcome(job, result);
                continue;
            }
            let has_kept = round.has_stored_writes();
            let first = if has_kept { "; SAVEPOINT unit" } else { "" };
            if let Err(error) =
                session.execute_control(&format!("ROLLBACK; {}{first}", render_begin_with_lock(tenant))).await
            {
                round.record_outcome(job, result);
                return Err(error);
            }
            if has_kept {
                round.restart_after_rollback(job, result);
                return Ok(BatchPassOutcome::Repeat);
            }
            // No earlier write is lost: the batch continues in a new transaction.
            round.record_outcome(job, result);
        }
        Ok(BatchPassOutcome::Done)
    }

    /// Runs each unit in a savepoint. Savepoint commands are sent with the first statement of the next unit, so they
    /// cost no extra round trip. The first savepoint is already set.
    async fn run_with_savepoints(
        &self,
        session: &ServerSession,
        tx: &mut Tx,
        round: &mut RunningBatch,
    ) -> Result<BatchPassOutcome, Error> {
        let mut before = "";
        while let Some(mut job) = round.next() {
            let unit = join(session.execute_control(before), run_unit(tx, &mut job.work));
            let (opened, result) =
                tokio::time::timeout(self.unit_timeout, unit).await.unwrap_or((Ok(()), Err(Error::TooSlow)));
            let keep = matches!(result, Ok(TransactionVerdict::Commit));
            round.record_outcome(job, result);
            // Without its savepoint a unit cannot be rolled back alone.
            opened?;
            before = if keep { "RELEASE unit; SAVEPOINT unit" } else { "" };
            if !keep {
                // Awaited here, so that a slow statement still running does not consume the next unit's time.
                session.execute_control("ROLLBACK TO unit").await?;
            }
        }
        Ok(BatchPassOutcome::Done)
    }

    /// A connection with an open transaction that holds the tenant's lock. A connection that the server has closed
    /// fails here, before any unit ran, so another one is tried.
    async fn begin_transaction(
        &self,
        tenant: TenantId,
    ) -> Result<deadpool::managed::Object<SessionFactory>, Error> {
        let text = render_begin_with_lock(tenant);
        let mut tries = 0;
        loop {
            let session = take_session(&self.pool).await?;
            match session.execute_control(&text).await {
                Ok(()) => return Ok(session),
                Err(error) => {
                    let ended = session.is_lost(&error);
                    session.spoil();
                    tries += 1;
                    // One server restart can close as many connections as the pool holds.
                    if !ended || tries > self.pool.status().max_size {
                        return Err(error);
                    }
                }
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, TenantLaneState> {
        self.state.lock().expect("the lanes are never poisoned")
    }
}

fn render_begin_with_lock(tenant: TenantId) -> String {
    format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK_NAMESPACE}, {tenant})")
}

/// Commits. Once COMMIT is sent, only its response tells the outcome. The server does not report an error for COMMIT
/// in a failed transaction, so a `SELECT 1`, which would fail, precedes it.
async fn commit_transaction(session: &ServerSession) -> Result<(), Error> {
    match session.execute_control("SELECT 1; COMMIT").await {
        Err(error) if session.is_sound() && !session.is_lost(&error) => Err(error),
        Err(_) => Err(Error::Unknown),
        Ok(()) => Ok(()),
    }
}
