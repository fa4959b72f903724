//! What this process knows of the messages of one receiver while it holds its lease: how far it has looked, and which
//! records have a message in hand. A record has one at a time, so that its changes arrive in their order.

use super::lock_mutex;
use app::triggers::{DeliveryJob, DueReceiver, PendingPosition};
use domain::{Entity, HistoryCode, Moment};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Records that wait for a moment are not looked for again so soon, where all that were found are in hand already.
const FRUITLESS: Duration = Duration::from_millis(20);

type RecordKey = (Entity, i32);

#[derive(Default)]
pub struct ReceiverProgress(Mutex<ProgressState>);

struct ProgressState {
    lease: Option<HeldLease>,
    /// Everything up to this change was looked at.
    seen: HistoryCode,
    /// During a look: from behind which change it must be looked at once more.
    again: Option<HistoryCode>,
    in_hand: HashMap<RecordKey, InFlightMessage>,
    /// Records whose message ended since the last look began: what that look finds of them may be out of date.
    ended: HashSet<RecordKey>,
    /// When records that wait for a moment were last looked for in vain.
    fruitless: Option<Instant>,
    idle_since: Option<Instant>,
}

#[derive(Clone, Copy)]
struct HeldLease {
    number: i64,
    /// When it was asked for.
    since: Instant,
    until: Instant,
}

struct InFlightMessage {
    history: HistoryCode,
    /// It came from its record's own queue.
    waited: bool,
    /// More of its record was seen behind it.
    more: bool,
}

impl Default for ProgressState {
    fn default() -> ProgressState {
        ProgressState {
            lease: None,
            seen: HistoryCode::new(0),
            again: None,
            in_hand: HashMap::new(),
            ended: HashSet::new(),
            fruitless: None,
            idle_since: None,
        }
    }
}

/// What a look may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueScan {
    pub lease: i64,
    pub after: HistoryCode,
    /// How many records with queues of their own are in hand, and will be found again.
    pub waited: i64,
}

/// How it ended with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageResolution {
    Recorded,
    /// It was not tried, or what came of it could not be written: it is still to be sent.
    Open,
}

impl ReceiverProgress {
    /// Until when the receiver is this process's own, if it is.
    pub fn lease_end(&self) -> Option<Instant> {
        lock_mutex(&self.0).lease.map(|held| held.until)
    }

    /// The same for a message: not where the receiver was somebody else's since it was taken, or it goes again.
    pub fn lease_end_for(&self, job: &DeliveryJob) -> Option<Instant> {
        lock_mutex(&self.0).lease.filter(|held| held.number == job.lease).map(|held| held.until)
    }

    /// Until when it is this process's own, where it was leased behind this moment: who asked then knows nothing of it.
    pub fn lease_end_since(&self, asked: Instant) -> Option<Instant> {
        lock_mutex(&self.0).lease.filter(|held| held.since > asked).map(|held| held.until)
    }

    /// Whether the lease that the database knows is the one known here, for a while longer.
    pub fn has_lease(&self, number: i64, until: Instant) -> bool {
        lock_mutex(&self.0).lease.is_some_and(|held| held.number == number && held.until > until)
    }

    /// The receiver is this process's own. Under a new number nothing is known of it any more but what is in hand.
    pub fn hold_lease(&self, number: i64, since: Instant, until: Instant) {
        let mut state = lock_mutex(&self.0);
        if state.lease.is_none_or(|held| held.number != number) {
            state.seen = HistoryCode::new(0);
            state.fruitless = None;
        }
        state.lease = Some(HeldLease { number, since, until });
    }

    pub fn lose_lease(&self) {
        lock_mutex(&self.0).lease = None;
    }

    /// Whether it is held, and nothing was pending for so long.
    pub fn is_idle_for(&self, span: Duration) -> bool {
        let mut state = lock_mutex(&self.0);
        if state.lease.is_none() || !state.in_hand.is_empty() {
            state.idle_since = None;
            return false;
        }
        state.idle_since.get_or_insert_with(Instant::now).elapsed() >= span
    }

