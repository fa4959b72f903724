//! Triggers on their way. A process asks for receivers for whom something is pending, leases them, takes messages in hand,
//! posts them, and writes down together what came of many. A receiver has places of its own, so that a slow one holds up
//! nobody else; a record has one message in hand at a time, so that its changes arrive in their order.

mod clock_watch;
pub mod connect;
mod course;
pub mod guard;
mod line;
mod outcome;
pub mod post;
mod recorder;
pub mod sign;

use app::receivers;
use app::triggers::{self, Answer, Due, Holder, Job, Message, Outcome, Place, Policy, Room, Verdict};
use app::{App, Error, Vault};
use clock_watch::ClockWatch;
use course::Course;
use domain::{ReceiverCode, TenantId};
use guard::Guard;
use line::{InHand, Line};
pub use outcome::measure_queues;
use outcome::{judged, measure, outcome};
use post::{Link, Poster};
use recorder::{Ended, UnwrittenResults};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// How triggers are delivered; ordinary settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How often the database is asked for what is due; what this process itself changes is looked after at once, where the
    /// receiver is not another's.
    pub interval: Duration,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// For how long a receiver is a process's own; it asks again before that ends.
    pub lease: Duration,
    pub policy: Arc<Policy>,
    pub guard: Guard,
    /// Messages in hand of this process at once; of one tenant a quarter of them.
    pub most: usize,
}

impl Settings {
    /// An attempt ends so long before its lease does, for clocks differ.
    fn margin(&self) -> Duration {
        (self.lease / 6).min(Duration::from_secs(10))
    }

    /// A lease is prolonged so long before it ends: whatever is in hand must have the time for an attempt.
    fn prolonged(&self) -> Duration {
        (self.timeout + self.margin() + self.lease / 12).max(self.lease / 2)
    }
}

/// Who takes longer than this is slow.
const FAST: Duration = Duration::from_millis(500);
/// How often it is looked whether somebody who holds messages is gone.
const RECLAIM: Duration = Duration::from_secs(10);
/// The database is not asked more often, whatever happens.
const BREATH: Duration = Duration::from_millis(2);
/// Who has something pending is asked again after so many times as long as the answer took, for many receivers take long;
/// meanwhile the last answer leads to what there is.
const ASKED_LESS: u32 = 3;

/// As many are looked at together at least: those whose records wait are stepped over.
const STEPPED: i64 = 64;

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
    /// This process, as leases name it.
    name: String,
    lines: Mutex<HashMap<(TenantId, ReceiverCode), Arc<Line>>>,
    courses: Mutex<HashMap<(TenantId, ReceiverCode), Arc<Course>>>,
    recorders: Mutex<HashMap<TenantId, mpsc::UnboundedSender<Ended>>>,
    unwritten: Mutex<UnwrittenResults>,
    /// Receivers that cannot be used as they are registered, which is said once.
    unusable: Mutex<HashMap<(TenantId, ReceiverCode), i64>>,
    /// Tenants whose messages are being taken.
    taking: Mutex<HashSet<TenantId>>,
    /// Those of them that somebody else wanted to look after meanwhile.
    skipped: Mutex<HashSet<TenantId>>,
    in_hand: InHand,
    stopping: AtomicBool,
    wake: Arc<Notify>,
}

/// For whom something was pending when it was last asked, and how long the answer took.
#[derive(Default)]
struct Known {
    due: Vec<Due>,
    asked: Option<Instant>,
    took: Duration,
    /// It led a turn that did not ask.
    is_used: bool,
}

