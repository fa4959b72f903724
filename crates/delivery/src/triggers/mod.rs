//! Trigger delivery. A process lists receivers with pending messages, leases them, takes messages in flight, posts
//! them, and records the outcomes in batches. Each receiver has its own worker slots, so that a slow one does not delay
//! others; each record has one message in flight, so that its changes arrive in order.

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
    PendingChangeQuery, PendingPosition, ReceiverAnswer, RetryPolicy,
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

#[derive(Clone, Debug)]
pub struct DispatchSettings {
    /// How often the database is polled for due messages. Changes made by this process are sent at once, unless another
    /// process holds the receiver's lease.
    pub interval: Duration,
    /// Timeout of one attempt.
    pub timeout: Duration,
    /// Lease duration of a receiver; leases are renewed before they expire.
    pub lease: Duration,
    pub policy: Arc<RetryPolicy>,
    pub guard: AddressGuard,
    /// Messages in flight in this process; a single tenant may use a quarter of them.
    pub most: usize,
}

impl DispatchSettings {
    /// An attempt ends this long before its lease expires, because clocks differ.
    fn lease_margin(&self) -> Duration {
        (self.lease / 6).min(Duration::from_secs(10))
    }

    /// A lease is renewed this long before it expires, so that every in-flight message has time for an attempt.
    fn renewal_lead_time(&self) -> Duration {
        (self.timeout + self.lease_margin() + self.lease / 12).max(self.lease / 2)
    }
}

/// A receiver that takes longer than this is slow.
const FAST: Duration = Duration::from_millis(500);
/// How often leases of vanished processes are looked for.
const RECLAIM: Duration = Duration::from_secs(10);
/// Minimum pause between two turns.
const BREATH: Duration = Duration::from_millis(2);
/// With many receivers the list of due receivers is slow to query. It is reused for this multiple of the time the query
/// took.
const ASKED_LESS: u32 = 3;

/// Minimum number of messages scanned at once, because those of records waiting for a retry are skipped.
const STEPPED: i64 = 64;

/// How often `stop` checks whether all messages are finished.
const STOPPED: Duration = Duration::from_millis(20);

/// The running trigger delivery.
pub struct DispatchHandle(Arc<DispatchEngine>);

struct DispatchEngine {
    app: App,
    vault: Vault,
    holder: LeaseHolder,
    settings: DispatchSettings,
    poster: HttpPoster,
    /// The name of this process in leases.
    name: String,
    lines: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverLine>>>,
    progress_by_receiver: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverProgress>>>,
    recorders: Mutex<HashMap<TenantId, mpsc::UnboundedSender<MessageResult>>>,
    unwritten: Mutex<UnwrittenResults>,
    /// Receivers that cannot be used, with their version, so that each is logged once.
    unusable: Mutex<HashMap<(TenantId, ReceiverCode), i64>>,
    /// Tenants whose messages are being taken.
    taking: Mutex<HashSet<TenantId>>,
    /// Tenants skipped meanwhile because they were in `taking`.
    skipped: Mutex<HashSet<TenantId>>,
    in_hand: InFlightCounts,
    stopping: AtomicBool,
    wake: Arc<Notify>,
}

/// The last list of due receivers and how long its query took.
#[derive(Default)]
struct DueSnapshot {
    due: Vec<DueReceiver>,
    queried_at: Option<Instant>,
    took: Duration,
    /// A turn reused the list instead of querying.
    is_used: bool,
}

impl DueSnapshot {
    /// How long the list may still be reused; `None` once it has expired.
    fn remaining_validity(&self) -> Option<Duration> {
        let left = (self.took * ASKED_LESS).checked_sub(self.queried_at?.elapsed())?;
        (!left.is_zero()).then_some(left)
    }
}

/// The messages to take for one receiver.
struct ReceiverDemand {
    receiver: ReceiverCode,
    line: Arc<ReceiverLine>,
    progress: Arc<ReceiverProgress>,
    room: usize,
    /// Whether to take messages pending in order, and messages due for a retry.
    in_order: bool,
    waited: bool,
    /// The lease needs neither to be taken nor renewed first.
    is_leased: bool,
}

impl DispatchHandle {
    /// Starts the delivery. The holder identifies where this process runs, so that after a restart it reclaims its own
    /// leases.
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
            progress_by_receiver: Mutex::default(),
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

    pub fn in_flight_count(&self) -> usize {
        self.0.in_hand.total()
    }

