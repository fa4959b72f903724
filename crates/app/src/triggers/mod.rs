//! Trigger deliveries in the database: leasing, recording outcomes, listing and replay. The crate `delivery` sends
//! them.

pub mod feed;
pub mod receivers;

mod clock_repair;
mod overview;
mod receiver_headers;
mod receiver_secrets;
mod record_outcomes;

pub use clock_repair::{CLOCK_TOLERANCE, pull_back_waits};
pub use overview::{
    COUNTED, DeliveryPage, DeliveryQuery, LOOKED_AT, ReceiverPerformance, list_newest_deliveries,
    list_performance, read_delivery,
};
pub use record_outcomes::{DeliveryOutcome, DeliveryVerdict, RetryPolicy, record_outcomes};

use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::register_snapshot::load_registers;
use crate::{App, Error, Vault};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, DeliveryState, Entity, HistoryCode,
    InputField, Moment, PAGE_SIZE, ReceiverCode, Rejection, TenantId,
};
use futures_util::future::BoxFuture;
use receivers::{DeliveryTarget, TenantActor};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use storage::WriteLane;
use storage::history::audit;
pub use storage::history::situation_changes::HistoryEntryMark;
use storage::server::counters::{self, Counter};
use storage::server::leases::{self, ReceiverLease};
use storage::server::processes;
use storage::triggers::attempts;
pub use storage::triggers::attempts::DeliveryAttempt;
pub use storage::triggers::deliveries::StoredDelivery;
use storage::triggers::deliveries::{self, DeliveryReplayRange};
use storage::triggers::queues::{self, HeldChange};
pub use storage::triggers::queues::{DueReceiver, PendingChangeQuery, PendingPosition};

/// A leased message.
#[derive(Clone, Debug)]
pub struct DeliveryJob {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    /// The lease it was read under.
    pub lease: i64,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// The number of earlier attempts.
    pub tries: i32,
    /// Whether its record has a queue to advance afterwards: one exists, or further messages of the record are
    /// pending.
    pub goes_on: bool,
    pub body: Arc<str>,
    pub changed_at: Moment,
}

impl DeliveryJob {
    pub fn change_mark(&self) -> HistoryEntryMark {
        HistoryEntryMark { code: self.history, entity: self.entity, record: self.record, at: self.changed_at }
    }

    fn held_message(&self) -> HeldChange {
        HeldChange {
            tenant: self.tenant,
            receiver: self.receiver,
            entity: self.entity,
            record: self.record,
            history: self.history,
        }
    }
}

/// The `webhook-id` of a change: the same on every attempt, but different if a restored database reuses the code.
pub fn build_message_id(tenant: TenantId, change: &HistoryEntryMark) -> String {
    format!("msg_{tenant}_{}_{}", change.code, feed::digest_change(tenant, change))
}

pub fn build_delivery_mark(delivery: &StoredDelivery) -> HistoryEntryMark {
    let StoredDelivery { history, entity, record, created_at, .. } = *delivery;
    HistoryEntryMark { code: history, entity, record, at: created_at }
}

pub struct OutgoingMessage<'m> {
    pub id: &'m str,
    pub entity: Entity,
    pub body: &'m str,
    pub now: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverAnswer {
    pub status: u16,
    /// The beginning of the body, if the message was not accepted.
    pub text: Option<String>,
    /// The delay the receiver requested.
    pub patience: Option<Duration>,
}

impl ReceiverAnswer {
    pub fn is_accepted(&self) -> bool {
        domain::is_accepted_status(self.status.into())
    }
}

/// Sends messages; implemented by `delivery` in a process that may send.
pub trait MessageSender: Send + Sync {
    /// The answer, or a human-readable reason why there is none.
    fn post<'a>(
        &'a self,
        keys: &'a DeliveryTarget,
        message: OutgoingMessage<'a>,
    ) -> BoxFuture<'a, Result<ReceiverAnswer, String>>;
}

/// For a process that sends nothing.
pub(crate) struct DisabledSender;

impl MessageSender for DisabledSender {
    fn post<'a>(
        &'a self,
        _: &'a DeliveryTarget,
        _: OutgoingMessage<'a>,
    ) -> BoxFuture<'a, Result<ReceiverAnswer, String>> {
        Box::pin(async { Err(wire::trigger::SENDING_DISABLED.to_owned()) })
    }
}

/// The answer to a test message, or the reason why there is none.
pub type TestMessageOutcome = Result<ReceiverAnswer, String>;

