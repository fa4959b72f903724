//! What this process knows of the messages of one receiver while it holds its lease: how far it has looked, and which
//! records have a message in hand. A record has one at a time, so that its changes arrive in their order.

use super::lock;
use app::triggers::{Due, Job, Place};
use domain::{Entity, HistoryCode, Moment};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Records that wait for a moment are not looked for again so soon, where all that were found are in hand already.
const FRUITLESS: Duration = Duration::from_millis(20);

type Record = (Entity, i32);

#[derive(Default)]
pub struct Course(Mutex<State>);

struct State {
    lease: Option<Held>,
    /// Everything up to this change was looked at.
    seen: HistoryCode,
    /// During a look: from behind which change it must be looked at once more.
    again: Option<HistoryCode>,
    in_hand: HashMap<Record, InHand>,
    /// Records whose message ended since the last look began: what that look finds of them may be out of date.
    ended: HashSet<Record>,
    /// When records that wait for a moment were last looked for in vain.
    fruitless: Option<Instant>,
    idle_since: Option<Instant>,
}

#[derive(Clone, Copy)]
struct Held {
    number: i64,
    /// When it was asked for.
    since: Instant,
    until: Instant,
}

struct InHand {
    history: HistoryCode,
    /// It came from its record's own queue.
    waited: bool,
    /// More of its record was seen behind it.
    more: bool,
}

impl Default for State {
    fn default() -> State {
        State {
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
pub struct Look {
    pub lease: i64,
    pub after: HistoryCode,
    /// How many records with queues of their own are in hand, and will be found again.
    pub waited: i64,
}

/// How it ended with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Written,
    /// It was not tried, or what came of it could not be written: it is still to be sent.
    Open,
}

impl Course {
    /// Until when the receiver is this process's own, if it is.
    pub fn until(&self) -> Option<Instant> {
        lock(&self.0).lease.map(|held| held.until)
    }

    /// The same for a message: not where the receiver was somebody else's since it was taken, or it goes again.
    pub fn until_of(&self, job: &Job) -> Option<Instant> {
        lock(&self.0).lease.filter(|held| held.number == job.lease).map(|held| held.until)
    }

    /// Until when it is this process's own, where it was leased behind this moment: who asked then knows nothing of it.
    pub fn leased_since(&self, asked: Instant) -> Option<Instant> {
        lock(&self.0).lease.filter(|held| held.since > asked).map(|held| held.until)
    }

    /// Whether the lease that the database knows is the one known here, for a while longer.
    pub fn is_held(&self, number: i64, until: Instant) -> bool {
        lock(&self.0).lease.is_some_and(|held| held.number == number && held.until > until)
    }

    /// The receiver is this process's own. Under a new number nothing is known of it any more but what is in hand.
    pub fn hold(&self, number: i64, since: Instant, until: Instant) {
        let mut state = lock(&self.0);
        if state.lease.is_none_or(|held| held.number != number) {
            state.seen = HistoryCode::new(0);
            state.fruitless = None;
        }
        state.lease = Some(Held { number, since, until });
    }

    pub fn lose(&self) {
        lock(&self.0).lease = None;
    }

    /// Whether it is held, and nothing was pending for so long.
    pub fn is_idle_for(&self, span: Duration) -> bool {
        let mut state = lock(&self.0);
        if state.lease.is_none() || !state.in_hand.is_empty() {
            state.idle_since = None;
            return false;
        }
        state.idle_since.get_or_insert_with(Instant::now).elapsed() >= span
    }

    /// Whether there may be something to take: behind what was seen, or of the records that wait.
    pub fn wants(&self, due: &Due, now: Moment) -> (bool, bool) {
        let mut state = lock(&self.0);
        state.idle_since = None;
        let waited = due.first_wait.is_some_and(|at| at <= now)
            && state.fruitless.is_none_or(|at| at.elapsed() >= FRUITLESS);
        (due.newest > state.seen || state.lease.is_none(), waited)
    }

    pub fn begin(&self) -> Option<Look> {
        let mut state = lock(&self.0);
        let held = state.lease?;
        state.ended.clear();
        state.again = None;
        let waited = state.in_hand.values().filter(|one| one.waited).count();
        Some(Look { lease: held.number, after: state.seen, waited: waited as i64 })
    }

    /// Of what a look found, what is taken in hand: at most `room`. The rest is found again.
    pub fn choose(&self, found: Vec<(Job, Place)>, room: usize) -> Vec<Job> {
        let mut state = lock(&self.0);
        let mut chosen = Vec::with_capacity(found.len());
        let (mut looked, mut waited) = (false, 0);
        for (job, place) in found {
            if chosen.len() == room {
                break;
            }
            let record = (job.entity, job.record);
            looked |= place == Place::Waited;
            let is_stale = state.ended.contains(&record);
            if place != Place::Waited {
                state.seen = job.history;
                if is_stale && place == Place::InOrder {
                    state.look_again(before(job.history));
                }
            }
            match state.in_hand.get_mut(&record) {
                Some(own) if place != Place::Waited => own.more |= own.history < job.history,
                Some(_) => {}
                None if is_stale || place == Place::Behind => {}
                None => {
                    let is_waited = place == Place::Waited;
                    waited += usize::from(is_waited);
                    let history = job.history;
                    state.in_hand.insert(record, InHand { history, waited: is_waited, more: false });
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
    pub fn has_more(&self, job: &Job) -> bool {
        lock(&self.0).in_hand.get(&(job.entity, job.record)).is_some_and(|own| own.more)
    }

    /// A message is in hand no more.
    pub fn end(&self, job: &Job, end: End) {
        let mut state = lock(&self.0);
        let record = (job.entity, job.record);
        let Some(own) = state.in_hand.remove(&record) else { return };
        state.ended.insert(record);
        if job.goes_on {
            state.fruitless = None;
        }
        // Taken under another lease, it says nothing of what its record goes on with under this one.
        let is_known = state.lease.is_some_and(|held| held.number == job.lease);
        if !is_known || (end == End::Open && !own.waited) {
            state.look_again(before(job.history));
        } else if end == End::Written && own.more && !job.goes_on {
            // Seen only after it was said what the record goes on with.
            state.look_again(job.history);
        }
    }
}

fn before(code: HistoryCode) -> HistoryCode {
    HistoryCode::new(code.get() - 1)
}

impl State {
    fn look_again(&mut self, behind: HistoryCode) {
        self.seen = self.seen.min(behind);
        self.again = Some(self.again.map_or(behind, |again| again.min(behind)));
    }
}
