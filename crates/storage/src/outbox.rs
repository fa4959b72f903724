//! Deliveries: one row for each receiver of a change, pending until it is delivered or exhausted, and kept then.

use crate::history::Change;
use crate::queues::COUNTED;
use crate::{Error, Row, Source, Statement, Tx, Weight, sql};
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

const SELECT: &str =
    "SELECT o.receiver, o.history_code, o.entity, o.record, o.state, o.tries, o.created_at, o.ended_at,
         q.due_at FROM outbox o
     LEFT JOIN queues q ON q.tenant = o.tenant AND q.receiver = o.receiver AND q.entity = o.entity
         AND q.record = o.record AND q.head = o.history_code AND q.lease IS NULL
     WHERE o.tenant = $1 AND o.receiver = $2";

fn delivery(row: &Row) -> Result<Delivery, Error> {
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
    let statement = sql(SELECT)
        .arg(tenant)
        .arg(receiver)
        .then("AND o.history_code > ?", [after])
        .when("AND o.state = ?", state)
        .then("ORDER BY o.history_code LIMIT ?", [limit]);
    from.into().all(Weight::Search, statement).await?.iter().map(delivery).collect()
}

/// The deliveries of a stretch of changes, the newest first, at most `limit`.
pub async fn newest(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    (first, last): (HistoryCode, HistoryCode),
    limit: i64,
) -> Result<Vec<Delivery>, Error> {
    let statement = sql(SELECT)
        .arg(tenant)
        .arg(receiver)
        .then("AND o.history_code >= ? AND o.history_code <= ?", [first, last])
        .when("AND o.state = ?", state)
        .then("ORDER BY o.history_code DESC LIMIT ?", [limit]);
    from.into().all(Weight::Search, statement).await?.iter().map(delivery).collect()
}

/// The deliveries of these changes, the newest first.
pub async fn some(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    codes: impl IntoIterator<Item = HistoryCode>,
) -> Result<Vec<Delivery>, Error> {
    let statement = sql(SELECT).arg(tenant).arg(receiver).within("o.history_code", codes);
    let statement = statement.ending("ORDER BY o.history_code DESC");
    from.into().all(Weight::Search, statement).await?.iter().map(delivery).collect()
}

/// The first delivery of this change or of a later one: its change, and when that happened.
pub async fn from_code(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    code: HistoryCode,
) -> Result<Option<(HistoryCode, Moment)>, Error> {
    let statement = sql("SELECT history_code, created_at FROM outbox
         WHERE tenant = $1 AND receiver = $2 AND history_code >= $3 ORDER BY history_code LIMIT 1")
    .arg(tenant)
    .arg(receiver)
    .arg(code);
    let found = tx.one(statement).await?;
    found.map(|row| Ok((row.get("history_code")?, row.get("created_at")?))).transpose()
}

/// How it goes with the deliveries to a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// What waits, counted to [`COUNTED`], and when the oldest of it happened.
    pub pending: i64,
    pub oldest: Option<Moment>,
    /// What arrived and what did not, of the last [`LOOKED_AT`] that happened since a moment.
    pub arrived: i64,
    pub missed: i64,
    /// Changes whose last attempt failed: the oldest that waits, the newest that was given up.
    pub troubled: Vec<HistoryCode>,
}

/// Deliveries that a share is taken of, and those among which one that failed is looked for.
pub const LOOKED_AT: i64 = 1_000;
const FIRST: i64 = 200;

pub async fn glance(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    since: Moment,
) -> Result<Glance, Error> {
    let mut glance = Glance::default();
    let waits = sql("SELECT
             (SELECT COUNT(*) FROM (SELECT o.history_code FROM outbox o
                  WHERE o.tenant = $1 AND o.receiver = $2 AND o.state = 1 LIMIT $3) AS counted) AS pending,
             (SELECT w.created_at FROM outbox w WHERE w.tenant = $1 AND w.receiver = $2 AND w.history_code =
                  (SELECT MIN(o.history_code) FROM outbox o
                   WHERE o.tenant = $1 AND o.receiver = $2 AND o.state = 1)) AS oldest");
    if let Some(row) = tx.one(waits.arg(tenant).arg(receiver).arg(COUNTED)).await? {
        (glance.pending, glance.oldest) = (row.get("pending")?, row.get("oldest")?);
    }
    let shares = sql("SELECT state, COUNT(*) AS count FROM (SELECT state, tries, created_at FROM outbox
             WHERE tenant = $1 AND receiver = $2 ORDER BY history_code DESC LIMIT $3) AS last
         WHERE created_at >= $4 AND (state <> 1 OR tries > 0) GROUP BY state ORDER BY state");
    for row in tx.all(shares.arg(tenant).arg(receiver).arg(LOOKED_AT).arg(since)).await? {
        let (state, count): (DeliveryState, i64) = (row.get("state")?, row.get("count")?);
        match state {
            DeliveryState::Delivered => glance.arrived += count,
            DeliveryState::Pending | DeliveryState::Exhausted => glance.missed += count,
        }
    }
    let troubled = sql("SELECT MIN(history_code) AS code FROM (SELECT history_code, tries FROM outbox
             WHERE tenant = $1 AND receiver = $2 AND state = 1 ORDER BY history_code LIMIT $3) AS first WHERE tries > 0
         UNION ALL SELECT MAX(history_code) AS code FROM outbox WHERE tenant = $1 AND receiver = $2 AND state = 3");
    for row in tx.all(troubled.arg(tenant).arg(receiver).arg(FIRST)).await? {
        glance.troubled.extend(row.get::<Option<HistoryCode>>("code")?);
    }
    Ok(glance)
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