/// Sends a message without personal data, to test a receiver.
#[boxed::future]
pub async fn send_test_message(
    app: &App,
    vault: &Vault,
    actor: TenantActor,
    (code, entity): (ReceiverCode, Option<Entity>),
    once: IdempotentWrite<TestMessageOutcome>,
) -> Result<WriteOutcome<TestMessageOutcome>, Error> {
    let tenant = actor.tenant;
    let receiver = receivers::read_receiver(app, vault, tenant, code).await?.receiver;
    if once.is_dry_run {
        return Ok(WriteOutcome::Checked);
    }
    let keys = receivers::load_delivery_target(app, vault, tenant, code).await?;
    let entity = entity.or(receiver.entities.first().copied()).unwrap_or(Entity::Benefit);
    let (now, zone) = (app.now(), &load_registers(app, tenant).await?.zone);
    let body = wire::trigger::render_sample(entity, wire::trigger::ExampleCodes::NOBODYS, now, zone)
        .map_err(|error| Error::Defect(error.to_string()))?;
    let id = format!("msg_{tenant}_teste_{}", now.millis());
    let tried = app.post.post(&keys, OutgoingMessage { id: &id, entity, body: &body, now }).await;
    let input = (actor, code, tried, app.now());
    idempotency::write_idempotently(
        app,
        WriteLane::foreground(tenant),
        once,
        input,
        |tx, (actor, code, tried, now)| {
            Box::pin(async move {
                let operation = AuditedOperation::TestReceiver;
                let change =
                    AuditedChange::new(AuditedAction::TestReceiver, AuditedRecordKind::Receiver, code.get());
                let entry = build_trigger_audit_entry(*actor, *now, operation, change);
                audit::append_audit_entry(tx, &entry).await?;
                Ok(tried.clone())
            })
        },
    )
    .await
}

/// The receivers with pending messages that may be sent to, of every tenant.
#[boxed::future]
pub async fn list_due_receivers(app: &App) -> Result<Vec<DueReceiver>, Error> {
    Ok(queues::list_due_receivers(&app.db, app.now()).await?)
}

/// Whether a receiver is unchanged since its secrets were read, and may be sent to.
#[boxed::future]
pub async fn is_receiver_open(
    app: &App,
    tenant: TenantId,
    receiver: ReceiverCode,
    version: i64,
) -> Result<bool, Error> {
    Ok(storage::triggers::receivers::find_open_receiver_version(&app.db, tenant, receiver).await?
        == Some(version))
}

/// The holder and duration of leases.
#[derive(Clone, Debug)]
pub struct LeaseHolder {
    /// The name of the process in its heartbeats.
    pub process: String,
    /// Where it runs: of two processes in the same place, the older one is gone.
    pub place: String,
    pub lease: Duration,
}

impl LeaseHolder {
    /// The name written into a lease.
    pub fn name(&self) -> String {
        format!("{} {}", self.process, self.place)
    }

    /// Whether another holder is gone. An earlier process in the same place counts as gone only at startup, so that
    /// two machines with the same place name do not take leases from each other repeatedly.
    fn has_outlived(&self, other: &str, alive: &[String], begins: bool) -> bool {
        let (process, place) = other.split_once(' ').unwrap_or((other, ""));
        let was_here = begins && place == self.place;
        process != self.process && (was_here || !alive.iter().any(|one| one == process))
    }
}

/// Acquires or extends leases on receivers of a tenant. Returns the lease numbers; receivers leased by another process
/// have none.
#[boxed::future]
pub async fn lease_receivers(
    app: &App,
    holder: &LeaseHolder,
    tenant: TenantId,
    receivers: BTreeSet<ReceiverCode>,
) -> Result<BTreeMap<ReceiverCode, i64>, Error> {
    let input = (tenant, receivers, holder.clone(), app.now());
    app.db
        .write(WriteLane::background(tenant), input, |tx, (tenant, receivers, holder, now)| {
            Box::pin(grant_leases(tx, *tenant, receivers, holder, *now))
        })
        .await
}

async fn grant_leases(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receivers: &BTreeSet<ReceiverCode>,
    holder: &LeaseHolder,
    now: Moment,
) -> Result<BTreeMap<ReceiverCode, i64>, Error> {
    let known = leases::list_leases(&mut *tx, tenant, receivers.iter().copied()).await?;
    let mut known: BTreeMap<ReceiverCode, ReceiverLease> =
        known.into_iter().map(|one| (one.receiver, one)).collect();
    let (name, ends_at) = (holder.name(), now.plus(holder.lease));
    let number = counters::reserve_long_number(tx, tenant, Counter::Lease).await?;
    let mut granted = BTreeMap::new();
    let mut statements = Vec::new();
    for receiver in receivers {
        let lease = match known.remove(receiver) {
            Some(current) if current.holder == name => ReceiverLease { ends_at, ..current },
            Some(other) if other.ends_at > now => continue,
            _ => ReceiverLease { receiver: *receiver, number, holder: name.clone(), ends_at },
        };
        statements.push(leases::upsert_lease(tenant, &lease));
        granted.insert(*receiver, lease.number);
    }
    tx.execute_batch(statements).await?;
    Ok(granted)
}

