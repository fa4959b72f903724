//! Decides for which due receivers messages are taken, and how many.

use super::engine::DispatchEngine;
use super::lock::lock_mutex;
use super::receiver_queue::ReceiverQueue;
use super::take_messages::ReceiverDemand;
use app::Error;
use app::triggers::{self, DueReceiver, RetryPolicy};
use domain::TenantId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// With many receivers the list of due receivers is slow to query. It is reused for this multiple of the time the query
/// took.
const SNAPSHOT_REUSE_FACTOR: u32 = 3;

/// The last list of due receivers and how long its query took.
#[derive(Default)]
pub(super) struct DueSnapshot {
    pub(super) due: Vec<DueReceiver>,
    pub(super) queried_at: Option<Instant>,
    pub(super) took: Duration,
    /// A turn reused the list instead of querying.
    pub(super) is_used: bool,
}

impl DueSnapshot {
    /// How long the list may still be reused; `None` once it has expired.
    pub(super) fn remaining_validity(&self) -> Option<Duration> {
        let left = (self.took * SNAPSHOT_REUSE_FACTOR).checked_sub(self.queried_at?.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}

impl DispatchEngine {
    /// Takes as many due messages in flight as the limits allow.
    pub(super) async fn dispatch_due(
        self: &Arc<DispatchEngine>,
        snapshot: &mut DueSnapshot,
    ) -> Result<(), Error> {
        let mut demands: BTreeMap<TenantId, Vec<ReceiverDemand>> = BTreeMap::new();
        if snapshot.remaining_validity().is_some() {
            snapshot.is_used = true;
        } else {
            let queried_at = Instant::now();
            snapshot.due = triggers::list_due_receivers(&self.app).await?;
            (snapshot.queried_at, snapshot.took, snapshot.is_used) =
                (Some(queried_at), queried_at.elapsed(), false);
            for due in &snapshot.due {
                if let Some(queue) = self.known_queue(due) {
                    queue.mark_fresh(queried_at);
                }
            }
        }
        if self.stopping.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut receivers: HashMap<TenantId, usize> = HashMap::new();
        for due in &snapshot.due {
            *receivers.entry(due.tenant).or_default() += 1;
        }
        for due in &snapshot.due {
            if lock_mutex(&self.unwritten).is_tenant_blocked(due.tenant) {
                continue;
            }
            if lock_mutex(&self.busy_tenants).contains(&due.tenant) {
                lock_mutex(&self.skipped_tenants).insert(due.tenant);
                continue;
            }
            let others = receivers.get(&due.tenant).copied().unwrap_or(1);
            if let Some(one) = self.find_demand(snapshot, due, others).await {
                demands.entry(due.tenant).or_default().push(one);
            }
        }
        for (tenant, tenant_demands) in demands {
            lock_mutex(&self.busy_tenants).insert(tenant);
            tokio::spawn(Arc::clone(self).take_messages(tenant, tenant_demands));
        }
        let pending: HashSet<_> = snapshot.due.iter().map(|due| (due.tenant, due.receiver)).collect();
        let interval = self.settings.interval;
        for (tenant, receivers) in self
            .collect_idle_receivers(|key, progress| !pending.contains(key) && progress.is_idle_for(interval))
        {
            let engine = Arc::clone(self);
            tokio::spawn(async move { engine.release_receivers(tenant, receivers).await });
        }
        Ok(())
    }

    /// What to take for a receiver; `None` if nothing is pending or another process holds its lease.
    pub(super) async fn find_demand(
        &self,
        snapshot: &DueSnapshot,
        due: &DueReceiver,
        receivers: usize,
    ) -> Option<ReceiverDemand> {
        let now = self.app.now();
        let progress = self.receiver_progress(due.tenant, due.receiver);
        let prolonged = Instant::now() + self.settings.renewal_lead_time();
        // The lease may have been taken after the list was queried.
        let leased_since = snapshot.queried_at.and_then(|queried_at| progress.lease_end_since(queried_at));
        let is_leased = match &due.lease {
            _ if leased_since.is_some() => leased_since > Some(prolonged),
            Some((number, holder, ends_at)) if *holder == self.name => {
                *ends_at > now && progress.has_lease(*number, prolonged)
            }
            Some((_, _, ends_at)) if *ends_at > now => {
                progress.lose_lease();
                return None;
            }
            _ => false,
        };
        let queue = match self.load_queue(due).await {
            Ok(queue) => queue,
            Err(error) => {
                let reported_version =
                    lock_mutex(&self.unusable).insert((due.tenant, due.receiver), due.version);
                if reported_version != Some(due.version) {
                    tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
                }
                return None;
            }
        };
        let (in_order, has_due_retry) = progress.check_pending(due, now);
        let is_stopped = lock_mutex(&self.unwritten).is_receiver_blocked(due.tenant, due.receiver);
        let capacity = match (in_order || has_due_retry) && !is_stopped {
            true => self.receiver_capacity(due, &queue, receivers),
            false => 0,
        };
        if capacity == 0 && (is_leased || progress.lease_end().is_none()) {
            return None;
        }
        queue.in_flight.fetch_add(capacity, Ordering::Relaxed);
        self.in_flight.add(due.tenant, capacity);
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
    pub(super) fn receiver_capacity(
        &self,
        due: &DueReceiver,
        queue: &ReceiverQueue,
        receivers: usize,
    ) -> usize {
        let in_flight = queue.in_flight.load(Ordering::Relaxed);
        let limit = match is_only_probed(due) {
            true => 1,
            false => queue.in_flight_limit(self.settings.most / receivers.max(1)),
        };
        // A fast receiver is refilled when half of its messages are done, so that they are read in batches.
        if limit > queue.concurrency() && in_flight > limit / 2 {
            return 0;
        }
        let tenant_capacity = self.in_flight.remaining_capacity(due.tenant, self.settings.most);
        // A receiver with nothing in flight always gets at least one message, even if others use up the limit.
        limit.saturating_sub(in_flight).min(if in_flight == 0 {
            tenant_capacity.max(1)
        } else {
            tenant_capacity
        })
    }
}

fn is_only_probed(due: &DueReceiver) -> bool {
    RetryPolicy::is_only_probed(due.failures, due.failed_records)
}
