//! Pending deliveries: one row per receiver of a change, until it is delivered or exhausted (`deliveries`).

use crate::{Statement, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};

/// Adds a pending delivery of a record's change, with the time of the change.
pub(crate) fn insert_outbox_row(
    tenant: TenantId,
    receiver: ReceiverCode,
    code: HistoryCode,
    (entity, record): (Entity, i32),
    at: Moment,
) -> Statement {
    sql("INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(tenant)
    .arg(receiver)
    .arg(code)
    .arg(entity)
    .arg(record)
    .arg(at)
}