/// Releases leases, so that the next holder need not wait for them to expire.
#[boxed::future]
pub async fn release_receivers(
    app: &App,
    holder: &LeaseHolder,
    tenant: TenantId,
    receivers: BTreeSet<ReceiverCode>,
) -> Result<(), Error> {
    let input = (tenant, receivers, holder.name(), app.now());
    app.db
        .write(WriteLane::background(tenant), input, |tx, (tenant, receivers, name, now)| {
            Box::pin(async move {
                let release = leases::release_leases(*tenant, name, receivers.iter().copied(), *now);
                Ok(tx.execute(release).await.map(drop)?)
            })
        })
        .await
}

/// Pending messages of leased receivers, up to a limit for each. The holder knows which are already in progress and
/// selects what may be sent.
#[boxed::future]
pub async fn fetch_ready_jobs(
    app: &App,
    tenant: TenantId,
    rooms: Vec<PendingChangeQuery>,
) -> Result<Vec<(DeliveryJob, PendingPosition)>, Error> {
    let leases: BTreeMap<ReceiverCode, i64> = rooms.iter().map(|one| (one.receiver, one.lease)).collect();
    let ready = app.db.read((tenant, rooms, app.now()), |tx, (tenant, rooms, now)| {
        Box::pin(queues::list_pending_changes(tx, *tenant, rooms, *now))
    });
    let ready: Result<Vec<queues::PendingChange>, storage::Error> = ready.await;
    let jobs = ready?.into_iter().map(|one| {
        let job = DeliveryJob {
            tenant,
            receiver: one.receiver,
            lease: leases.get(&one.receiver).copied().unwrap_or_default(),
            entity: one.entity,
            record: one.record,
            history: one.history,
            tries: one.tries,
            goes_on: one.place == PendingPosition::RetryDue,
            body: one.body,
            changed_at: one.changed_at,
        };
        (job, one.place)
    });
    Ok(jobs.collect())
}

/// Releases the leases of processes that are gone.
#[boxed::future]
pub async fn free_abandoned_leases(app: &App, holder: &LeaseHolder, begins: bool) -> Result<u64, Error> {
    let since = app.now().minus(crate::upkeep::presence::GONE_AFTER);
    let alive: Vec<String> =
        processes::list_live_processes(&app.db, since).await?.into_iter().map(|one| one.process).collect();
    let mut freed = 0;
    for tenant in storage::server::tenants::list_tenants(&app.db).await? {
        let now = app.now();
        let holders = leases::list_lease_holders(&app.db, tenant.id, now).await?;
        for dead_holder in holders.into_iter().filter(|one| holder.has_outlived(one, &alive, begins)) {
            let (lane, input) = (WriteLane::background(tenant.id), (tenant.id, dead_holder, now));
            freed += app
                .db
                .write(lane, input, |tx, (tenant, dead_holder, now)| {
                    Box::pin(leases::revoke_leases(tx, *tenant, dead_holder, *now))
                })
                .await?;
        }
    }
    Ok(freed)
}

/// A delivery with every attempt at it.
#[derive(Clone, Debug)]
pub struct DeliveryWithAttempts {
    pub delivery: StoredDelivery,
    pub attempts: Vec<DeliveryAttempt>,
}

/// A page of the deliveries to a receiver, in the order of their changes, after a cursor.
#[boxed::future]
pub async fn list_deliveries(
    app: &App,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    after: HistoryCode,
) -> Result<Vec<DeliveryWithAttempts>, Error> {
    let input = (tenant, receiver, state, after);
    app.db
        .read(input, |tx, (tenant, receiver, state, after)| {
            Box::pin(async move {
                require_receiver(tx, *tenant, *receiver).await?;
                let page = deliveries::list_deliveries_after(
                    &mut *tx, *tenant, *receiver, *state, *after, PAGE_SIZE,
                )
                .await?;
                load_attempts(tx, *tenant, *receiver, page).await
            })
        })
        .await
}

