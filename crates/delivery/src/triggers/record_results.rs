//! Records delivery outcomes. A message stays in flight until its outcome is stored, so that a later error does not
//! send it again. While outcomes cannot be stored, nothing more is sent.

use super::delivery_metrics::count_exhausted_messages;
use super::dispatch_state::DispatchState;
use super::lock::lock_mutex;
use super::message_result::MessageResult;
use super::records_in_flight::MessageResolution;
use app::Error;
use app::triggers::{self, DeliveryOutcome, DeliveryVerdict};
use domain::TenantId;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Maximum outcomes per transaction.
const OUTCOMES_PER_TRANSACTION: usize = 1024;
/// Retry pause after a failed write; it doubles each time up to `LONGEST_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Stands for no lease: lease numbers come from a counter that starts at 1.
const NO_LEASE: i64 = 0;

pub(super) fn record_result(state: &Arc<DispatchState>, tenant: TenantId, result: MessageResult) {
    let mut recorders = lock_mutex(&state.recorders);
    let recorder = recorders.entry(tenant).or_insert_with(|| {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(write_results(Arc::clone(state), tenant, receiver));
        sender
    });
    // The recorder task ends only with the process.
    let _ = recorder.send(result);
}

/// Stores the outcomes of one tenant in batches.
async fn write_results(
    state: Arc<DispatchState>,
    tenant: TenantId,
    mut results: mpsc::UnboundedReceiver<MessageResult>,
) {
    let mut batch = Vec::with_capacity(OUTCOMES_PER_TRANSACTION);
    while results.recv_many(&mut batch, OUTCOMES_PER_TRANSACTION).await > 0 {
        for one in &mut batch {
            let job = &mut one.outcome.job;
            job.has_record_queue |= one.progress.has_more(job);
        }
        let written = write_batch(&state, tenant, &batch).await;
        for one in batch.drain(..) {
            match &written {
                Ok(is_written) => finish_result(&state, one, *is_written),
                Err(_) => write_single(&state, one).await,
            }
        }
        state.wake.notify_one();
    }
}

/// Retries until the batch is stored. Fails on a permanent error, caused by one of the outcomes; returns `false` if
/// the process stops first and the batch is left to the next lease holder.
async fn write_batch(
    state: &DispatchState,
    tenant: TenantId,
    batch: &[MessageResult],
) -> Result<bool, Error> {
    let (started_at, mut pause) = (Instant::now(), FIRST_PAUSE);
    let ended = loop {
        match conclude_outcomes(state, tenant, batch.iter().map(|one| one.outcome.clone()).collect()).await {
            Ok(()) => break Ok(true),
            Err(error) if !error.is_transient() => break Err(error),
            Err(error) => {
                storage::warn_unless_outage!(error, %tenant, "delivery outcomes could not be recorded; retrying");
            }
        }
        lock_mutex(&state.unwritten).tenants.insert(tenant);
        if has_given_up(state, started_at) {
            return Ok(false);
        }
        tokio::time::sleep(pause).await;
        pause = double_pause(pause);
    };
    lock_mutex(&state.unwritten).tenants.remove(&tenant);
    ended
}

/// Stores one outcome of a batch that failed. If it is refused, it is retried separately and its message stays in
/// flight.
async fn write_single(state: &Arc<DispatchState>, mut one: MessageResult) {
    let job = &one.outcome.job;
    let (tenant, receiver, history) = (job.tenant, job.receiver, job.history);
    match conclude_single(state, &mut one).await {
        Ok(()) => finish_result(state, one, true),
        Err(error) => {
            tracing::error!(%tenant, %receiver, %history, %error, "a delivery outcome could not be recorded; retrying");
            lock_mutex(&state.unwritten).set_aside(tenant, receiver);
            tokio::spawn(retry_set_aside(Arc::clone(state), one));
        }
    }
}

async fn retry_set_aside(state: Arc<DispatchState>, mut one: MessageResult) {
    let (tenant, receiver) = (one.outcome.job.tenant, one.outcome.job.receiver);
    let (started_at, mut pause) = (Instant::now(), FIRST_PAUSE);
    let is_written = loop {
        tokio::time::sleep(pause).await;
        pause = double_pause(pause);
        match conclude_single(&state, &mut one).await {
            Ok(()) => break true,
            Err(_) if has_given_up(&state, started_at) => break false,
            Err(error) => {
                tracing::debug!(%tenant, %receiver, %error, "a delivery outcome still could not be recorded");
            }
        }
    };
    lock_mutex(&state.unwritten).take_back(tenant, receiver);
    finish_result(&state, one, is_written);
    state.wake.notify_one();
}

/// Stores one outcome. On a conflict it may already be stored, because the answer to an earlier try was lost: then
/// it is repeated without a lease, so that the current state of the message is looked up.
async fn conclude_single(state: &DispatchState, one: &mut MessageResult) -> Result<(), Error> {
    let tenant = one.outcome.job.tenant;
    let concluded = conclude_outcomes(state, tenant, vec![one.outcome.clone()]).await;
    if !matches!(concluded, Err(Error::Storage(storage::Error::Conflict(_)))) {
        return concluded;
    }
    one.outcome.job.lease = NO_LEASE;
    conclude_outcomes(state, tenant, vec![one.outcome.clone()]).await
}

async fn conclude_outcomes(
    state: &DispatchState,
    tenant: TenantId,
    outcomes: Vec<DeliveryOutcome>,
) -> Result<(), Error> {
    let holder_and_policy = (&state.holder, &state.settings.policy);
    let concluded = triggers::record_outcomes(&state.app, holder_and_policy, tenant, outcomes).await?;
    count_exhausted_messages(concluded.exhausted);
    for one in concluded.paused {
        tracing::error!(%tenant, receiver = %one.receiver, why = ?one.why, "a receiver was paused");
    }
    Ok(())
}

/// A stopping process gives up after one lease duration.
fn has_given_up(state: &DispatchState, started_at: Instant) -> bool {
    state.stopping.load(Ordering::Relaxed) && started_at.elapsed() >= state.settings.lease
}

/// Takes the message out of flight.
fn finish_result(
    state: &DispatchState,
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
    state.in_flight.subtract(outcome.job.tenant, 1);
}

fn double_pause(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}