    /// Whether there may be something to take: behind what was seen, or of the records that wait.
    pub fn check_pending(&self, due: &DueReceiver, now: Moment) -> (bool, bool) {
        let mut state = lock_mutex(&self.0);
        state.idle_since = None;
        let waited = due.first_wait.is_some_and(|at| at <= now)
            && state.fruitless.is_none_or(|at| at.elapsed() >= FRUITLESS);
        (due.newest > state.seen || state.lease.is_none(), waited)
    }

    pub fn begin_scan(&self) -> Option<QueueScan> {
        let mut state = lock_mutex(&self.0);
        let held = state.lease?;
        state.ended.clear();
        state.again = None;
        let waited = state.in_hand.values().filter(|one| one.waited).count();
        Some(QueueScan { lease: held.number, after: state.seen, waited: waited as i64 })
    }

    /// Of what a look found, what is taken in hand: at most `room`. The rest is found again.
    pub fn choose_jobs(&self, found: Vec<(DeliveryJob, PendingPosition)>, room: usize) -> Vec<DeliveryJob> {
        let mut state = lock_mutex(&self.0);
        let mut chosen = Vec::with_capacity(found.len());
        let (mut looked, mut waited) = (false, 0);
        for (job, place) in found {
            if chosen.len() == room {
                break;
            }
            let record = (job.entity, job.record);
            looked |= place == PendingPosition::RetryDue;
            let is_stale = state.ended.contains(&record);
            if place != PendingPosition::RetryDue {
                state.seen = job.history;
                if is_stale && place == PendingPosition::InOrder {
                    state.rescan_from(decrement_code(job.history));
                }
            }
            match state.in_hand.get_mut(&record) {
                Some(own) if place != PendingPosition::RetryDue => own.more |= own.history < job.history,
                Some(_) => {}
                None if is_stale || place == PendingPosition::BehindRetry => {}
                None => {
                    let is_waited = place == PendingPosition::RetryDue;
                    waited += usize::from(is_waited);
                    let history = job.history;
                    state.in_hand.insert(record, InFlightMessage { history, waited: is_waited, more: false });
                    chosen.push(job);
                }
            }
        }
        if let Some(again) = state.again.take() {
            state.seen = state.seen.min(again);
        }
        if looked {
            state.fruitless = (waited == 0).then(Instant::now);
        }
        chosen
    }

    /// Whether more of its record was seen behind a message in hand.
    pub fn has_more(&self, job: &DeliveryJob) -> bool {
        lock_mutex(&self.0).in_hand.get(&(job.entity, job.record)).is_some_and(|own| own.more)
    }

    /// A message is in hand no more.
    pub fn finish_message(&self, job: &DeliveryJob, end: MessageResolution) {
        let mut state = lock_mutex(&self.0);
        let record = (job.entity, job.record);
        let Some(own) = state.in_hand.remove(&record) else { return };
        state.ended.insert(record);
        if job.goes_on {
            state.fruitless = None;
        }
        // Taken under another lease, it says nothing of what its record goes on with under this one.
        let is_known = state.lease.is_some_and(|held| held.number == job.lease);
        if !is_known || (end == MessageResolution::Open && !own.waited) {
            state.rescan_from(decrement_code(job.history));
        } else if end == MessageResolution::Recorded && own.more && !job.goes_on {
            // Seen only after it was said what the record goes on with.
            state.rescan_from(job.history);
        }
    }
}

fn decrement_code(code: HistoryCode) -> HistoryCode {
    HistoryCode::new(code.get() - 1)
}

impl ProgressState {
    fn rescan_from(&mut self, behind: HistoryCode) {
        self.seen = self.seen.min(behind);
        self.again = Some(self.again.map_or(behind, |again| again.min(behind)));
    }
}
