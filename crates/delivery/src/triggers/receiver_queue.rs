//! The delivery queue and connections of one receiver, and the in-flight counts per tenant.

use super::lock_mutex;
use super::message_window::ReceiverProgress;
use super::post::ReceiverConnection;
use app::triggers::DeliveryJob;
use app::triggers::receivers::DeliveryTarget;
use domain::TenantId;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A receiver that answers fast may have up to this multiple of its slots in flight, so that it is never idle.
const AHEAD: usize = 128;
/// How long a receiver's state is trusted after it was last read.
const FRESH: Duration = Duration::from_millis(20);
/// Idle connections are closed after this time.
const IDLE: Duration = Duration::from_secs(30);

pub struct ReceiverLine {
    pub keys: Arc<DeliveryTarget>,
    /// Shared with earlier versions of the same receiver: their messages use the same worker slots.
    work: Arc<Mutex<JobQueue>>,
    /// Idle connections, and since when.
    links: Mutex<Vec<(ReceiverConnection, Instant)>>,
    pub in_hand: AtomicUsize,
    /// In-flight limit: grows by one with each fast answer, and drops to the number of slots after a slow one or a
    /// failure.
    ahead: AtomicUsize,
    /// When the receiver was last seen unchanged and neither paused nor retired.
    fresh_at: Mutex<Instant>,
    /// Held by the caller that reads the receiver's state.
    pub asking: tokio::sync::Mutex<()>,
}

/// Messages that wait for a worker slot.
#[derive(Default)]
struct JobQueue {
    waiting: VecDeque<(Arc<ReceiverLine>, Arc<ReceiverProgress>, DeliveryJob)>,
    /// Slots in use, and their total.
    taken: usize,
    places: usize,
}

impl ReceiverLine {
    /// `fresh_at` is a time before the target was read. `before` is the previous version of the receiver.
    pub fn new(keys: Arc<DeliveryTarget>, fresh_at: Instant, before: Option<&ReceiverLine>) -> ReceiverLine {
        let places = usize::try_from(keys.concurrency).unwrap_or(1);
        let work = before.map(|before| Arc::clone(&before.work)).unwrap_or_default();
        lock_mutex(&work).places = places;
        ReceiverLine {
            keys,
            work,
            links: Mutex::default(),
            in_hand: AtomicUsize::new(0),
            ahead: AtomicUsize::new(places),
            fresh_at: Mutex::new(fresh_at),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Adds messages to the queue; returns how many new workers must be started.
    pub fn enqueue_jobs(
        self: &Arc<ReceiverLine>,
        jobs: impl IntoIterator<Item = (Arc<ReceiverProgress>, DeliveryJob)>,
    ) -> usize {
        let mut work = lock_mutex(&self.work);
        work.waiting.extend(jobs.into_iter().map(|(progress, job)| (Arc::clone(self), progress, job)));
        let more = work.waiting.len().min(work.places.saturating_sub(work.taken));
        work.taken += more;
        more
    }

    /// The next message for a worker, with the receiver version it was taken for. If there is none, or the number of
    /// slots was reduced, the worker's slot is freed.
    pub fn next(&self) -> Option<(Arc<ReceiverLine>, Arc<ReceiverProgress>, DeliveryJob)> {
        let mut work = lock_mutex(&self.work);
        let next = if work.taken > work.places { None } else { work.waiting.pop_front() };
        if next.is_none() {
            work.taken -= 1;
        }
        next
    }

    /// The most recently used idle connection.
    pub fn take_connection(&self) -> ReceiverConnection {
        lock_mutex(&self.links).pop().map(|(link, _)| link).unwrap_or_default()
    }

    pub fn return_connection(&self, link: ReceiverConnection) {
        if link.is_open() {
            lock_mutex(&self.links).push((link, Instant::now()));
        }
    }

    pub fn close_idle_connections(&self) {
        lock_mutex(&self.links).retain(|(link, since)| link.is_open() && since.elapsed() < IDLE);
    }

    /// How many requests may run at once.
    pub fn concurrency(&self) -> usize {
        usize::try_from(self.keys.concurrency).unwrap_or(1)
    }

    /// In-flight limit for a given share of the process's limit. A receiver gets a part of the share, but never less
    /// than its slots.
    pub fn in_flight_limit(&self, share: usize) -> usize {
        self.ahead.load(Ordering::Relaxed).min((share / SHARE).max(self.concurrency()))
    }

    /// Adapts the in-flight limit to an answer.
    pub fn adjust_limit(&self, went_well: bool) {
        let places = self.concurrency();
        let next = |ahead: usize| if went_well { (ahead + 1).min(places * AHEAD) } else { places };
        let _ = self.ahead.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |ahead| Some(next(ahead)));
    }

    pub fn mark_fresh(&self, at: Instant) {
        let mut fresh_at = lock_mutex(&self.fresh_at);
        *fresh_at = at.max(*fresh_at);
    }

    pub fn is_fresh(&self) -> bool {
        lock_mutex(&self.fresh_at).elapsed() < FRESH
    }
}

/// Messages in flight: in total, and per tenant.
#[derive(Default)]
pub struct InFlightCounts(Mutex<(usize, HashMap<TenantId, usize>)>);

impl InFlightCounts {
    pub fn total(&self) -> usize {
        lock_mutex(&self.0).0
    }

    pub fn add(&self, tenant: TenantId, count: usize) {
        let mut all = lock_mutex(&self.0);
        all.0 += count;
        *all.1.entry(tenant).or_default() += count;
    }

    pub fn subtract(&self, tenant: TenantId, count: usize) {
        let mut all = lock_mutex(&self.0);
        all.0 = all.0.saturating_sub(count);
        let tenant_count = all.1.entry(tenant).or_default();
        *tenant_count = tenant_count.saturating_sub(count);
    }

    /// How many more messages of a tenant may be taken. A tenant may use at most a quarter of the total, so that one
    /// with slow receivers leaves room for others.
    pub fn remaining_room(&self, tenant: TenantId, most: usize) -> usize {
        let all = lock_mutex(&self.0);
        let tenant_count = all.1.get(&tenant).copied().unwrap_or(0);
        most.saturating_sub(all.0).min((most / SHARE).max(1).saturating_sub(tenant_count))
    }
}

/// A tenant gets at most 1/`SHARE` of the in-flight limit.
const SHARE: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tenant_takes_a_quarter_and_leaves_the_rest_to_others() {
        let (slow, other) = (TenantId::new(1), TenantId::new(2));
        let in_hand = InFlightCounts::default();
        assert_eq!(in_hand.remaining_room(slow, 1024), 256);
        in_hand.add(slow, 256);
        assert_eq!((in_hand.remaining_room(slow, 1024), in_hand.remaining_room(other, 1024)), (0, 256));
        in_hand.subtract(slow, 6);
        assert_eq!((in_hand.remaining_room(slow, 1024), in_hand.total()), (6, 250));
        assert_eq!(
            (in_hand.remaining_room(other, 251), in_hand.remaining_room(other, 1)),
            (1, 0),
            "nor more than there is at all"
        );
    }
}
