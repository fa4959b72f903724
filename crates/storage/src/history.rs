//! The history of situations: what the feed shows and triggers carry.

use crate::counters::{self, Counter};
use crate::{Error, Tx, sql};
use domain::{BranchCode, Entity, HistoryCode, Moment, TenantId, UserCode};

/// A change of situation, with the trigger's body as it is at this moment.
#[derive(Clone, Debug)]
pub struct Change {
    pub tenant: TenantId,
    pub entity: Entity,
    pub record: i32,
    pub branch: BranchCode,
    pub from: Option<i32>,
    pub to: i32,
    pub user: Option<UserCode>,
    pub reason: Option<String>,
    pub origin: &'static str,
    pub at: Moment,
}

/// Writes the change and one outbox row for each receiver, in two trips: the code, then everything else. The body
/// is made once the code is known, since it carries it. Codes come from the tenant's lane, so they have no gaps and
/// are in commit order.
pub async fn append(
    tx: &mut Tx,
    change: &Change,
    receivers: &[i32],
    body: impl FnOnce(HistoryCode) -> String + Send,
) -> Result<HistoryCode, Error> {
    let code = HistoryCode::new(counters::next(tx, change.tenant, Counter::History).await?);
    let mut statements = vec![
        sql("INSERT INTO history (tenant, code, entity, record, branch, happened_at, from_situation, to_situation,
                 user_code, reason, origin, body)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)")
        .arg(change.tenant)
        .arg(code)
        .arg(change.entity)
        .arg(change.record)
        .arg(change.branch)
        .arg(change.at)
        .arg(change.from)
        .arg(change.to)
        .arg(change.user)
        .arg(change.reason.clone())
        .arg(change.origin)
        .arg(body(code)),
    ];
    statements.extend(receivers.iter().map(|receiver| crate::outbox::insert(change, *receiver, code)));
    tx.batch(statements).await?;
    Ok(code)
}
