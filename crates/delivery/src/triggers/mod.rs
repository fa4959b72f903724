//! Triggers on their way. A process asks for receivers for whom something is pending, leases them, takes messages in hand,
//! posts them, and writes down together what came of many. A receiver has places of its own, so that a slow one holds up
//! nobody else; a record has one message in hand at a time, so that its changes arrive in their order.

mod clock_watch;
pub mod connect;
pub mod guard;
mod message_window;
mod outcome;
pub mod post;
mod receiver_line;
mod recorder;
pub mod sign;

use app::triggers::receivers;
use app::triggers::{
    self, DeliveryJob, DeliveryOutcome, DeliveryVerdict, DueReceiver, LeaseHolder, OutgoingMessage,
    PendingPosition, ReceiverAnswer, RetryPolicy, Room,
};
use app::{App, Error, Vault};
use clock_watch::ClockWatch;
use domain::{ReceiverCode, TenantId};
use guard::AddressGuard;
use message_window::ReceiverProgress;
pub use outcome::measure_queues;
use outcome::{apply_answer, build_outcome, count_attempt};
use post::{HttpPoster, ReceiverConnection};
use receiver_line::{InFlightCounts, ReceiverLine};
use recorder::{MessageResult, UnwrittenResults};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// How triggers are delivered; ordinary settings.
#[derive(Clone, Debug)]
pub struct DispatchSettings {
    /// How often the database is asked for what is due; what this process itself changes is looked after at once, where the
    /// receiver is not another's.
    pub interval: Duration,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// For how long a receiver is a process's own; it asks again before that ends.
    pub lease: Duration,
    pub policy: Arc<RetryPolicy>,
    pub guard: AddressGuard,
    /// Messages in hand of this process at once; of one tenant a quarter of them.
    pub most: usize,
}

impl DispatchSettings {
    /// An attempt ends so long before its lease does, for clocks differ.
    fn lease_margin(&self) -> Duration {
        (self.lease / 6).min(Duration::from_secs(10))
    }

