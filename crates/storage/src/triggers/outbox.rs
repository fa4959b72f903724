//! Pending deliveries: one row per receiver of a change, until it is delivered or exhausted (`deliveries`).

use crate::executor::statement::build_inserts;
use crate::{SqlScalar, Statement, sql};
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

const ROWS_PER_STATEMENT: usize = 50;

/// As [`insert_outbox_row`], for the changes of many records.
pub(crate) fn insert_outbox_rows(
    rows: impl IntoIterator<Item = (TenantId, ReceiverCode, HistoryCode, (Entity, i32), Moment)>,
) -> Vec<Statement> {
    let rows = rows.into_iter().map(|(tenant, receiver, code, (entity, record), at)| -> [SqlScalar; 6] {
        [tenant.into(), receiver.into(), code.into(), entity.into(), record.into(), at.into()]
    });
    let head = "INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}
