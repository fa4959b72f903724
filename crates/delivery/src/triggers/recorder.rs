//! Records delivery outcomes. A message stays in flight until its outcome is stored, so that a later error does not
//! send it again. While outcomes cannot be stored, nothing more is sent.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::message_window::{MessageResolution, ReceiverProgress};
use super::outcome::count_exhausted_messages;
use super::receiver_queue::ReceiverQueue;
use app::Error;
use app::triggers::{self, DeliveryOutcome, DeliveryVerdict};
use domain::{ReceiverCode, TenantId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Maximum outcomes per transaction.
const OUTCOMES_PER_TRANSACTION: usize = 1024;
/// Retry pause after a failed write; it doubles each time up to `LONGEST_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A receiver is blocked while this many of its outcomes cannot be stored, even if those of others can.
const MOST_SET_ASIDE: usize = 5;
/// Stands for no lease: lease numbers come from a counter that starts at 1.
const NO_LEASE: i64 = 0;

/// A delivery outcome, with the queue whose slot it keeps until it is stored.
pub struct MessageResult {
    pub outcome: DeliveryOutcome,
    pub progress: Arc<ReceiverProgress>,
    pub held_queue: Option<Arc<ReceiverQueue>>,
}

/// Outcomes that wait because they cannot be stored.
#[derive(Default)]
pub struct UnwrittenResults {
    /// Tenants for which the database accepts no write.
    tenants: HashSet<TenantId>,
    /// Number of single outcomes that were refused, per receiver.
    set_aside: HashMap<(TenantId, ReceiverCode), usize>,
}

impl UnwrittenResults {
    pub fn is_tenant_blocked(&self, tenant: TenantId) -> bool {
        self.tenants.contains(&tenant)
    }

    /// Whether sending to a receiver must stop.
    pub fn is_receiver_blocked(&self, tenant: TenantId, receiver: ReceiverCode) -> bool {
        let aside = self.set_aside.get(&(tenant, receiver)).copied().unwrap_or(0);
        self.is_tenant_blocked(tenant) || aside >= MOST_SET_ASIDE
    }

    fn set_aside(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        *self.set_aside.entry((tenant, receiver)).or_default() += 1;
    }

    fn take_back(&mut self, tenant: TenantId, receiver: ReceiverCode) {
        let Some(count) = self.set_aside.get_mut(&(tenant, receiver)) else { return };
        *count -= 1;
        if *count == 0 {
            self.set_aside.remove(&(tenant, receiver));
        }
    }
}

fn double_pause(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

impl DispatchEngine {
    pub(super) fn record_result(self: &Arc<DispatchEngine>, tenant: TenantId, result: MessageResult) {
        let mut recorders = lock_mutex(&self.recorders);
        let recorder = recorders.entry(tenant).or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            tokio::spawn(Arc::clone(self).write_results(tenant, receiver));
            sender
        });
        // The recorder task ends only with the process.
        let _ = recorder.send(result);
    }

    /// Stores the outcomes of one tenant in batches.
    async fn write_results(
        self: Arc<DispatchEngine>,
        tenant: TenantId,
        mut results: mpsc::UnboundedReceiver<MessageResult>,
    ) {
        let mut batch = Vec::with_capacity(OUTCOMES_PER_TRANSACTION);
        while results.recv_many(&mut batch, OUTCOMES_PER_TRANSACTION).await > 0 {
            for one in &mut batch {
                let job = &mut one.outcome.job;
                job.has_record_queue |= one.progress.has_more(job);
            }
            let written = self.write_batch(tenant, &batch).await;
            for one in batch.drain(..) {
                match &written {
                    Ok(is_written) => self.finish_result(one, *is_written),
                    Err(_) => self.write_single(one).await,
                }
            }
            self.wake.notify_one();
        }
    }

    /// Retries until the batch is stored. Fails on a permanent error, caused by one of the outcomes; returns `false` if
    /// the process stops first and the batch is left to the next lease holder.
    async fn write_batch(&self, tenant: TenantId, batch: &[MessageResult]) -> Result<bool, Error> {
        let (started_at, mut pause) = (Instant::now(), FIRST_PAUSE);
        let ended = loop {
            match self.conclude_outcomes(tenant, batch.iter().map(|one| one.outcome.clone()).collect()).await
            {
                Ok(()) => break Ok(true),
                Err(error) if !error.is_transient() => break Err(error),
                Err(error) => {
                    tracing::warn!(%tenant, %error, "delivery outcomes could not be recorded; retrying");
                }
            }
            lock_mutex(&self.unwritten).tenants.insert(tenant);
            if self.has_given_up(started_at) {
                return Ok(false);
            }
            tokio::time::sleep(pause).await;
            pause = double_pause(pause);
        };
        lock_mutex(&self.unwritten).tenants.remove(&tenant);
        ended
    }

    /// Stores one outcome of a batch that failed. If it is refused, it is retried separately and its message stays in
    /// flight.
    async fn write_single(self: &Arc<DispatchEngine>, mut one: MessageResult) {
        let job = &one.outcome.job;
        let (tenant, receiver, history) = (job.tenant, job.receiver, job.history);
        match self.conclude_single(&mut one).await {
            Ok(()) => self.finish_result(one, true),
            Err(error) => {
                tracing::error!(%tenant, %receiver, %history, %error, "a delivery outcome could not be recorded; retrying");
                lock_mutex(&self.unwritten).set_aside(tenant, receiver);
                tokio::spawn(Arc::clone(self).retry_set_aside(one));
            }
        }
    }

    async fn retry_set_aside(self: Arc<DispatchEngine>, mut one: MessageResult) {
        let (tenant, receiver) = (one.outcome.job.tenant, one.outcome.job.receiver);
        let (started_at, mut pause) = (Instant::now(), FIRST_PAUSE);
        let is_written = loop {
            tokio::time::sleep(pause).await;
            pause = double_pause(pause);
            match self.conclude_single(&mut one).await {
                Ok(()) => break true,
                Err(_) if self.has_given_up(started_at) => break false,
                Err(error) => {
                    tracing::debug!(%tenant, %receiver, %error, "a delivery outcome still could not be recorded");
                }
            }
        };
        lock_mutex(&self.unwritten).take_back(tenant, receiver);
        self.finish_result(one, is_written);
        self.wake.notify_one();
    }

    /// Stores one outcome. On a conflict it may already be stored, because the answer to an earlier try was lost: then
    /// it is repeated without a lease, so that the current state of the message is looked up.
    async fn conclude_single(&self, one: &mut MessageResult) -> Result<(), Error> {
        let tenant = one.outcome.job.tenant;
        let concluded = self.conclude_outcomes(tenant, vec![one.outcome.clone()]).await;
        if !matches!(concluded, Err(Error::Storage(storage::Error::Conflict(_)))) {
            return concluded;
        }
        one.outcome.job.lease = NO_LEASE;
        self.conclude_outcomes(tenant, vec![one.outcome.clone()]).await
    }

    async fn conclude_outcomes(&self, tenant: TenantId, outcomes: Vec<DeliveryOutcome>) -> Result<(), Error> {
        let holder_and_policy = (&self.holder, &self.settings.policy);
        let concluded = triggers::record_outcomes(&self.app, holder_and_policy, tenant, outcomes).await?;
        count_exhausted_messages(concluded.exhausted);
        for one in concluded.paused {
            tracing::error!(%tenant, receiver = %one.receiver, why = ?one.why, "a receiver was paused");
        }
        Ok(())
    }

    /// A stopping process gives up after one lease duration.
    fn has_given_up(&self, started_at: Instant) -> bool {
        self.stopping.load(Ordering::Relaxed) && started_at.elapsed() >= self.settings.lease
    }

    /// Takes the message out of flight.
    fn finish_result(
        &self,
        MessageResult { outcome, progress, held_queue }: MessageResult,
        is_written: bool,
    ) {
        let is_ended = is_written && outcome.verdict != DeliveryVerdict::Untried;
        progress.finish_message(
            &outcome.job,
            if is_ended { MessageResolution::Recorded } else { MessageResolution::Open },
        );
        if let Some(queue) = held_queue {
            queue.in_flight.fetch_sub(1, Ordering::Relaxed);
        }
        self.in_flight.subtract(outcome.job.tenant, 1);
    }
}
