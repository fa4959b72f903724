//! This process's state for one leased receiver: how far its messages were scanned, and which records have a message in
//! flight. A record has at most one in flight, so that its changes arrive in order.

use super::lock::lock_mutex;
use app::triggers::{DeliveryJob, DueReceiver, PendingPosition};
use domain::{Entity, HistoryCode, Moment};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Due retries are not scanned again within this time if the last scan found only records already in flight.
const EMPTY_SCAN_PAUSE: Duration = Duration::from_millis(20);

type RecordKey = (Entity, i32);

#[derive(Default)]
pub struct ReceiverProgress(Mutex<ProgressState>);

struct ProgressState {
    lease: Option<HeldLease>,
    /// Every change up to this one was scanned.
    position: HistoryCode,
    /// During a scan: the change after which the next scan must start again.
    again: Option<HistoryCode>,
    in_flight: HashMap<RecordKey, InFlightMessage>,
    /// Records whose message finished since the last scan began: that scan's result may be stale for them.
    ended: HashSet<RecordKey>,
    /// When a scan of due retries last found nothing new.
    empty_scan_at: Option<Instant>,
    idle_since: Option<Instant>,
}

#[derive(Clone, Copy)]
struct HeldLease {
    number: i64,
    /// When the lease was requested.
    since: Instant,
    until: Instant,
}

struct InFlightMessage {
    history: HistoryCode,
    /// It came from the retry queue of its record.
    is_retry: bool,
    /// The scan saw later changes of the same record.
    more: bool,
}

impl Default for ProgressState {
    fn default() -> ProgressState {
        ProgressState {
            lease: None,
            position: HistoryCode::new(0),
            again: None,
            in_flight: HashMap::new(),
            ended: HashSet::new(),
            empty_scan_at: None,
            idle_since: None,
        }
    }
}

/// The parameters of one scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueScan {
    pub lease: i64,
    pub after: HistoryCode,
    /// How many in-flight records come from retry queues; the scan will find them again.
    pub retries_in_flight: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageResolution {
    Recorded,
    /// It was not sent, or its outcome could not be recorded: it must be sent again.
    Open,
}

impl ReceiverProgress {
    /// When the lease of this process expires, if it holds one.
    pub fn lease_end(&self) -> Option<Instant> {
        lock_mutex(&self.0).lease.map(|lease| lease.until)
    }

    /// The same for a message; `None` if the lease changed since the message was taken.
    pub fn lease_end_for(&self, job: &DeliveryJob) -> Option<Instant> {
        lock_mutex(&self.0).lease.filter(|lease| lease.number == job.lease).map(|lease| lease.until)
    }

    /// When the lease expires, if it was requested after `moment`: a query made at `moment` does not know of it.
    pub fn lease_end_since(&self, moment: Instant) -> Option<Instant> {
        lock_mutex(&self.0).lease.filter(|lease| lease.since > moment).map(|lease| lease.until)
    }

    /// Whether this process holds the lease with this number and it lasts beyond `until`.
    pub fn has_lease(&self, number: i64, until: Instant) -> bool {
        lock_mutex(&self.0).lease.is_some_and(|lease| lease.number == number && lease.until > until)
    }

    /// Stores the lease. A new number resets the scan position and keeps only the messages in flight.
    pub fn hold_lease(&self, number: i64, since: Instant, until: Instant) {
        let mut state = lock_mutex(&self.0);
        if state.lease.is_none_or(|lease| lease.number != number) {
            state.position = HistoryCode::new(0);
            state.empty_scan_at = None;
        }
        state.lease = Some(HeldLease { number, since, until });
    }

    pub fn lose_lease(&self) {
        lock_mutex(&self.0).lease = None;
    }

    /// Whether the lease is held and nothing was pending for `span`.
    pub fn is_idle_for(&self, span: Duration) -> bool {
        let mut state = lock_mutex(&self.0);
        if state.lease.is_none() || !state.in_flight.is_empty() {
            state.idle_since = None;
            return false;
        }
        state.idle_since.get_or_insert_with(Instant::now).elapsed() >= span
    }