impl Known {
    /// For how long the answer still counts; not at all once that is over.
    fn counts_for(&self) -> Option<Duration> {
        let left = (self.took * ASKED_LESS).checked_sub(self.asked?.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}

/// What is wanted of a receiver.
struct Wanted {
    receiver: ReceiverCode,
    line: Arc<Line>,
    course: Arc<Course>,
    room: usize,
    /// Of what is pending in order, and of the records that wait for a moment.
    in_order: bool,
    waited: bool,
    /// Its lease need neither be taken nor prolonged first.
    is_leased: bool,
}

impl Triggers {
    /// Begins. The holder's place says where this process runs, so that one that starts again takes back what it held.
    pub fn start(app: App, vault: Vault, holder: Holder, poster: Poster, settings: Settings) -> Triggers {
        let engine = Arc::new(Engine {
            wake: Arc::clone(&app.changed),
            name: holder.name(),
            app,
            vault,
            holder,
            settings,
            poster,
            lines: Mutex::default(),
            courses: Mutex::default(),
            recorders: Mutex::default(),
            unwritten: Mutex::default(),
            unusable: Mutex::default(),
            taking: Mutex::default(),
            skipped: Mutex::default(),
            in_hand: InHand::default(),
            stopping: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&engine).run());
        Triggers(engine)
    }

    /// How many messages this process has in hand.
    pub fn in_hand(&self) -> usize {
        self.0.in_hand.all()
    }

    /// Takes nothing more in hand and waits for what is, but not for ever. What is left is taken back when its lease ends.
    #[boxed::future]
    pub async fn stop(self, patience: Duration) {
        self.0.stopping.store(true, Ordering::Relaxed);
        let ended = async {
            while self.in_hand() > 0 {
                // Somebody else may have been woken in its place.
                let _ = tokio::time::timeout(STOPPED, self.0.wake.notified()).await;
            }
        };
        let _ = tokio::time::timeout(patience, ended).await;
        // Whoever still has something in hand keeps it until the lease ends.
        for (tenant, receivers) in self.0.idle(|_, course| course.is_idle_for(Duration::ZERO)) {
            self.0.release(tenant, receivers).await;
        }
    }
}

impl Engine {
    async fn run(self: Arc<Engine>) {
        let mut reclaimed: Option<Instant> = None;
        let mut known = Known::default();
        let mut clock = ClockWatch::start(self.app.now());
        while !self.stopping.load(Ordering::Relaxed) {
            if clock.is_due(self.app.now()) {
                let pulled_back =
                    triggers::pull_back_waits(&self.app, &self.holder, &self.settings.policy).await;
                if let Err(error) = &pulled_back {
                    tracing::warn!(%error, "waits of a clock that ran ahead could not be looked for; it is tried again");
                }
                clock.looked(pulled_back.is_ok());
            }
            if reclaimed.is_none_or(|at| at.elapsed() >= RECLAIM) {
                let begins = reclaimed.replace(Instant::now()).is_none();
                lock(&self.lines).values().for_each(|line| line.tidy());
                match triggers::free(&self.app, &self.holder, begins).await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "receivers of a process that is gone are taken back"),
                    Err(error) => {
                        tracing::warn!(%error, "receivers could not be taken back; it is tried again");
                    }
                }
            }
            if let Err(error) = self.turn(&mut known).await {
                tracing::warn!(%error, "triggers could not be looked after; it is tried again");
                tokio::time::sleep(self.settings.interval).await;
            }
            tokio::time::sleep(BREATH).await;
            // A change that was not asked for yet is not left until the next interval.
            let pause = match known.is_used {
                true => known.counts_for().unwrap_or_default().min(self.settings.interval),
                false => self.settings.interval,
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }

    /// Takes in hand whatever there is room for.
    async fn turn(self: &Arc<Engine>, known: &mut Known) -> Result<(), Error> {
        let mut wanted: BTreeMap<TenantId, Vec<Wanted>> = BTreeMap::new();
        if known.counts_for().is_some() {
            known.is_used = true;
        } else {
            let asked = Instant::now();
            known.due = triggers::due(&self.app).await?;
            (known.asked, known.took, known.is_used) = (Some(asked), asked.elapsed(), false);
            for due in &known.due {
                if let Some(line) = self.known(due) {
                    line.see(asked);
                }
            }
        }
        if self.stopping.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut receivers: HashMap<TenantId, usize> = HashMap::new();
        for due in &known.due {
            *receivers.entry(due.tenant).or_default() += 1;
        }
        for due in &known.due {
            if lock(&self.unwritten).holds_up(due.tenant) {
                continue;
            }
            if lock(&self.taking).contains(&due.tenant) {
                lock(&self.skipped).insert(due.tenant);
                continue;
            }
            let others = receivers.get(&due.tenant).copied().unwrap_or(1);
            if let Some(one) = self.wanted(known, due, others).await {
                wanted.entry(due.tenant).or_default().push(one);
            }
        }
        for (tenant, lines) in wanted {
            lock(&self.taking).insert(tenant);
            tokio::spawn(Arc::clone(self).take(tenant, lines));
        }
        let pending: HashSet<_> = known.due.iter().map(|due| (due.tenant, due.receiver)).collect();
        let interval = self.settings.interval;
        for (tenant, receivers) in
            self.idle(|key, course| !pending.contains(key) && course.is_idle_for(interval))
        {
            let engine = Arc::clone(self);
            tokio::spawn(async move { engine.release(tenant, receivers).await });
        }
        Ok(())
    }

    /// What is to be taken of a receiver, if anything is, and if it is this process's own or nobody's.
    async fn wanted(&self, known: &Known, due: &Due, receivers: usize) -> Option<Wanted> {
        let now = self.app.now();
        let course = self.course(due.tenant, due.receiver);
        let prolonged = Instant::now() + self.settings.prolonged();
        // It may have been leased since the question was answered.
        let leased_since = known.asked.and_then(|asked| course.leased_since(asked));
        let is_leased = match &due.lease {
            _ if leased_since.is_some() => leased_since > Some(prolonged),
            Some((number, holder, ends_at)) if *holder == self.name => {
                *ends_at > now && course.is_held(*number, prolonged)
            }
            Some((_, _, ends_at)) if *ends_at > now => {
                course.lose();
                return None;
            }
            _ => false,
        };
        let line = match self.line(due).await {
            Ok(line) => line,
            Err(error) => {
                let said = lock(&self.unusable).insert((due.tenant, due.receiver), due.version);
                if said != Some(due.version) {
                    tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
                }
                return None;
            }
        };
        let (in_order, waited) = course.wants(due, now);
        let is_stopped = lock(&self.unwritten).stops(due.tenant, due.receiver);
        let room = match (in_order || waited) && !is_stopped {
            true => self.room(due, &line, receivers),
            false => 0,
        };
        if room == 0 && (is_leased || course.until().is_none()) {
            return None;
        }
        line.in_hand.fetch_add(room, Ordering::Relaxed);
        self.in_hand.add(due.tenant, room);
        Some(Wanted { receiver: due.receiver, line, course, room, in_order, waited, is_leased })
    }

    /// Receivers for whom nothing is to be done. Until they are let go of, nobody takes anything of their tenants.
    fn idle(
        &self,
        which: impl Fn(&(TenantId, ReceiverCode), &Course) -> bool,
    ) -> BTreeMap<TenantId, BTreeSet<ReceiverCode>> {
        let mut idle: BTreeMap<TenantId, BTreeSet<ReceiverCode>> = BTreeMap::new();
        let mut taking = lock(&self.taking);
        for (key, course) in lock(&self.courses).iter() {
            if !taking.contains(&key.0) && course.until().is_some() && which(key, course) {
                course.lose();
                idle.entry(key.0).or_default().insert(key.1);
            }
        }
        taking.extend(idle.keys());
        idle
    }

    async fn release(&self, tenant: TenantId, receivers: BTreeSet<ReceiverCode>) {
        if let Err(error) = triggers::release(&self.app, &self.holder, tenant, receivers).await {
            tracing::warn!(%tenant, %error, "receivers could not be let go of; their leases end by themselves");
        }
        self.taken(tenant, false);
    }

    /// The tenant's messages may be taken again.
    fn taken(&self, tenant: TenantId, is_full: bool) {
        lock(&self.taking).remove(&tenant);
        if lock(&self.skipped).remove(&tenant) || is_full {
            self.wake.notify_one();
        }
    }

    fn course(&self, tenant: TenantId, receiver: ReceiverCode) -> Arc<Course> {
        Arc::clone(lock(&self.courses).entry((tenant, receiver)).or_default())
    }

    /// How many more of a receiver's messages may be taken in hand, where so many of its tenant have some.
    fn room(&self, due: &Due, line: &Line, receivers: usize) -> usize {
        let in_hand = line.in_hand.load(Ordering::Relaxed);
        let ahead = match is_only_probed(due) {
            true => 1,
            false => line.ahead(self.settings.most / receivers.max(1)),
        };
        // One who answers fast gets more when half of it is used up, so that many are read together.
        if ahead > line.places() && in_hand > ahead / 2 {
            return 0;
        }
        let whole = self.in_hand.room(due.tenant, self.settings.most);
        // However much others have in hand, nobody waits for them with nothing of his own.
        ahead.saturating_sub(in_hand).min(if in_hand == 0 { whole.max(1) } else { whole })
    }

    /// What is known of a receiver, unless it was changed meanwhile.
    fn known(&self, due: &Due) -> Option<Arc<Line>> {
        let known = lock(&self.lines).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|line| line.keys.version >= due.version)
    }

    async fn line(&self, due: &Due) -> Result<Arc<Line>, Error> {
        if let Some(line) = self.known(due) {
            return Ok(line);
        }
        let asked = Instant::now();
        let keys = Arc::new(receivers::keys(&self.app, &self.vault, due.tenant, due.receiver).await?);
        let mut lines = lock(&self.lines);
        let before = lines.get(&(due.tenant, due.receiver)).map(Arc::as_ref);
        let line = Arc::new(Line::new(keys, asked, before));
        lines.insert((due.tenant, due.receiver), Arc::clone(&line));
        Ok(line)
    }

    /// Whether a message that waited for its place may still go where it was to go. Where nobody can say, it waits longer.
    async fn is_open(&self, line: &Line, job: &Job) -> bool {
        if line.is_fresh() {
            return true;
        }
        // One asks for all.
        let _turn = line.asking.lock().await;
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

    async fn take(self: Arc<Engine>, tenant: TenantId, wanted: Vec<Wanted>) {
        if let Err(error) = self.lease(tenant, &wanted).await {
            tracing::warn!(%tenant, %error, "receivers could not be leased; it is tried again");
        }
        let mut rooms = Vec::with_capacity(wanted.len());
        for one in wanted.iter().filter(|one| one.room > 0) {
            if let Some(look) = one.course.begin() {
                let room = one.room as i64;
                // Half of the room at most, rounded up, goes to those who were tried before.
                let waited = if one.waited { look.waited + one.room.div_ceil(2) as i64 } else { 0 };
                let limit = if one.in_order { room.max(STEPPED) } else { 0 };
                let (receiver, lease, after) = (one.receiver, look.lease, look.after);
                rooms.push(Room { receiver, lease, after, limit, waited });
            }
        }
        let mut found: HashMap<ReceiverCode, Vec<(Job, Place)>> = HashMap::new();
        if !rooms.is_empty() {
            match triggers::take(&self.app, tenant, rooms).await {
                Ok(jobs) => {
                    for one in jobs {
                        found.entry(one.0.receiver).or_default().push(one);
                    }
                }
                Err(error) => {
                    tracing::warn!(%tenant, %error, "messages could not be taken in hand; it is tried again");
                }
            }
        }
        let mut is_full = false;
        for one in wanted {
            let found = found.remove(&one.receiver).unwrap_or_default();
            // There may be more where something was found and nothing could be taken of it.
            is_full |= found.len() >= one.room && one.room > 0;
            let chosen = one.course.choose(found, one.room);
            let left = one.room - chosen.len();
            let more = one.line.give(chosen.into_iter().map(|job| (Arc::clone(&one.course), job)));
            for _ in 0..more {
                tokio::spawn(Arc::clone(&self).work(Arc::clone(&one.line)));
            }
            one.line.in_hand.fetch_sub(left, Ordering::Relaxed);
            self.in_hand.sub(tenant, left);
        }
        self.taken(tenant, is_full);
    }

    /// Leases receivers, or prolongs their leases.
    async fn lease(&self, tenant: TenantId, wanted: &[Wanted]) -> Result<(), Error> {
        let open: BTreeSet<ReceiverCode> =
            wanted.iter().filter(|one| !one.is_leased).map(|one| one.receiver).collect();
        if open.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let granted = triggers::lease(&self.app, &self.holder, tenant, open).await?;
        for one in wanted.iter().filter(|one| !one.is_leased) {
            match granted.get(&one.receiver) {
                Some(number) => one.course.hold(*number, begun, begun + self.settings.lease),
                None => one.course.lose(),
            }
        }
        Ok(())
    }

    /// Sends one message after the other at one of a receiver's places, while there are any.
    async fn work(self: Arc<Engine>, mut line: Arc<Line>) {
        let mut link = line.link();
        while let Some((next, course, job)) = line.next() {
            if !Arc::ptr_eq(&next, &line) {
                // It was changed meanwhile, and may be somewhere else.
                line.keep(std::mem::replace(&mut link, next.link()));
                line = next;
            }
            self.deliver(&line, course, job, &mut link).await;
        }
        line.keep(link);
    }

    async fn deliver(self: &Arc<Engine>, line: &Arc<Line>, course: Arc<Course>, job: Job, link: &mut Link) {
        let is_open = self.is_open(line, &job).await;
        // Whoever takes the receiver over must find this attempt ended.
        let until = course.until_of(&job).unwrap_or_else(Instant::now);
        let left = until.saturating_duration_since(Instant::now()).saturating_sub(self.settings.margin());
        let tried_at = self.app.now();
        let started = Instant::now();
        let is_stopped =
            self.stopping.load(Ordering::Relaxed) || lock(&self.unwritten).stops(job.tenant, job.receiver);
        let outcome = if !is_open || left < self.settings.timeout || is_stopped {
            Outcome { verdict: Verdict::Untried, ..outcome(job, tried_at) }
        } else {
            let id = triggers::message_id(job.tenant, &job.mark());
            let message = Message { id: &id, entity: job.entity, body: &job.body, now: tried_at };
            if job.tries == 0 {
                let since = tried_at.since(job.changed_at).as_secs_f64();
                metrics::histogram!("amparo_trigger_first_attempt_seconds").record(since);
            }
            let timeout = self.settings.timeout.min(left);
            let answered = self.poster.send(&line.keys, message, timeout, link).await;
            let took = started.elapsed();
            line.grow(took <= FAST && answered.as_ref().is_ok_and(Answer::is_taken));
            judged(outcome(job, tried_at), answered, took)
        };
        measure(outcome.verdict);
        // A receiver that took it has a place for another one now. One that did not may have to be left alone: that is
        // known only when it is written down.
        let kept = match outcome.verdict {
            Verdict::Delivered => {
                line.in_hand.fetch_sub(1, Ordering::Relaxed);
                None
            }
            _ => Some(Arc::clone(line)),
        };
        self.record(outcome.job.tenant, Ended { outcome, course, kept });
        self.wake.notify_one();
    }
}

fn is_only_probed(due: &Due) -> bool {
    Policy::is_only_probed(due.failures, due.failed_records)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