    /// Takes no new messages and waits up to `patience` for those in flight. Others are sent again when their leases
    /// expire.
    #[boxed::future]
    pub async fn stop(self, patience: Duration) {
        self.0.stopping.store(true, Ordering::Relaxed);
        let ended = async {
            while self.in_flight_count() > 0 {
                // The notification may have gone to another waiter.
                let _ = tokio::time::timeout(STOPPED, self.0.wake.notified()).await;
            }
        };
        let _ = tokio::time::timeout(patience, ended).await;
        // Receivers with messages in flight keep their leases until these expire.
        for (tenant, receivers) in
            self.0.collect_idle_receivers(|_, progress| progress.is_idle_for(Duration::ZERO))
        {
            self.0.release_receivers(tenant, receivers).await;
        }
    }
}

impl DispatchEngine {
    async fn run(self: Arc<DispatchEngine>) {
        let mut reclaimed: Option<Instant> = None;
        let mut snapshot = DueSnapshot::default();
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
                let is_first_time = reclaimed.replace(Instant::now()).is_none();
                lock_mutex(&self.lines).values().for_each(|line| line.close_idle_connections());
                match triggers::free_abandoned_leases(&self.app, &self.holder, is_first_time).await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "receivers of a process that is gone are taken back"),
                    Err(error) => {
                        tracing::warn!(%error, "receivers could not be taken back; it is tried again");
                    }
                }
            }
            if let Err(error) = self.dispatch_due(&mut snapshot).await {
                tracing::warn!(%error, "triggers could not be looked after; it is tried again");
                tokio::time::sleep(self.settings.interval).await;
            }
            tokio::time::sleep(BREATH).await;
            // A change that the reused list does not show must not wait for the full interval.
            let pause = match snapshot.is_used {
                true => snapshot.remaining_validity().unwrap_or_default().min(self.settings.interval),
                false => self.settings.interval,
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }

    /// Takes as many due messages in flight as the limits allow.
    async fn dispatch_due(self: &Arc<DispatchEngine>, snapshot: &mut DueSnapshot) -> Result<(), Error> {
        let mut demands: BTreeMap<TenantId, Vec<ReceiverDemand>> = BTreeMap::new();
        if snapshot.remaining_validity().is_some() {
            snapshot.is_used = true;
        } else {
            let queried_at = Instant::now();
            snapshot.due = triggers::list_due_receivers(&self.app).await?;
            (snapshot.queried_at, snapshot.took, snapshot.is_used) =
                (Some(queried_at), queried_at.elapsed(), false);
            for due in &snapshot.due {
                if let Some(line) = self.known_line(due) {
                    line.mark_fresh(queried_at);
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
            if lock_mutex(&self.taking).contains(&due.tenant) {
                lock_mutex(&self.skipped).insert(due.tenant);
                continue;
            }
            let others = receivers.get(&due.tenant).copied().unwrap_or(1);
            if let Some(one) = self.find_demand(snapshot, due, others).await {
                demands.entry(due.tenant).or_default().push(one);
            }
        }
        for (tenant, lines) in demands {
            lock_mutex(&self.taking).insert(tenant);
            tokio::spawn(Arc::clone(self).take_messages(tenant, lines));
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
    async fn find_demand(
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
        let line = match self.load_line(due).await {
            Ok(line) => line,
            Err(error) => {
                let reported_version =
                    lock_mutex(&self.unusable).insert((due.tenant, due.receiver), due.version);
                if reported_version != Some(due.version) {
                    tracing::error!(tenant = %due.tenant, receiver = %due.receiver, %error, "a receiver cannot be used");
                }
                return None;
            }
        };
        let (in_order, waited) = progress.check_pending(due, now);
        let is_stopped = lock_mutex(&self.unwritten).is_receiver_blocked(due.tenant, due.receiver);
        let room = match (in_order || waited) && !is_stopped {
            true => self.receiver_room(due, &line, receivers),
            false => 0,
        };
        if room == 0 && (is_leased || progress.lease_end().is_none()) {
            return None;
        }
        line.in_hand.fetch_add(room, Ordering::Relaxed);
        self.in_hand.add(due.tenant, room);
        Some(ReceiverDemand { receiver: due.receiver, line, progress, room, in_order, waited, is_leased })
    }

    /// Collects idle receivers and marks their tenants as `taking`, so that no message is taken until their leases are
    /// released.
    fn collect_idle_receivers(
        &self,
        which: impl Fn(&(TenantId, ReceiverCode), &ReceiverProgress) -> bool,
    ) -> BTreeMap<TenantId, BTreeSet<ReceiverCode>> {
        let mut idle: BTreeMap<TenantId, BTreeSet<ReceiverCode>> = BTreeMap::new();
        let mut busy_tenants = lock_mutex(&self.taking);
        for (key, progress) in lock_mutex(&self.progress_by_receiver).iter() {
            if !busy_tenants.contains(&key.0) && progress.lease_end().is_some() && which(key, progress) {
                progress.lose_lease();
                idle.entry(key.0).or_default().insert(key.1);
            }
        }
        busy_tenants.extend(idle.keys());
        idle
    }

    async fn release_receivers(&self, tenant: TenantId, receivers: BTreeSet<ReceiverCode>) {
        if let Err(error) = triggers::release_receivers(&self.app, &self.holder, tenant, receivers).await {
            tracing::warn!(%tenant, %error, "receivers could not be let go of; their leases end by themselves");
        }
        self.finish_taking(tenant, false);
    }

    /// Unblocks the tenant and wakes the loop if there may be more messages.
    fn finish_taking(&self, tenant: TenantId, is_full: bool) {
        lock_mutex(&self.taking).remove(&tenant);
        if lock_mutex(&self.skipped).remove(&tenant) || is_full {
            self.wake.notify_one();
        }
    }

    fn receiver_progress(&self, tenant: TenantId, receiver: ReceiverCode) -> Arc<ReceiverProgress> {
        Arc::clone(lock_mutex(&self.progress_by_receiver).entry((tenant, receiver)).or_default())
    }

    /// How many more messages of a receiver may be in flight; `receivers` is the number of due receivers of its tenant.
    fn receiver_room(&self, due: &DueReceiver, line: &ReceiverLine, receivers: usize) -> usize {
        let in_hand = line.in_hand.load(Ordering::Relaxed);
        let ahead = match is_only_probed(due) {
            true => 1,
            false => line.in_flight_limit(self.settings.most / receivers.max(1)),
        };
        // A fast receiver is refilled when half of its messages are done, so that they are read in batches.
        if ahead > line.concurrency() && in_hand > ahead / 2 {
            return 0;
        }
        let tenant_room = self.in_hand.remaining_room(due.tenant, self.settings.most);
        // A receiver with nothing in flight always gets at least one message, even if others use up the limit.
        ahead.saturating_sub(in_hand).min(if in_hand == 0 { tenant_room.max(1) } else { tenant_room })
    }

    /// The cached receiver, unless a newer version exists.
    fn known_line(&self, due: &DueReceiver) -> Option<Arc<ReceiverLine>> {
        let known = lock_mutex(&self.lines).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|line| line.keys.version >= due.version)
    }

    async fn load_line(&self, due: &DueReceiver) -> Result<Arc<ReceiverLine>, Error> {
        if let Some(line) = self.known_line(due) {
            return Ok(line);
        }
        let queried_at = Instant::now();
        let keys = Arc::new(
            receivers::load_delivery_target(&self.app, &self.vault, due.tenant, due.receiver).await?,
        );
        let mut lines = lock_mutex(&self.lines);
        let before = lines.get(&(due.tenant, due.receiver)).map(Arc::as_ref);
        let line = Arc::new(ReceiverLine::new(keys, queried_at, before));
        lines.insert((due.tenant, due.receiver), Arc::clone(&line));
        Ok(line)
    }

    /// Whether a queued message may still be sent to its receiver. On an error the message waits.
    async fn is_receiver_open(&self, line: &ReceiverLine, job: &DeliveryJob) -> bool {
        if line.is_fresh() {
            return true;
        }
        // One caller queries on behalf of all.
        let _turn = line.asking.lock().await;
        if line.is_fresh() {
            return true;
        }
        let queried_at = Instant::now();
        match triggers::is_receiver_open(&self.app, job.tenant, job.receiver, line.keys.version).await {
            Ok(is_open) => {
                if is_open {
                    line.mark_fresh(queried_at);
                }
                is_open
            }
            Err(error) => {
                tracing::warn!(tenant = %job.tenant, receiver = %job.receiver, %error, "nobody could say whether a receiver is paused");
                false
            }
        }
    }

    async fn take_messages(self: Arc<DispatchEngine>, tenant: TenantId, demands: Vec<ReceiverDemand>) {
        if let Err(error) = self.lease_receivers(tenant, &demands).await {
            tracing::warn!(%tenant, %error, "receivers could not be leased; it is tried again");
        }
        let mut rooms = Vec::with_capacity(demands.len());
        for one in demands.iter().filter(|one| one.room > 0) {
            if let Some(scan) = one.progress.begin_scan() {
                let room = one.room as i64;
                // At most half of the room, rounded up, goes to retries.
                let waited = if one.waited { scan.waited + one.room.div_ceil(2) as i64 } else { 0 };
                let limit = if one.in_order { room.max(STEPPED) } else { 0 };
                let (receiver, lease, after) = (one.receiver, scan.lease, scan.after);
                rooms.push(PendingChangeQuery { receiver, lease, after, limit, waited });
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
        for one in demands {
            let found = found.remove(&one.receiver).unwrap_or_default();
            // If the room was filled, more messages may be pending.
            is_full |= found.len() >= one.room && one.room > 0;
            let chosen = one.progress.choose_jobs(found, one.room);
            let left = one.room - chosen.len();
            let more = one.line.enqueue_jobs(chosen.into_iter().map(|job| (Arc::clone(&one.progress), job)));
            for _ in 0..more {
                tokio::spawn(Arc::clone(&self).run_worker(Arc::clone(&one.line)));
            }
            one.line.in_hand.fetch_sub(left, Ordering::Relaxed);
            self.in_hand.subtract(tenant, left);
        }
        self.finish_taking(tenant, is_full);
    }

    /// Takes or renews the leases that need it.
    async fn lease_receivers(&self, tenant: TenantId, demands: &[ReceiverDemand]) -> Result<(), Error> {
        let open: BTreeSet<ReceiverCode> =
            demands.iter().filter(|one| !one.is_leased).map(|one| one.receiver).collect();
        if open.is_empty() {
            return Ok(());
        }
        let started_at = Instant::now();
        let granted = triggers::lease_receivers(&self.app, &self.holder, tenant, open).await?;
        for one in demands.iter().filter(|one| !one.is_leased) {
            match granted.get(&one.receiver) {
                Some(number) => {
                    one.progress.hold_lease(*number, started_at, started_at + self.settings.lease);
                }
                None => one.progress.lose_lease(),
            }
        }
        Ok(())
    }

    /// One worker of a receiver: sends queued messages until there are none.
    async fn run_worker(self: Arc<DispatchEngine>, mut line: Arc<ReceiverLine>) {
        let mut link = line.take_connection();
        while let Some((next, progress, job)) = line.next() {
            if !Arc::ptr_eq(&next, &line) {
                // The receiver was changed meanwhile and may have another address.
                line.return_connection(std::mem::replace(&mut link, next.take_connection()));
                line = next;
            }
            self.deliver_message(&line, progress, job, &mut link).await;
        }
        line.return_connection(link);
    }

    async fn deliver_message(
        self: &Arc<DispatchEngine>,
        line: &Arc<ReceiverLine>,
        progress: Arc<ReceiverProgress>,
        job: DeliveryJob,
        link: &mut ReceiverConnection,
    ) {
        let is_open = self.is_receiver_open(line, &job).await;
        // The attempt must end before another process can take over the lease.
        let until = progress.lease_end_for(&job).unwrap_or_else(Instant::now);
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
            let result = self.poster.post_message(&line.keys, message, timeout, link).await;
            let elapsed = started.elapsed();
            line.adjust_limit(elapsed <= FAST && result.as_ref().is_ok_and(ReceiverAnswer::is_accepted));
            apply_answer(build_outcome(job, tried_at), result, elapsed)
        };
        count_attempt(outcome.verdict);
        // A success frees the slot at once. After a failure the receiver may have to be paused, which is known only
        // when the outcome is recorded.
        let held_line = match outcome.verdict {
            DeliveryVerdict::Delivered => {
                line.in_hand.fetch_sub(1, Ordering::Relaxed);
                None
            }
            _ => Some(Arc::clone(line)),
        };
        self.record_result(outcome.job.tenant, MessageResult { outcome, progress, held_line });
        self.wake.notify_one();
    }
}

fn is_only_probed(due: &DueReceiver) -> bool {
    RetryPolicy::is_only_probed(due.failures, due.failed_records)
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
