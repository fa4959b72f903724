//! Deliveries: one row for each receiver of a change, pending until it is delivered or exhausted, and kept then.

use crate::history::Change;
use crate::{Error, Source, Statement, Tx, Weight, sql};
use domain::{DeliveryState, Entity, HistoryCode, Moment, ReceiverCode, TenantId};

/// What a receiver's delivery of a change starts from: its row, and the queue that leads to it.
pub(crate) fn insert(change: &Change, receiver: ReceiverCode, code: HistoryCode) -> [Statement; 2] {
    let row = sql("INSERT INTO outbox (tenant, receiver, history_code, entity, record, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(change.tenant)
    .arg(receiver)
    .arg(code)
    .arg(change.entity)
    .arg(change.record)
    .arg(change.at);
    // Where something older is pending, this waits behind it.
    let queue = sql("INSERT INTO queues (tenant, receiver, entity, record, head, tries, due_at)
         VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (tenant, receiver, entity, record) DO NOTHING")
    .arg(change.tenant)
    .arg(receiver)
    .arg(change.entity)
    .arg(change.record)
    .arg(code)
    .arg(change.at);
    [row, queue]
}

/// A delivery as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub receiver: ReceiverCode,
    pub history: HistoryCode,
    pub entity: Entity,
    pub record: i32,
    pub state: DeliveryState,
    pub tries: i32,
    pub created_at: Moment,
    pub ended_at: Option<Moment>,
    /// When it is tried next, where it is the next of its record.
    pub due_at: Option<Moment>,
}

/// The deliveries behind `after`, at most `limit`, by receiver and in the order of their changes.
pub async fn page(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    after: HistoryCode,
    limit: i64,
) -> Result<Vec<Delivery>, Error> {
    let statement = sql(
        "SELECT o.receiver, o.history_code, o.entity, o.record, o.state, o.tries, o.created_at, o.ended_at,
             q.due_at FROM outbox o
         LEFT JOIN queues q ON q.tenant = o.tenant AND q.receiver = o.receiver AND q.entity = o.entity
             AND q.record = o.record AND q.head = o.history_code AND q.lease IS NULL
         WHERE o.tenant = $1 AND o.receiver = $2 AND o.history_code > $3",
    )
    .arg(tenant)
    .arg(receiver)
    .arg(after)
    .when("AND o.state = ?", state)
    .then("ORDER BY o.history_code LIMIT ?", [limit]);
    let rows = from.into().all(Weight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(Delivery {
                receiver: row.get("receiver")?,
                history: row.get("history_code")?,
                entity: row.get("entity")?,
                record: row.get("record")?,
                state: row.get("state")?,
                tries: row.get("tries")?,
                created_at: row.get("created_at")?,
                ended_at: row.get("ended_at")?,
                due_at: row.get("due_at")?,
            })
        })
        .collect()
}

/// Which deliveries are to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Again {
    pub first: HistoryCode,
    pub last: HistoryCode,
    /// Only what never arrived of what happened since this moment.
    pub missed_since: Option<Moment>,
}

/// Makes deliveries of a stretch pending again, at most `limit`; gives how many, and the last one looked at where there
/// may be more behind it. They keep their place in the order of their record's changes.
pub async fn send_again(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    again: Again,
    (now, limit): (Moment, i64),
) -> Result<(u64, Option<HistoryCode>), Error> {
    let ended = sql("SELECT history_code, entity, record FROM outbox WHERE tenant = $1 AND receiver = $2
             AND history_code >= $3 AND history_code <= $4 AND state <> 1")
    .arg(tenant)
    .arg(receiver)
    .arg(again.first)
    .arg(again.last);
    let ended = match again.missed_since {
        Some(since) => ended.then("AND state = 3 AND created_at >= ?", [since]),
        None => ended,
    };
    let rows = tx.all(ended.then("ORDER BY history_code LIMIT ?", [limit])).await?;
    let mut statements = Vec::new();
    let mut last = None;
    for row in &rows {
        let code: HistoryCode = row.get("history_code")?;
        let (entity, record): (Entity, i32) = (row.get("entity")?, row.get("record")?);
        last = Some(code);
        let again = sql("UPDATE outbox SET state = 1, tries = 0, ended_at = NULL
             WHERE tenant = $1 AND receiver = $2 AND history_code = $3");
        statements.push(again.arg(tenant).arg(receiver).arg(code));
        // What is older than the head goes before it. Who has that one in hand keeps it, and finds out when he tells what
        // came of it.
        let queue = sql("INSERT INTO queues (tenant, receiver, entity, record, head, tries, due_at)
             VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (tenant, receiver, entity, record) DO UPDATE
             SET head = excluded.head, tries = 0,
                 due_at = CASE WHEN queues.lease IS NULL THEN excluded.due_at ELSE queues.due_at END
             WHERE queues.head > excluded.head");
        statements.push(queue.arg(tenant).arg(receiver).arg(entity).arg(record).arg(code).arg(now));
    }
    tx.batch(statements).await?;
    let more = last.filter(|_| rows.len() as i64 == limit);
    Ok((rows.len() as u64, more))
}