async fn load_attempts(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    page: Vec<StoredDelivery>,
) -> Result<Vec<DeliveryWithAttempts>, Error> {
    let mut all: BTreeMap<HistoryCode, Vec<DeliveryAttempt>> = BTreeMap::new();
    if !page.is_empty() {
        let codes = page.iter().map(|one| one.history);
        for one in attempts::list_attempts(&mut *tx, tenant, receiver, codes).await? {
            all.entry(one.history).or_default().push(one);
        }
    }
    let with_attempts = |delivery: StoredDelivery| {
        let attempts = all.remove(&delivery.history).unwrap_or_default();
        DeliveryWithAttempts { delivery, attempts }
    };
    Ok(page.into_iter().map(with_attempts).collect())
}

async fn require_receiver(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
) -> Result<(), Error> {
    let found = storage::triggers::receivers::find_receiver(&mut *tx, tenant, receiver).await?;
    // Comes from a query or body, never from a path, so it is not a 404.
    found.map(drop).ok_or(Rejection::UnknownCode { field: InputField::Receiver, code: receiver.get() }.into())
}

#[derive(Clone, Copy, Debug)]
pub enum ReplaySelection {
    /// The changes in a range of codes, whatever their outcome.
    Stretch(HistoryCode, HistoryCode),
    /// Everything since a moment that was never delivered.
    MissedSince(Moment),
}

/// Deliveries replayed in one transaction: few, and in the background, so that requests are not delayed.
pub const TOGETHER: i64 = 100;

/// Replays deliveries; returns how many. Each keeps its `webhook-id` and its order among the changes of its record.
#[boxed::future]
pub async fn replay_deliveries(
    app: &App,
    actor: TenantActor,
    (receiver, what): (ReceiverCode, ReplaySelection),
    once: IdempotentWrite<u64>,
) -> Result<WriteOutcome<u64>, Error> {
    let tenant = actor.tenant;
    if let ReplaySelection::Stretch(first, last) = what
        && (first.get() < 1 || last < first)
    {
        return Err(Rejection::BadStretch.into());
    }
    let read = app.db.read((tenant, receiver, what), |tx, (tenant, receiver, what)| {
        Box::pin(async move {
            require_receiver(tx, *tenant, *receiver).await?;
            Ok::<_, Error>(match *what {
                ReplaySelection::Stretch(first, last) => (first, last, None),
                ReplaySelection::MissedSince(since) => {
                    let first = HistoryCode::new(overview::find_first_code(tx, *tenant, since).await?);
                    (first, HistoryCode::new(i32::MAX), Some(since))
                }
            })
        })
    });
    let (first, last, missed_since) = read.await?;
    if once.is_dry_run {
        return Ok(WriteOutcome::Checked);
    }
    let (mut next, mut replayed) = (Some(first), 0);
    while let Some(first) = next {
        let again = DeliveryReplayRange { first, last, missed_since };
        let input = (actor, receiver, again, app.now());
        let unit = app.db.write(WriteLane::background(tenant), input, |tx, (actor, receiver, again, now)| {
            Box::pin(replay_batch(tx, *actor, *receiver, *again, *now))
        });
        let (count, more) = unit.await?;
        replayed += count;
        next = more.map(|last| HistoryCode::new(last.get().saturating_add(1)));
    }
    // The answer is stored separately: at worst, a repeated request replays the deliveries twice.
    idempotency::write_idempotently(app, WriteLane::foreground(tenant), once, replayed, |_, replayed| {
        Box::pin(async { Ok(*replayed) })
    })
    .await
}

async fn replay_batch(
    tx: &mut storage::Tx,
    actor: TenantActor,
    receiver: ReceiverCode,
    again: DeliveryReplayRange,
    now: Moment,
) -> Result<(u64, Option<HistoryCode>), Error> {
    let number = counters::reserve_long_number(tx, actor.tenant, Counter::Lease).await?;
    let (replayed, more) =
        deliveries::replay_deliveries(tx, actor.tenant, receiver, again, (now, TOGETHER, number)).await?;
    if replayed > 0 {
        let change =
            AuditedChange::new(AuditedAction::ReplayDeliveries, AuditedRecordKind::Receiver, receiver.get());
        let change = change.with_argument(replayed);
        let entry = build_trigger_audit_entry(actor, now, AuditedOperation::ReplayDeliveries, change);
        audit::append_audit_entry(tx, &entry).await?;
    }
    Ok((replayed, more))
}

fn build_trigger_audit_entry(
    actor: TenantActor,
    at: Moment,
    operation: AuditedOperation,
    change: AuditedChange,
) -> audit::AuditEntry {
    audit::AuditEntry { tenant: actor.tenant, at, user: actor.user, operation, person: None, change }
}
