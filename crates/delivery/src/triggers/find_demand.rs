//! Decides whether messages of a due receiver are taken, and how many.

use super::dispatch_state::DispatchState;
use super::due_snapshot::DueSnapshot;
use super::load_receiver_queue::load_receiver_queue;
use super::lock::lock_mutex;
use super::receiver_demand::ReceiverDemand;
use super::receiver_queue::ReceiverQueue;
use app::triggers::DueReceiver;
use domain::RetryPolicy;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What to take for a receiver; `None` if nothing is pending or another process holds its lease.
pub(super) async fn find_demand(
    state: &DispatchState,
    snapshot: &DueSnapshot,
    due: &DueReceiver,
    receivers: usize,
) -> Option<ReceiverDemand> {
    let now = state.app.now();
    let progress = state.records_in_flight(due.tenant, due.receiver);
    let prolonged = Instant::now() + state.settings.renewal_lead_time();
    // The lease may have been taken after the list was queried.
    let leased_since = snapshot.queried_at.and_then(|queried_at| progress.lease_end_since(queried_at));
    let is_leased = match &due.lease {
        _ if leased_since.is_some() => leased_since > Some(prolonged),
        Some((number, holder, ends_at)) if *holder == state.name => {
            *ends_at > now && progress.has_lease(*number, prolonged)
        }
        Some((_, _, ends_at)) if *ends_at > now => {
            progress.lose_lease();
            return None;
        }
        _ => false,
    };
    let queue = match load_receiver_queue(state, due).await {
        Ok(queue) => queue,
        Err(error) => {
            let reported_version =
                lock_mutex(&state.unusable).insert((due.tenant, due.receiver), due.version);
            if reported_version != Some(due.version) {
                tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
            }
            return None;
        }
    };
    let (in_order, has_due_retry) = progress.check_pending(due, now);
    let is_stopped = lock_mutex(&state.unwritten).is_receiver_blocked(due.tenant, due.receiver);
    let capacity = match (in_order || has_due_retry) && !is_stopped {
        true => compute_capacity(state, due, &queue, receivers),
        false => 0,
    };
    if capacity == 0 && (is_leased || progress.lease_end().is_none()) {
        return None;
    }
    queue.in_flight.fetch_add(capacity, Ordering::Relaxed);
    state.in_flight.add(due.tenant, capacity);
    Some(ReceiverDemand {
        receiver: due.receiver,
        queue,
        progress,
        capacity,
        in_order,
        has_due_retry,
        is_leased,
    })
}

/// How many more messages of a receiver may be in flight; `receivers` is the number of due receivers of its tenant.
fn compute_capacity(
    state: &DispatchState,
    due: &DueReceiver,
    queue: &ReceiverQueue,
    receivers: usize,
) -> usize {
    let in_flight = queue.in_flight.load(Ordering::Relaxed);
    let limit = match RetryPolicy::is_only_probed(due.failures, due.failed_records) {
        true => 1,
        false => queue.in_flight_limit(state.settings.most / receivers.max(1)),
    };
    // A fast receiver is refilled when half of its messages are done, so that they are read in batches.
    if limit > queue.concurrency() && in_flight > limit / 2 {
        return 0;
    }
    let tenant_capacity = state.in_flight.remaining_capacity(due.tenant, state.settings.most);
    // A receiver with nothing in flight always gets at least one message, even if others use up the limit.
    limit.saturating_sub(in_flight).min(if in_flight == 0 { tenant_capacity.max(1) } else { tenant_capacity })
}
