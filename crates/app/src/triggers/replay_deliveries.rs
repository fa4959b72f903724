//! Sends deliveries again.

use super::list::require_receiver;
use super::overview;
use super::receivers::TenantActor;
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, HistoryCode, Moment, ReceiverCode,
    Rejection,
};
use storage::WriteLane;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::triggers::deliveries::{self, DeliveryReplayRange};

#[derive(Clone, Copy, Debug)]
pub enum ReplaySelection {
    /// The changes in a range of codes, whatever their outcome.
    HistoryRange(HistoryCode, HistoryCode),
    /// Everything since a moment that was never delivered.
    MissedSince(Moment),
}

/// Deliveries replayed in one transaction: few, and in the background, so that requests are not delayed.
pub const REPLAYS_PER_BATCH: i64 = 100;

/// Replays deliveries; returns how many. Each keeps its `webhook-id` and its order among the changes of its record.
#[boxed::future]
pub async fn replay_deliveries(
    app: &App,
    actor: TenantActor,
    (receiver, what): (ReceiverCode, ReplaySelection),
    once: IdempotentWrite<u64>,
) -> Result<WriteOutcome<u64>, Error> {
    let tenant = actor.tenant;
    if let ReplaySelection::HistoryRange(first, last) = what
        && (first.get() < 1 || last < first)
    {
        return Err(Rejection::InvalidReplayRange.into());
    }
    let read = app.db.read((tenant, receiver, what), |tx, (tenant, receiver, what)| {
        Box::pin(async move {
            require_receiver(tx, *tenant, *receiver).await?;
            Ok::<_, Error>(match *what {
                ReplaySelection::HistoryRange(first, last) => (first, last, None),
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
        deliveries::replay_deliveries(tx, actor.tenant, receiver, again, (now, REPLAYS_PER_BATCH, number))
            .await?;
    if replayed > 0 {
        let change =
            AuditedChange::new(AuditedAction::ReplayDeliveries, AuditedRecordKind::Receiver, receiver.get());
        let change = change.with_argument(replayed);
        let entry = actor.audit_entry(now, AuditedOperation::ReplayDeliveries, change);
        audit::append_audit_entry(tx, &entry).await?;
    }
    Ok((replayed, more))
}