    /// Whether there may be messages to take: (in order after the scanned position, due retries).
    pub fn check_pending(&self, due: &DueReceiver, now: Moment) -> (bool, bool) {
        let mut state = lock_mutex(&self.0);
        state.idle_since = None;
        let has_due_retry = due.first_wait.is_some_and(|at| at <= now)
            && state.empty_scan_at.is_none_or(|at| at.elapsed() >= EMPTY_SCAN_PAUSE);
        (due.newest > state.position || state.lease.is_none(), has_due_retry)
    }

    pub fn begin_scan(&self) -> Option<QueueScan> {
        let mut state = lock_mutex(&self.0);
        let lease = state.lease?;
        state.ended.clear();
        state.again = None;
        let retries_in_flight = state.in_flight.values().filter(|one| one.is_retry).count();
        Some(QueueScan {
            lease: lease.number,
            after: state.position,
            retries_in_flight: retries_in_flight as i64,
        })
    }

    /// Takes at most `capacity` of the scanned messages in flight. The next scan finds the rest again.
    pub fn choose_jobs(
        &self,
        found: Vec<(DeliveryJob, PendingPosition)>,
        capacity: usize,
    ) -> Vec<DeliveryJob> {
        let mut state = lock_mutex(&self.0);
        let mut chosen = Vec::with_capacity(found.len());
        let (mut checked_retries, mut taken_retries) = (false, 0);
        for (job, place) in found {
            if chosen.len() == capacity {
                break;
            }
            let record = (job.entity, job.record);
            checked_retries |= place == PendingPosition::RetryDue;
            let is_stale = state.ended.contains(&record);
            if place != PendingPosition::RetryDue {
                state.position = job.history;
                if is_stale && place == PendingPosition::InOrder {
                    state.rescan_from(decrement_code(job.history));
                }
            }
            match state.in_flight.get_mut(&record) {
                Some(current) if place != PendingPosition::RetryDue => {
                    current.more |= current.history < job.history;
                }
                Some(_) => {}
                None if is_stale || place == PendingPosition::BehindRetry => {}
                None => {
                    let is_retry = place == PendingPosition::RetryDue;
                    taken_retries += usize::from(is_retry);
                    let history = job.history;
                    state.in_flight.insert(record, InFlightMessage { history, is_retry, more: false });
                    chosen.push(job);
                }
            }
        }
        if let Some(again) = state.again.take() {
            state.position = state.position.min(again);
        }
        if checked_retries {
            state.empty_scan_at = (taken_retries == 0).then(Instant::now);
        }
        chosen
    }

    /// Whether the scan saw later changes of the record behind an in-flight message.
    pub fn has_more(&self, job: &DeliveryJob) -> bool {
        lock_mutex(&self.0).in_flight.get(&(job.entity, job.record)).is_some_and(|current| current.more)
    }

    pub fn finish_message(&self, job: &DeliveryJob, end: MessageResolution) {
        let mut state = lock_mutex(&self.0);
        let record = (job.entity, job.record);
        let Some(current) = state.in_flight.remove(&record) else { return };
        state.ended.insert(record);
        if job.has_record_queue {
            state.empty_scan_at = None;
        }
        // A message taken under another lease does not tell which change of its record comes next under this one.
        let is_known = state.lease.is_some_and(|lease| lease.number == job.lease);
        if !is_known || (end == MessageResolution::Open && !current.is_retry) {
            state.rescan_from(decrement_code(job.history));
        } else if end == MessageResolution::Recorded && current.more && !job.has_record_queue {
            // The later change was seen only after the outcome was built without it.
            state.rescan_from(job.history);
        }
    }
}

fn decrement_code(code: HistoryCode) -> HistoryCode {
    HistoryCode::new(code.get() - 1)
}

impl ProgressState {
    fn rescan_from(&mut self, position: HistoryCode) {
        self.position = self.position.min(position);
        self.again = Some(self.again.map_or(position, |again| again.min(position)));
    }
}
