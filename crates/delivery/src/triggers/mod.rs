//! Triggers on their way. A process asks for receivers that have something due, takes messages in hand, posts them, and
//! writes down together what came of many. A receiver has places of its own, so that a slow one holds up nobody else; a
//! record has one message in hand at a time, so that its changes arrive in their order.

pub mod connect;
pub mod guard;
mod line;
mod outcome;
pub mod post;
pub mod sign;

use app::receivers;
use app::triggers::{self, Answer, Due, Holder, Job, Message, Outcome, Policy, Room, Verdict};
use app::{App, Error, Vault};
use domain::{ReceiverCode, TenantId};
use guard::Guard;
use line::{InHand, Line};
pub use outcome::measure_queues;
use outcome::{judged, measure, outcome};
use post::Poster;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// How triggers are delivered; ordinary settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How often the database is asked for what is due; what this process itself changes is looked after at once.
    pub interval: Duration,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// How long a message is in hand at most.
    pub lease: Duration,
    pub policy: Arc<Policy>,
    pub guard: Guard,
    /// Messages in hand of this process at once; of one tenant a quarter of them.
    pub most: usize,
}

/// Who takes longer than this is slow.
const FAST: Duration = Duration::from_millis(500);
/// Outcomes that are written together.
const TOGETHER: usize = 512;
/// How often it is looked whether somebody who holds messages is gone.
const RECLAIM: Duration = Duration::from_secs(10);
/// The database is not asked more often, whatever happens.
const BREATH: Duration = Duration::from_millis(2);

/// How often it is looked whether everything ended.
const STOPPED: Duration = Duration::from_millis(20);

/// The delivery of triggers, under way.
pub struct Triggers(Arc<Engine>);

struct Engine {
    app: App,
    vault: Vault,
    holder: Holder,
    settings: Settings,
    poster: Poster,
    lines: Mutex<HashMap<(TenantId, ReceiverCode), Arc<Line>>>,
    recorders: Mutex<HashMap<TenantId, mpsc::UnboundedSender<Ended>>>,
    /// Receivers that cannot be used as they are registered, which is said once.
    unusable: Mutex<HashMap<(TenantId, ReceiverCode), i64>>,
    /// Tenants whose messages are being taken.
    taking: Mutex<HashSet<TenantId>>,
    in_hand: InHand,
    stopping: AtomicBool,
    wake: Arc<Notify>,
}

/// What came of a message, and the line whose place it keeps until that is written down.
type Ended = (Outcome, Option<Arc<Line>>);

/// What is wanted of a tenant's messages: how many on each line.
type Wanted = Vec<(Arc<Line>, Room)>;

impl Triggers {
    /// Begins. The holder's place says where this process runs, so that one that starts again takes back what it held.
    pub fn start(app: App, vault: Vault, holder: Holder, poster: Poster, settings: Settings) -> Triggers {
        let engine = Arc::new(Engine {
            wake: Arc::clone(&app.changed),
            app,
            vault,
            holder,
            settings,
            poster,
            lines: Mutex::default(),
            recorders: Mutex::default(),
            unusable: Mutex::default(),
            taking: Mutex::default(),
            in_hand: InHand::default(),
            stopping: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&engine).run());
        Triggers(engine)
    }

    /// Takes nothing more in hand and waits for what is, but not for ever. What is left is taken back when its lease ends.
    pub async fn stop(self, patience: Duration) {
        self.0.stopping.store(true, Ordering::Relaxed);
        let ended = async {
            while self.0.in_hand.all() > 0 {
                // Somebody else may have been woken in its place.
                let _ = tokio::time::timeout(STOPPED, self.0.wake.notified()).await;
            }
        };
        let _ = tokio::time::timeout(patience, ended).await;
    }
}