    /// A lease is prolonged so long before it ends: whatever is in hand must have the time for an attempt.
    fn renewal_lead_time(&self) -> Duration {
        (self.timeout + self.lease_margin() + self.lease / 12).max(self.lease / 2)
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
pub struct DispatchHandle(Arc<DispatchEngine>);

struct DispatchEngine {
    app: App,
    vault: Vault,
    holder: LeaseHolder,
    settings: DispatchSettings,
    poster: HttpPoster,
    /// This process, as leases name it.
    name: String,
    lines: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverLine>>>,
    courses: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverProgress>>>,
    recorders: Mutex<HashMap<TenantId, mpsc::UnboundedSender<MessageResult>>>,
    unwritten: Mutex<UnwrittenResults>,
    /// Receivers that cannot be used as they are registered, which is said once.
    unusable: Mutex<HashMap<(TenantId, ReceiverCode), i64>>,
    /// Tenants whose messages are being taken.
    taking: Mutex<HashSet<TenantId>>,
    /// Those of them that somebody else wanted to look after meanwhile.
    skipped: Mutex<HashSet<TenantId>>,
    in_hand: InFlightCounts,
    stopping: AtomicBool,
    wake: Arc<Notify>,
}

/// For whom something was pending when it was last asked, and how long the answer took.
#[derive(Default)]
struct DueSnapshot {
    due: Vec<DueReceiver>,
    asked: Option<Instant>,
    took: Duration,
    /// It led a turn that did not ask.
    is_used: bool,
}

impl DueSnapshot {
    /// For how long the answer still counts; not at all once that is over.
    fn remaining_validity(&self) -> Option<Duration> {
        let left = (self.took * ASKED_LESS).checked_sub(self.asked?.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}

/// What is wanted of a receiver.
struct ReceiverDemand {
    receiver: ReceiverCode,
    line: Arc<ReceiverLine>,
    course: Arc<ReceiverProgress>,
    room: usize,
    /// Of what is pending in order, and of the records that wait for a moment.
    in_order: bool,
    waited: bool,
    /// Its lease need neither be taken nor prolonged first.
    is_leased: bool,
}

impl DispatchHandle {
    /// Begins. The holder's place says where this process runs, so that one that starts again takes back what it held.
    pub fn start(
        app: App,
        vault: Vault,
        holder: LeaseHolder,
        poster: HttpPoster,
        settings: DispatchSettings,
    ) -> DispatchHandle {
        let engine = Arc::new(DispatchEngine {
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
            in_hand: InFlightCounts::default(),
            stopping: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&engine).run());
        DispatchHandle(engine)
    }

    /// How many messages this process has in hand.
    pub fn in_flight_count(&self) -> usize {
        self.0.in_hand.total()
    }

    /// Takes nothing more in hand and waits for what is, but not for ever. What is left is taken back when its lease ends.
    #[boxed::future]
    pub async fn stop(self, patience: Duration) {
        self.0.stopping.store(true, Ordering::Relaxed);
        let ended = async {
            while self.in_flight_count() > 0 {
                // Somebody else may have been woken in its place.
                let _ = tokio::time::timeout(STOPPED, self.0.wake.notified()).await;
            }
        };
        let _ = tokio::time::timeout(patience, ended).await;
        // Whoever still has something in hand keeps it until the lease ends.
        for (tenant, receivers) in
            self.0.collect_idle_receivers(|_, course| course.is_idle_for(Duration::ZERO))
        {
            self.0.release_receivers(tenant, receivers).await;
        }
    }
}

impl DispatchEngine {
    async fn run(self: Arc<DispatchEngine>) {
        let mut reclaimed: Option<Instant> = None;
        let mut known = DueSnapshot::default();
        let mut clock = ClockWatch::start(self.app.now());
        while !self.stopping.load(Ordering::Relaxed) {
            if clock.is_due(self.app.now()) {
                let pulled_back =
                    triggers::pull_back_waits(&self.app, &self.holder, &self.settings.policy).await;
                if let Err(error) = &pulled_back {
                    tracing::warn!(%error, "waits of a clock that ran ahead could not be looked for; it is tried again");
                }
                clock.record_check(pulled_back.is_ok());
            }
            if reclaimed.is_none_or(|at| at.elapsed() >= RECLAIM) {
                let begins = reclaimed.replace(Instant::now()).is_none();
                lock_mutex(&self.lines).values().for_each(|line| line.close_idle_connections());
                match triggers::free_abandoned_leases(&self.app, &self.holder, begins).await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "receivers of a process that is gone are taken back"),
                    Err(error) => {
                        tracing::warn!(%error, "receivers could not be taken back; it is tried again");
                    }
                }
            }
            if let Err(error) = self.dispatch_due(&mut known).await {
                tracing::warn!(%error, "triggers could not be looked after; it is tried again");
                tokio::time::sleep(self.settings.interval).await;
            }
            tokio::time::sleep(BREATH).await;
            // A change that was not asked for yet is not left until the next interval.
            let pause = match known.is_used {
                true => known.remaining_validity().unwrap_or_default().min(self.settings.interval),
                false => self.settings.interval,
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }

    /// Takes in hand whatever there is room for.
    async fn dispatch_due(self: &Arc<DispatchEngine>, known: &mut DueSnapshot) -> Result<(), Error> {
        let mut wanted: BTreeMap<TenantId, Vec<ReceiverDemand>> = BTreeMap::new();
        if known.remaining_validity().is_some() {
            known.is_used = true;
        } else {
            let asked = Instant::now();
            known.due = triggers::list_due_receivers(&self.app).await?;
            (known.asked, known.took, known.is_used) = (Some(asked), asked.elapsed(), false);
            for due in &known.due {
                if let Some(line) = self.known_line(due) {
                    line.mark_fresh(asked);
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
            if lock_mutex(&self.unwritten).is_tenant_blocked(due.tenant) {
                continue;
            }
            if lock_mutex(&self.taking).contains(&due.tenant) {
                lock_mutex(&self.skipped).insert(due.tenant);
                continue;
            }
            let others = receivers.get(&due.tenant).copied().unwrap_or(1);
            if let Some(one) = self.find_demand(known, due, others).await {
                wanted.entry(due.tenant).or_default().push(one);
            }
        }
        for (tenant, lines) in wanted {
            lock_mutex(&self.taking).insert(tenant);
            tokio::spawn(Arc::clone(self).take_messages(tenant, lines));
        }
        let pending: HashSet<_> = known.due.iter().map(|due| (due.tenant, due.receiver)).collect();
        let interval = self.settings.interval;
        for (tenant, receivers) in
            self.collect_idle_receivers(|key, course| !pending.contains(key) && course.is_idle_for(interval))
        {
            let engine = Arc::clone(self);
            tokio::spawn(async move { engine.release_receivers(tenant, receivers).await });
        }
        Ok(())
    }

    /// What is to be taken of a receiver, if anything is, and if it is this process's own or nobody's.
    async fn find_demand(
        &self,
        known: &DueSnapshot,
        due: &DueReceiver,
        receivers: usize,
    ) -> Option<ReceiverDemand> {
        let now = self.app.now();
        let course = self.receiver_progress(due.tenant, due.receiver);
        let prolonged = Instant::now() + self.settings.renewal_lead_time();
        // It may have been leased since the question was answered.
        let leased_since = known.asked.and_then(|asked| course.lease_end_since(asked));
        let is_leased = match &due.lease {
            _ if leased_since.is_some() => leased_since > Some(prolonged),
            Some((number, holder, ends_at)) if *holder == self.name => {
                *ends_at > now && course.has_lease(*number, prolonged)
            }
            Some((_, _, ends_at)) if *ends_at > now => {
                course.lose_lease();
                return None;
            }
            _ => false,
        };
        let line = match self.load_line(due).await {
            Ok(line) => line,
            Err(error) => {
                let said = lock_mutex(&self.unusable).insert((due.tenant, due.receiver), due.version);
                if said != Some(due.version) {
                    tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
                }
                return None;
            }
        };
        let (in_order, waited) = course.check_pending(due, now);
        let is_stopped = lock_mutex(&self.unwritten).is_receiver_blocked(due.tenant, due.receiver);
        let room = match (in_order || waited) && !is_stopped {
            true => self.receiver_room(due, &line, receivers),
            false => 0,
        };
        if room == 0 && (is_leased || course.lease_end().is_none()) {
            return None;
        }
        line.in_hand.fetch_add(room, Ordering::Relaxed);
        self.in_hand.add(due.tenant, room);
        Some(ReceiverDemand { receiver: due.receiver, line, course, room, in_order, waited, is_leased })
    }

    /// Receivers for whom nothing is to be done. Until they are let go of, nobody takes anything of their tenants.
    fn collect_idle_receivers(
        &self,
        which: impl Fn(&(TenantId, ReceiverCode), &ReceiverProgress) -> bool,
    ) -> BTreeMap<TenantId, BTreeSet<ReceiverCode>> {
        let mut idle: BTreeMap<TenantId, BTreeSet<ReceiverCode>> = BTreeMap::new();
        let mut taking = lock_mutex(&self.taking);
        for (key, course) in lock_mutex(&self.courses).iter() {
            if !taking.contains(&key.0) && course.lease_end().is_some() && which(key, course) {
                course.lose_lease();
                idle.entry(key.0).or_default().insert(key.1);
            }
        }
        taking.extend(idle.keys());
        idle
    }

    async fn release_receivers(&self, tenant: TenantId, receivers: BTreeSet<ReceiverCode>) {
        if let Err(error) = triggers::release_receivers(&self.app, &self.holder, tenant, receivers).await {
            tracing::warn!(%tenant, %error, "receivers could not be let go of; their leases end by themselves");
        }
        self.finish_taking(tenant, false);
    }

    /// The tenant's messages may be taken again.
    fn finish_taking(&self, tenant: TenantId, is_full: bool) {
        lock_mutex(&self.taking).remove(&tenant);
        if lock_mutex(&self.skipped).remove(&tenant) || is_full {
            self.wake.notify_one();
        }
    }

    fn receiver_progress(&self, tenant: TenantId, receiver: ReceiverCode) -> Arc<ReceiverProgress> {
        Arc::clone(lock_mutex(&self.courses).entry((tenant, receiver)).or_default())
    }

    /// How many more of a receiver's messages may be taken in hand, where so many of its tenant have some.
    fn receiver_room(&self, due: &DueReceiver, line: &ReceiverLine, receivers: usize) -> usize {
        let in_hand = line.in_hand.load(Ordering::Relaxed);
        let ahead = match is_only_probed(due) {
            true => 1,
            false => line.in_flight_limit(self.settings.most / receivers.max(1)),
        };
        // One who answers fast gets more when half of it is used up, so that many are read together.
        if ahead > line.concurrency() && in_hand > ahead / 2 {
            return 0;
        }
        let whole = self.in_hand.remaining_room(due.tenant, self.settings.most);
        // However much others have in hand, nobody waits for them with nothing of his own.
        ahead.saturating_sub(in_hand).min(if in_hand == 0 { whole.max(1) } else { whole })
    }

    /// What is known of a receiver, unless it was changed meanwhile.
    fn known_line(&self, due: &DueReceiver) -> Option<Arc<ReceiverLine>> {
        let known = lock_mutex(&self.lines).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|line| line.keys.version >= due.version)
    }

    async fn load_line(&self, due: &DueReceiver) -> Result<Arc<ReceiverLine>, Error> {
        if let Some(line) = self.known_line(due) {
            return Ok(line);
        }
        let asked = Instant::now();
        let keys = Arc::new(
            receivers::load_delivery_target(&self.app, &self.vault, due.tenant, due.receiver).await?,
        );
        let mut lines = lock_mutex(&self.lines);
        let before = lines.get(&(due.tenant, due.receiver)).map(Arc::as_ref);
        let line = Arc::new(ReceiverLine::new(keys, asked, before));
        lines.insert((due.tenant, due.receiver), Arc::clone(&line));
        Ok(line)
    }

    /// Whether a message that waited for its place may still go where it was to go. Where nobody can say, it waits longer.
    async fn is_receiver_open(&self, line: &ReceiverLine, job: &DeliveryJob) -> bool {
        if line.is_fresh() {
            return true;
        }
        // One asks for all.
        let _turn = line.asking.lock().await;
        if line.is_fresh() {
            return true;
        }
        let asked = Instant::now();
        match triggers::is_receiver_open(&self.app, job.tenant, job.receiver, line.keys.version).await {
            Ok(is_open) => {
                if is_open {
                    line.mark_fresh(asked);
                }
                is_open
            }
            Err(error) => {
                tracing::warn!(tenant = %job.tenant, receiver = %job.receiver, %error, "nobody could say whether a receiver is paused");
                false
            }
        }
    }

    async fn take_messages(self: Arc<DispatchEngine>, tenant: TenantId, wanted: Vec<ReceiverDemand>) {
        if let Err(error) = self.lease_receivers(tenant, &wanted).await {
            tracing::warn!(%tenant, %error, "receivers could not be leased; it is tried again");
        }
        let mut rooms = Vec::with_capacity(wanted.len());
        for one in wanted.iter().filter(|one| one.room > 0) {
            if let Some(look) = one.course.begin_scan() {
                let room = one.room as i64;
                // Half of the room at most, rounded up, goes to those who were tried before.
                let waited = if one.waited { look.waited + one.room.div_ceil(2) as i64 } else { 0 };
                let limit = if one.in_order { room.max(STEPPED) } else { 0 };
                let (receiver, lease, after) = (one.receiver, look.lease, look.after);
                rooms.push(Room { receiver, lease, after, limit, waited });
            }
        }
        let mut found: HashMap<ReceiverCode, Vec<(DeliveryJob, PendingPosition)>> = HashMap::new();
        if !rooms.is_empty() {
            match triggers::fetch_ready_jobs(&self.app, tenant, rooms).await {
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
            let chosen = one.course.choose_jobs(found, one.room);
            let left = one.room - chosen.len();
            let more = one.line.enqueue_jobs(chosen.into_iter().map(|job| (Arc::clone(&one.course), job)));
            for _ in 0..more {
                tokio::spawn(Arc::clone(&self).run_worker(Arc::clone(&one.line)));
            }
            one.line.in_hand.fetch_sub(left, Ordering::Relaxed);
            self.in_hand.subtract(tenant, left);
        }
        self.finish_taking(tenant, is_full);
    }

    /// Leases receivers, or prolongs their leases.
    async fn lease_receivers(&self, tenant: TenantId, wanted: &[ReceiverDemand]) -> Result<(), Error> {
        let open: BTreeSet<ReceiverCode> =
            wanted.iter().filter(|one| !one.is_leased).map(|one| one.receiver).collect();
        if open.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        let granted = triggers::lease_receivers(&self.app, &self.holder, tenant, open).await?;
        for one in wanted.iter().filter(|one| !one.is_leased) {
            match granted.get(&one.receiver) {
                Some(number) => one.course.hold_lease(*number, begun, begun + self.settings.lease),
                None => one.course.lose_lease(),
            }
        }
        Ok(())
    }

    /// Sends one message after the other at one of a receiver's places, while there are any.
    async fn run_worker(self: Arc<DispatchEngine>, mut line: Arc<ReceiverLine>) {
        let mut link = line.take_connection();
        while let Some((next, course, job)) = line.next() {
            if !Arc::ptr_eq(&next, &line) {
                // It was changed meanwhile, and may be somewhere else.
                line.return_connection(std::mem::replace(&mut link, next.take_connection()));
                line = next;
            }
            self.deliver_message(&line, course, job, &mut link).await;
        }
        line.return_connection(link);
    }

    async fn deliver_message(
        self: &Arc<DispatchEngine>,
        line: &Arc<ReceiverLine>,
        course: Arc<ReceiverProgress>,
        job: DeliveryJob,
        link: &mut ReceiverConnection,
    ) {
        let is_open = self.is_receiver_open(line, &job).await;
        // Whoever takes the receiver over must find this attempt ended.
        let until = course.lease_end_for(&job).unwrap_or_else(Instant::now);
        let left =
            until.saturating_duration_since(Instant::now()).saturating_sub(self.settings.lease_margin());
        let tried_at = self.app.now();
        let started = Instant::now();
        let is_stopped = self.stopping.load(Ordering::Relaxed)
            || lock_mutex(&self.unwritten).is_receiver_blocked(job.tenant, job.receiver);
        let outcome = if !is_open || left < self.settings.timeout || is_stopped {
            DeliveryOutcome { verdict: DeliveryVerdict::Untried, ..build_outcome(job, tried_at) }
        } else {
            let id = triggers::build_message_id(job.tenant, &job.change_mark());
            let message = OutgoingMessage { id: &id, entity: job.entity, body: &job.body, now: tried_at };
            if job.tries == 0 {
                let since = tried_at.duration_since(job.changed_at).as_secs_f64();
                metrics::histogram!("amparo_trigger_first_attempt_seconds").record(since);
            }
            let timeout = self.settings.timeout.min(left);
            let answered = self.poster.post_message(&line.keys, message, timeout, link).await;
            let took = started.elapsed();
            line.adjust_limit(took <= FAST && answered.as_ref().is_ok_and(ReceiverAnswer::is_accepted));
            apply_answer(build_outcome(job, tried_at), answered, took)
        };
        count_attempt(outcome.verdict);
        // A receiver that took it has a place for another one now. One that did not may have to be left alone: that is
        // known only when it is written down.
        let kept = match outcome.verdict {
            DeliveryVerdict::Delivered => {
                line.in_hand.fetch_sub(1, Ordering::Relaxed);
                None
            }
            _ => Some(Arc::clone(line)),
        };
        self.record_result(outcome.job.tenant, MessageResult { outcome, course, kept });
        self.wake.notify_one();
    }
}

fn is_only_probed(due: &DueReceiver) -> bool {
    RetryPolicy::is_only_probed(due.failures, due.failed_records)
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
