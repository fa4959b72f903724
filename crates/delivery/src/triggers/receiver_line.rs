//! What this process has to do with one receiver, and how much of everything it has in hand.

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

/// How many times its places a receiver has in hand at most while it answers fast, so that it never waits for us.
const AHEAD: usize = 128;
/// For so long it is believed that a receiver is still what it was when somebody last looked.
const FRESH: Duration = Duration::from_millis(20);
/// A connection over which nothing went for so long is closed.
const IDLE: Duration = Duration::from_secs(30);

pub struct ReceiverLine {
    pub keys: Arc<DeliveryTarget>,
    /// Shared with this receiver as it was before it was changed: whatever is on its way to it takes one of its places.
    work: Arc<Mutex<JobQueue>>,
    /// Connections that nobody uses, and since when.
    links: Mutex<Vec<(ReceiverConnection, Instant)>>,
    pub in_hand: AtomicUsize,
    /// How many it has in hand at most: one more with each fast answer, only its places again behind a slow one or none.
    ahead: AtomicUsize,
    /// When it was last seen to be neither paused, nor retired, nor changed.
    seen: Mutex<Instant>,
    /// Whose turn it is to look again.
    pub asking: tokio::sync::Mutex<()>,
}

/// What is in hand and waits for a place.
#[derive(Default)]
struct JobQueue {
    waiting: VecDeque<(Arc<ReceiverLine>, Arc<ReceiverProgress>, DeliveryJob)>,
    /// Places at which somebody works, and how many there are.
    taken: usize,
    places: usize,
}

impl ReceiverLine {
    /// One whose keys were read no earlier than at this moment, in the place of what was known before.
    pub fn new(keys: Arc<DeliveryTarget>, seen: Instant, before: Option<&ReceiverLine>) -> ReceiverLine {
        let places = usize::try_from(keys.concurrency).unwrap_or(1);
        let work = before.map(|before| Arc::clone(&before.work)).unwrap_or_default();
        lock_mutex(&work).places = places;
        ReceiverLine {
            keys,
            work,
            links: Mutex::default(),
            in_hand: AtomicUsize::new(0),
            ahead: AtomicUsize::new(places),
            seen: Mutex::new(seen),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Gives messages to be sent; says at how many more places somebody must begin to work.
    pub fn enqueue_jobs(
        self: &Arc<ReceiverLine>,
        jobs: impl IntoIterator<Item = (Arc<ReceiverProgress>, DeliveryJob)>,
    ) -> usize {
        let mut work = lock_mutex(&self.work);
        work.waiting.extend(jobs.into_iter().map(|(course, job)| (Arc::clone(self), course, job)));
        let more = work.waiting.len().min(work.places.saturating_sub(work.taken));
        work.taken += more;
        more
    }

    /// The next message for whoever works at a place, and the receiver as it was when it was taken in hand. Where there is
    /// none, or there are fewer places by now, the place is given up.
    pub fn next(&self) -> Option<(Arc<ReceiverLine>, Arc<ReceiverProgress>, DeliveryJob)> {
        let mut work = lock_mutex(&self.work);
        let next = if work.taken > work.places { None } else { work.waiting.pop_front() };
        if next.is_none() {
            work.taken -= 1;
        }
        next
    }

    /// The connection that was used last, of those that nobody uses.
    pub fn take_connection(&self) -> ReceiverConnection {
        lock_mutex(&self.links).pop().map(|(link, _)| link).unwrap_or_default()
    }

    pub fn return_connection(&self, link: ReceiverConnection) {
        if link.is_open() {
            lock_mutex(&self.links).push((link, Instant::now()));
        }
    }

    /// Closes connections that nobody used for long.
    pub fn close_idle_connections(&self) {
        lock_mutex(&self.links).retain(|(link, since)| link.is_open() && since.elapsed() < IDLE);
    }

    /// How many may be under way at once.
    pub fn concurrency(&self) -> usize {
        usize::try_from(self.keys.concurrency).unwrap_or(1)
    }

    /// How many it has in hand at most, where its share of what the process may have in hand is so many: a tenant has a part
    /// of that, but no receiver less than its places.
    pub fn in_flight_limit(&self, share: usize) -> usize {
        self.ahead.load(Ordering::Relaxed).min((share / SHARE).max(self.concurrency()))
    }

    /// Learns from an answer how far ahead to go.
    pub fn adjust_limit(&self, went_well: bool) {
        let places = self.concurrency();
        let next = |ahead: usize| if went_well { (ahead + 1).min(places * AHEAD) } else { places };
        let _ = self.ahead.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |ahead| Some(next(ahead)));
    }

    pub fn mark_fresh(&self, at: Instant) {
        let mut seen = lock_mutex(&self.seen);
        *seen = at.max(*seen);
    }

    pub fn is_fresh(&self) -> bool {
        lock_mutex(&self.seen).elapsed() < FRESH
    }
}

/// What this process has in hand: of everybody, and of each tenant.
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
        let of = all.1.entry(tenant).or_default();
        *of = of.saturating_sub(count);
    }

    /// How much more of a tenant may be taken. A quarter of everything is the most that one has, so that whoever's receivers
    /// are slow leaves room to the others.
    pub fn remaining_room(&self, tenant: TenantId, most: usize) -> usize {
        let all = lock_mutex(&self.0);
        let of = all.1.get(&tenant).copied().unwrap_or(0);
        most.saturating_sub(all.0).min((most / SHARE).max(1).saturating_sub(of))
    }
}

/// A tenant has one part in so many of what may be in hand.
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
