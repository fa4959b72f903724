//! What is pending: one row for each receiver of a change, until it arrives or is given up (`deliveries`).

use crate::history::Change;
use crate::{Statement, sql};
use domain::{HistoryCode, ReceiverCode};

/// A change that a receiver is to be told of.
pub(crate) fn insert(change: &Change, receiver: ReceiverCode, code: HistoryCode) -> Statement {
    sql("INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(change.tenant)
    .arg(receiver)
    .arg(code)
    .arg(change.entity)
    .arg(change.record)
    .arg(change.at)
}
