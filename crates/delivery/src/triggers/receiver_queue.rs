//! The delivery queue and connections of one receiver.

use super::lock::lock_mutex;
use super::post::ReceiverConnection;
use super::records_in_flight::ReceiverProgress;
use super::tenant_share::TENANT_SHARE;
use app::triggers::DeliveryJob;
use app::triggers::receivers::DeliveryTarget;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A receiver that answers fast may have up to this multiple of its slots in flight, so that it is never idle.
const IN_FLIGHT_PER_SLOT: usize = 128;
/// How long a receiver's state is trusted after it was last read.
const STATE_TRUSTED_FOR: Duration = Duration::from_millis(20);
/// Idle connections are closed after this time.
const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(30);

pub struct ReceiverQueue {
    pub target: Arc<DeliveryTarget>,
    /// Shared with earlier versions of the same receiver: their messages use the same worker slots.
    work: Arc<Mutex<JobQueue>>,
    /// Idle connections, and since when.
    connections: Mutex<Vec<(ReceiverConnection, Instant)>>,
    pub in_flight: AtomicUsize,
    /// In-flight limit: grows by one with each fast answer, and drops to the number of slots after a slow one or a
    /// failure.
    limit: AtomicUsize,
    /// When the receiver was last seen unchanged and neither paused nor retired.
    fresh_at: Mutex<Instant>,
    /// Held by the caller that reads the receiver's state.
    pub state_check: tokio::sync::Mutex<()>,
}

/// Messages that wait for a worker slot.
#[derive(Default)]
struct JobQueue {
    waiting: VecDeque<(Arc<ReceiverQueue>, Arc<ReceiverProgress>, DeliveryJob)>,
    /// Slots in use, and their total.
    slots_in_use: usize,
    slots: usize,
}

impl ReceiverQueue {
    /// `fresh_at` is a time before the target was read. `before` is the previous version of the receiver.
    pub fn new(
        target: Arc<DeliveryTarget>,
        fresh_at: Instant,
        before: Option<&ReceiverQueue>,
    ) -> ReceiverQueue {
        let slots = usize::try_from(target.concurrency).unwrap_or(1);
        let work = before.map(|before| Arc::clone(&before.work)).unwrap_or_default();
        lock_mutex(&work).slots = slots;
        ReceiverQueue {
            target,
            work,
            connections: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            limit: AtomicUsize::new(slots),
            fresh_at: Mutex::new(fresh_at),
            state_check: tokio::sync::Mutex::default(),
        }
    }

    /// Adds messages to the queue; returns how many new workers must be started.
    pub fn enqueue_jobs(
        self: &Arc<ReceiverQueue>,
        jobs: impl IntoIterator<Item = (Arc<ReceiverProgress>, DeliveryJob)>,
    ) -> usize {
        let mut work = lock_mutex(&self.work);
        work.waiting.extend(jobs.into_iter().map(|(progress, job)| (Arc::clone(self), progress, job)));
        let more = work.waiting.len().min(work.slots.saturating_sub(work.slots_in_use));
        work.slots_in_use += more;
        more
    }

    /// The next message for a worker, with the receiver version it was taken for. If there is none, or the number of
    /// slots was reduced, the worker's slot is freed.
    pub fn next(&self) -> Option<(Arc<ReceiverQueue>, Arc<ReceiverProgress>, DeliveryJob)> {
        let mut work = lock_mutex(&self.work);
        let next = if work.slots_in_use > work.slots { None } else { work.waiting.pop_front() };
        if next.is_none() {
            work.slots_in_use -= 1;
        }
        next
    }

    /// The most recently used idle connection.
    pub fn take_connection(&self) -> ReceiverConnection {
        lock_mutex(&self.connections).pop().map(|(connection, _)| connection).unwrap_or_default()
    }

    pub fn return_connection(&self, connection: ReceiverConnection) {
        if connection.is_open() {
            lock_mutex(&self.connections).push((connection, Instant::now()));
        }
    }

    pub fn close_idle_connections(&self) {
        lock_mutex(&self.connections)
            .retain(|(connection, since)| connection.is_open() && since.elapsed() < IDLE_CONNECTION_TIMEOUT);
    }

    /// How many requests may run at once.
    pub fn concurrency(&self) -> usize {
        usize::try_from(self.target.concurrency).unwrap_or(1)
    }

    /// In-flight limit for a given share of the process's limit. A receiver gets a part of the share, but never less
    /// than its slots.
    pub fn in_flight_limit(&self, share: usize) -> usize {
        self.limit.load(Ordering::Relaxed).min((share / TENANT_SHARE).max(self.concurrency()))
    }

    /// Adapts the in-flight limit to an answer.
    pub fn adjust_limit(&self, went_well: bool) {
        let slots = self.concurrency();
        let next = |limit: usize| if went_well { (limit + 1).min(slots * IN_FLIGHT_PER_SLOT) } else { slots };
        let _ = self.limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |limit| Some(next(limit)));
    }

    pub fn mark_fresh(&self, at: Instant) {
        let mut fresh_at = lock_mutex(&self.fresh_at);
        *fresh_at = at.max(*fresh_at);
    }

    pub fn is_fresh(&self) -> bool {
        lock_mutex(&self.fresh_at).elapsed() < STATE_TRUSTED_FOR
    }
}
