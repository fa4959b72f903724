//! What is still to be delivered.

use crate::history::Change;
use crate::{Statement, sql};
use domain::HistoryCode;

/// The row that a receiver's delivery of a change starts from.
pub(crate) fn insert(change: &Change, receiver: i32, code: HistoryCode) -> Statement {
    sql("INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(change.tenant)
    .arg(receiver)
    .arg(code)
    .arg(change.entity)
    .arg(change.record)
    .arg(change.at)
}
