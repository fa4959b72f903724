//! What is pending: one row for each receiver of a change, until it arrives or is given up (`deliveries`).

use crate::{Statement, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};

/// A change of a record that a receiver is to be told of, and when it happened.
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