impl Engine {
    async fn run(self: Arc<Engine>) {
        let mut reclaimed: Option<Instant> = None;
        while !self.stopping.load(Ordering::Relaxed) {
            if reclaimed.is_none_or(|at| at.elapsed() >= RECLAIM) {
                let begins = reclaimed.replace(Instant::now()).is_none();
                match triggers::free(&self.app, &self.holder, begins).await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "messages of a process that is gone are taken back"),
                    Err(error) => {
                        tracing::warn!(%error, "messages could not be taken back; it is tried again");
                    }
                }
            }
            if let Err(error) = self.turn().await {
                tracing::warn!(%error, "triggers could not be looked after; it is tried again");
                tokio::time::sleep(self.settings.interval).await;
            }
            tokio::time::sleep(BREATH).await;
            let _ = tokio::time::timeout(self.settings.interval, self.wake.notified()).await;
        }
    }

    /// Takes in hand whatever there is room for.
    async fn turn(self: &Arc<Engine>) -> Result<(), Error> {
        let mut wanted: BTreeMap<TenantId, Wanted> = BTreeMap::new();
        let asked = Instant::now();
        for due in triggers::due(&self.app).await? {
            if let Some(line) = self.known(&due) {
                line.see(asked);
            }
            if lock(&self.taking).contains(&due.tenant) {
                continue;
            }
            let line = match self.line(&due).await {
                Ok(line) => line,
                Err(error) => {
                    let said = lock(&self.unusable).insert((due.tenant, due.receiver), due.version);
                    if said != Some(due.version) {
                        tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
                    }
                    continue;
                }
            };
            let room = self.room(&due, &line);
            if room > 0 {
                line.in_hand.fetch_add(room, Ordering::Relaxed);
                self.in_hand.add(due.tenant, room);
                let probe = is_only_probed(&due).then_some(self.settings.policy.probe);
                let room = Room { receiver: due.receiver, limit: room as i64, probe };
                wanted.entry(due.tenant).or_default().push((line, room));
            }
        }
        for (tenant, lines) in wanted {
            lock(&self.taking).insert(tenant);
            tokio::spawn(Arc::clone(self).take(tenant, lines));
        }
        Ok(())
    }

    fn room(&self, due: &Due, line: &Line) -> usize {
        let places = match is_only_probed(due) {
            true => 1,
            false => line.ahead(),
        };
        let whole = self.in_hand.room(due.tenant, self.settings.most);
        let in_hand = line.in_hand.load(Ordering::Relaxed);
        // However much others have in hand, nobody waits for them with nothing of his own.
        places.saturating_sub(in_hand).min(if in_hand == 0 { whole.max(1) } else { whole })
    }

    /// What is known of a receiver, unless it was changed meanwhile.
    fn known(&self, due: &Due) -> Option<Arc<Line>> {
        let known = lock(&self.lines).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|line| line.keys.version == due.version)
    }

    async fn line(&self, due: &Due) -> Result<Arc<Line>, Error> {
        if let Some(line) = self.known(due) {
            return Ok(line);
        }
        let asked = Instant::now();
        let keys = Arc::new(receivers::keys(&self.app, &self.vault, due.tenant, due.receiver).await?);
        let line = Arc::new(Line::new(keys, asked));
        lock(&self.lines).insert((due.tenant, due.receiver), Arc::clone(&line));
        Ok(line)
    }

    /// Whether a message that waited for its place may still go where it was to go. Where nobody can say, it waits longer.
    async fn is_open(&self, line: &Line, job: &Job) -> bool {
        if line.is_fresh() {
            return true;
        }
        let asked = Instant::now();
        match triggers::is_open(&self.app, job.tenant, job.receiver, line.keys.version).await {
            Ok(is_open) => {
                if is_open {
                    line.see(asked);
                }
                is_open
            }
            Err(error) => {
                tracing::warn!(tenant = %job.tenant, receiver = %job.receiver, %error, "nobody could say whether a receiver is paused");
                false
            }
        }
    }

    async fn take(self: Arc<Engine>, tenant: TenantId, lines: Wanted) {
        let wanted = lines.iter().map(|(_, room)| *room).collect();
        let begun = Instant::now();
        let jobs = match triggers::take(&self.app, &self.holder, tenant, wanted).await {
            Ok(jobs) => jobs,
            Err(error) => {
                tracing::warn!(%tenant, %error, "messages could not be taken in hand; it is tried again");
                Vec::new()
            }
        };
        lock(&self.taking).remove(&tenant);
        let mut room: HashMap<ReceiverCode, (Arc<Line>, usize)> =
            lines.into_iter().map(|(line, room)| (room.receiver, (line, room.limit as usize))).collect();
        for job in jobs {
            if let Some((line, left)) = room.get_mut(&job.receiver) {
                *left = left.saturating_sub(1);
                tokio::spawn(Arc::clone(&self).deliver(Arc::clone(line), job, begun));
            }
        }
        for (line, left) in room.into_values() {
            line.in_hand.fetch_sub(left, Ordering::Relaxed);
            self.in_hand.sub(tenant, left);
        }
    }

    async fn deliver(self: Arc<Engine>, line: Arc<Line>, job: Job, begun: Instant) {
        let Ok(place) = line.places.acquire().await else { return };
        let is_open = self.is_open(&line, &job).await;
        // Whoever takes the message over must find this attempt ended, by a margin for slow clocks.
        let margin = (self.settings.lease / 6).min(Duration::from_secs(10));
        let left = self.settings.lease.saturating_sub(begun.elapsed()).saturating_sub(margin);
        let tried_at = self.app.now();
        let started = Instant::now();
        let outcome = if !is_open || left < self.settings.timeout || self.stopping.load(Ordering::Relaxed) {
            Outcome { verdict: Verdict::Untried, ..outcome(job, tried_at) }
        } else {
            let id = triggers::message_id(job.tenant, job.history);
            let message = Message { id: &id, entity: job.entity, body: &job.body, now: tried_at };
            if job.tries == 0 {
                let since = tried_at.since(job.changed_at).as_secs_f64();
                metrics::histogram!("amparo_trigger_first_attempt_seconds").record(since);
            }
            let answered = self.poster.send(&line.keys, message, self.settings.timeout.min(left)).await;
            let took = started.elapsed();
            line.grow(took <= FAST && answered.as_ref().is_ok_and(Answer::is_taken));
            judged(outcome(job, tried_at), answered, took)
        };
        drop(place);
        measure(outcome.verdict);
        // A receiver that took it has a place for another one now. One that did not may have to be left alone: that is
        // known only when it is written down.
        let kept = match outcome.verdict {
            Verdict::Delivered => {
                line.in_hand.fetch_sub(1, Ordering::Relaxed);
                None
            }
            _ => Some(line),
        };
        self.record(outcome.job.tenant, (outcome, kept));
        self.wake.notify_one();
    }

    fn record(self: &Arc<Engine>, tenant: TenantId, outcome: Ended) {
        let mut recorders = lock(&self.recorders);
        let recorder = recorders.entry(tenant).or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            tokio::spawn(Arc::clone(self).write(tenant, receiver));
            sender
        });
        // It ends only with the program.
        let _ = recorder.send(outcome);
    }

    /// Writes down what came of the messages of a tenant, as many together as there are.
    async fn write(self: Arc<Engine>, tenant: TenantId, mut outcomes: mpsc::UnboundedReceiver<Ended>) {
        let mut some = Vec::with_capacity(TOGETHER);
        while outcomes.recv_many(&mut some, TOGETHER).await > 0 {
            let (together, kept): (Vec<Outcome>, Vec<Option<Arc<Line>>>) = some.drain(..).unzip();
            let count = together.len();
            self.write_some(tenant, together).await;
            for line in kept.into_iter().flatten() {
                line.in_hand.fetch_sub(1, Ordering::Relaxed);
            }
            self.in_hand.sub(tenant, count);
            self.wake.notify_one();
        }
    }

    async fn write_some(&self, tenant: TenantId, outcomes: Vec<Outcome>) {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(50);
        loop {
            let error = match triggers::conclude(&self.app, &self.settings.policy, tenant, outcomes.clone())
                .await
            {
                Ok(paused) => {
                    for one in paused {
                        tracing::error!(%tenant, receiver = %one.receiver, why = ?one.why, "a receiver was paused");
                    }
                    return;
                }
                Err(error) => error,
            };
            // Once the leases have ended, the messages are sent again: what came of them is known no more.
            if begun.elapsed() + pause >= self.settings.lease || !error.is_passing() {
                tracing::error!(%tenant, %error, "what came of messages could not be written; they are sent again");
                return;
            }
            tracing::warn!(%tenant, %error, "what came of messages could not be written; it is tried again");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }
}

fn is_only_probed(due: &Due) -> bool {
    Policy::is_only_probed(due.failures, due.failed_records)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
