//! Deliveries, for display: the pending ones (`outbox`), and the delivered or exhausted ones, which are kept.

use super::attempts::{self, DeliveryAttempt};
use super::outbox;
use super::queues::LARGEST_EXACT_COUNT;
use crate::executor::statement::build_inserts;
use crate::server::leases;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{DeliveryState, Entity, HistoryCode, Moment, ReceiverCode, TenantId};

/// The current state of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDelivery {
    pub receiver: ReceiverCode,
    pub history: HistoryCode,
    pub entity: Entity,
    pub record: i32,
    pub state: DeliveryState,
    pub tries: i32,
    pub created_at: Moment,
    pub ended_at: Option<Moment>,
    /// The time of the next attempt, if it waits for one.
    pub due_at: Option<Moment>,
}

/// A delivered or exhausted delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedDelivery {
    pub receiver: ReceiverCode,
    pub history: HistoryCode,
    pub state: DeliveryState,
    pub tries: i32,
    pub at: Moment,
    /// Status and duration in milliseconds of the successful attempt, which is stored nowhere else.
    pub arrived: Option<(i32, i64)>,
}

const ROWS_PER_STATEMENT: usize = 128;

pub fn insert_finished_deliveries(
    tenant: TenantId,
    all: impl IntoIterator<Item = FinishedDelivery>,
) -> Vec<Statement> {
    // Nearly all succeed at the first attempt, which the column defaults express.
    let (first, others): (Vec<FinishedDelivery>, Vec<FinishedDelivery>) =
        all.into_iter().partition(|one| one.state == DeliveryState::Delivered && one.tries == 1);
    let first = first.into_iter().map(|one| -> [SqlScalar; 6] {
        [
            tenant.into(),
            one.receiver.into(),
            one.history.into(),
            one.at.into(),
            one.arrived.map(|(status, _)| status).into(),
            one.arrived.map(|(_, millis)| millis).into(),
        ]
    });
    let head = "INSERT INTO deliveries (tenant, receiver, history_code, ended_at, status, millis) VALUES";
    let mut statements = build_inserts(head, ROWS_PER_STATEMENT, first);
    let others = others.into_iter().map(|one| -> [SqlScalar; 8] {
        [
            tenant.into(),
            one.receiver.into(),
            one.history.into(),
            one.state.into(),
            one.tries.into(),
            one.at.into(),
            one.arrived.map(|(status, _)| status).into(),
            one.arrived.map(|(_, millis)| millis).into(),
        ]
    });
    let head = "INSERT INTO deliveries (tenant, receiver, history_code, state, tries, ended_at, status, millis) VALUES";
    statements.extend(build_inserts(head, ROWS_PER_STATEMENT, others));
    statements
}

/// When the newest exhausted delivery of a receiver was given up.
#[boxed::future]
pub async fn find_last_exhausted_moment(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
) -> Result<Option<Moment>, Error> {
    let newest = sql("SELECT ended_at FROM deliveries WHERE tenant = $1 AND receiver = $2 AND state = 3
         ORDER BY history_code DESC LIMIT 1")
    .arg(tenant)
    .arg(receiver);
    tx.fetch_all(newest).await?.first().map(|row| row.get("ended_at")).transpose()
}

/// The number of exhausted deliveries of a receiver, counted up to the limit.
#[boxed::future]
pub async fn count_exhausted_deliveries(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    limit: i64,
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM (SELECT history_code FROM deliveries
             WHERE tenant = $1 AND receiver = $2 AND state = 3 LIMIT $3) AS counted")
    .arg(tenant)
    .arg(receiver)
    .arg(limit);
    source.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// Marks an exhausted delivery as delivered after all.
pub fn mark_exhausted_delivered(tenant: TenantId, receiver: ReceiverCode, code: HistoryCode) -> Statement {
    sql("UPDATE deliveries SET state = 2 WHERE tenant = $1 AND receiver = $2 AND history_code = $3 AND state = 3")
        .arg(tenant)
        .arg(receiver)
        .arg(code)
}

const PENDING: &str = "SELECT o.history_code, o.entity, o.record, CAST(1 AS BIGINT) AS state, o.tries, o.created_at,
         CAST(NULL AS BIGINT) AS ended_at, CASE WHEN q.head = o.history_code THEN q.due_at END AS due_at
     FROM outbox o LEFT JOIN queues q ON q.tenant = o.tenant AND q.receiver = o.receiver AND q.entity = o.entity
         AND q.record = o.record
     WHERE o.tenant = ? AND o.receiver = ?";
const ENDED: &str =
    "SELECT o.history_code, h.entity, h.record, o.state, o.tries, h.happened_at AS created_at, o.ended_at,
         CAST(NULL AS BIGINT) AS due_at
     FROM deliveries o JOIN history h ON h.tenant = o.tenant AND h.code = o.history_code
     WHERE o.tenant = ? AND o.receiver = ?";

/// A query for deliveries to a receiver: pending, finished, or both.
struct DeliveryListQuery {
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    first: HistoryCode,
    last: HistoryCode,
    newest_first: bool,
    limit: i64,
}

impl DeliveryListQuery {
    fn to_statement(&self) -> Statement {
        let order = if self.newest_first { "DESC" } else { "ASC" };
        let part = |text: &str, filter: &str, name: &str| {
            format!(
                "SELECT * FROM ({text} AND o.history_code >= ? AND o.history_code <= ? {filter}
                 ORDER BY o.history_code {order} LIMIT ?) AS {name}"
            )
        };
        let parts = match self.state {
            None => vec![part(PENDING, "", "pending"), part(ENDED, "", "ended")],
            Some(DeliveryState::Pending) => vec![part(PENDING, "", "pending")],
            // Only by key: an index for this rare query would slow down every delivery.
            Some(DeliveryState::Delivered) => vec![part(ENDED, "AND o.state = 2", "ended")],
            Some(DeliveryState::Exhausted) => vec![part(ENDED, "AND o.state = 3", "ended")],
        };
        let mut statement = Statement::empty();
        for (place, text) in parts.iter().enumerate() {
            let values: [SqlScalar; 5] = [
                self.tenant.into(),
                self.receiver.into(),
                self.first.into(),
                self.last.into(),
                self.limit.into(),
            ];
            let text = if place == 0 { text.clone() } else { format!("UNION ALL {text}") };
            statement = statement.append(&text, values);
        }
        statement.append(&format!("ORDER BY history_code {order} LIMIT ?"), [self.limit])
    }

    async fn fetch_deliveries(
        &self,
        source: impl Into<ReadSource<'_>>,
    ) -> Result<Vec<StoredDelivery>, Error> {
        let rows = source.into().fetch_all(QueryWeight::Search, self.to_statement()).await?;
        rows.iter().map(|row| parse_delivery_row(row, self.receiver)).collect()
    }
}

fn parse_delivery_row(row: &Row, receiver: ReceiverCode) -> Result<StoredDelivery, Error> {
    Ok(StoredDelivery {
        receiver,
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

/// The deliveries after `after`, at most `limit`, in the order of their changes.
#[boxed::future]
pub async fn list_deliveries_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    after: HistoryCode,
    limit: i64,
) -> Result<Vec<StoredDelivery>, Error> {
    let (first, last) = (HistoryCode::new(after.get().saturating_add(1)), HistoryCode::new(i32::MAX));
    DeliveryListQuery { tenant, receiver, state, first, last, newest_first: false, limit }
        .fetch_deliveries(source)
        .await
}

/// The deliveries of a range of changes, newest first, at most `limit`.
#[boxed::future]
pub async fn list_newest_deliveries(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    state: Option<DeliveryState>,
    (first, last): (HistoryCode, HistoryCode),
    limit: i64,
) -> Result<Vec<StoredDelivery>, Error> {
    DeliveryListQuery { tenant, receiver, state, first, last, newest_first: true, limit }
        .fetch_deliveries(source)
        .await
}

/// The deliveries of these changes, newest first.
#[boxed::future]
pub async fn list_deliveries_by_codes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
    codes: impl IntoIterator<Item = HistoryCode> + Clone,
) -> Result<Vec<StoredDelivery>, Error> {
    let key = || -> [SqlScalar; 2] { [tenant.into(), receiver.into()] };
    let statement = Statement::empty()
        .append(PENDING, key())
        .filter_in("o.history_code", codes.clone())
        .append(&format!("UNION ALL {ENDED}"), key())
        .filter_in("o.history_code", codes)
        .append_text("ORDER BY history_code DESC");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| parse_delivery_row(row, receiver)).collect()
}

/// Statistics of the deliveries to a receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryOverview {
    /// Pending deliveries, counted up to [`LARGEST_EXACT_COUNT`], and when the oldest change happened.
    pub pending: i64,
    pub oldest: Option<Moment>,
    /// Delivered and failed since a moment, among the last [`SCANNED_DELIVERIES`] finished ones and as many that wait for a
    /// retry.
    pub arrived: i64,
    pub missed: i64,
    /// Changes whose last attempt failed: the oldest among those retried next, and the newest exhausted one.
    pub troubled: Vec<HistoryCode>,
}

/// How many deliveries the statistics cover, and among how many retries a failed one is searched.
pub const SCANNED_DELIVERIES: i64 = 1_000;
const FIRST_RETRIES: i64 = 200;

#[boxed::future]
pub async fn load_delivery_overview(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    since: Moment,
) -> Result<DeliveryOverview, Error> {
    let mut overview = DeliveryOverview::default();
    let waits = sql("SELECT
             (SELECT COUNT(*) FROM (SELECT o.history_code FROM outbox o
                  WHERE o.tenant = $1 AND o.receiver = $2 LIMIT $3) AS counted) AS pending,
             (SELECT o.created_at FROM outbox o WHERE o.tenant = $1 AND o.receiver = $2
              ORDER BY o.history_code LIMIT 1) AS oldest,
             (SELECT COUNT(*) FROM (SELECT q.head FROM queues q WHERE q.tenant = $1 AND q.receiver = $2
                  ORDER BY q.due_at LIMIT $4) AS waits
              WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = $1 AND o.receiver = $2
                  AND o.history_code = waits.head AND o.tries > 0 AND o.created_at >= $5)) AS missed")
    .arg(tenant)
    .arg(receiver)
    .arg(LARGEST_EXACT_COUNT)
    .arg(SCANNED_DELIVERIES)
    .arg(since);
    if let Some(row) = tx.fetch_optional(waits).await? {
        (overview.pending, overview.oldest) = (row.get("pending")?, row.get("oldest")?);
        overview.missed = row.get("missed")?;
    }
    let shares = sql("SELECT state, COUNT(*) AS count FROM (SELECT state, ended_at FROM deliveries
             WHERE tenant = $1 AND receiver = $2 ORDER BY history_code DESC LIMIT $3) AS last
         WHERE ended_at >= $4 GROUP BY state ORDER BY state");
    for row in tx.fetch_all(shares.arg(tenant).arg(receiver).arg(SCANNED_DELIVERIES).arg(since)).await? {
        let (state, count): (DeliveryState, i64) = (row.get("state")?, row.get("count")?);
        match state {
            DeliveryState::Delivered => overview.arrived += count,
            DeliveryState::Pending | DeliveryState::Exhausted => overview.missed += count,
        }
    }
    let troubled_query = sql("SELECT MIN(head) AS code FROM (SELECT q.head FROM queues q WHERE q.tenant = $1 AND q.receiver = $2
                  ORDER BY q.due_at LIMIT $3) AS first
             WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = $1 AND o.receiver = $2
                 AND o.history_code = first.head AND o.tries > 0)
         UNION ALL SELECT MAX(history_code) AS code FROM deliveries WHERE tenant = $1 AND receiver = $2 AND state = 3");
    for row in tx.fetch_all(troubled_query.arg(tenant).arg(receiver).arg(FIRST_RETRIES)).await? {
        overview.troubled.extend(row.get::<Option<HistoryCode>>("code")?);
    }
    Ok(overview)
}

/// Which deliveries to send again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryReplayRange {
    pub first: HistoryCode,
    pub last: HistoryCode,
    /// Only exhausted deliveries of changes since this moment.
    pub missed_since: Option<Moment>,
}

/// Makes finished deliveries of a range pending again, at most `limit`; returns how many, and the last one if there
/// may be more. They keep their place in the order of their record's changes. `number` is a new lease number, which
/// tells the lease holder that the pending messages have changed.
#[boxed::future]
pub async fn replay_deliveries(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    range: DeliveryReplayRange,
    (now, limit, number): (Moment, i64, i64),
) -> Result<(u64, Option<HistoryCode>), Error> {
    let ended =
        sql("SELECT d.history_code, h.entity, h.record, h.happened_at, d.ended_at, d.status, d.millis
         FROM deliveries d JOIN history h ON h.tenant = d.tenant AND h.code = d.history_code
         WHERE d.tenant = $1 AND d.receiver = $2 AND d.history_code >= $3 AND d.history_code <= $4")
        .arg(tenant)
        .arg(receiver)
        .arg(range.first)
        .arg(range.last);
    let ended = match range.missed_since {
        Some(since) => ended.append("AND d.state = 3 AND h.happened_at >= ?", [since]),
        None => ended,
    };
    let rows = tx.fetch_all(ended.append("ORDER BY d.history_code LIMIT ?", [limit])).await?;
    let mut statements = Vec::new();
    let mut last = None;
    for row in &rows {
        let code: HistoryCode = row.get("history_code")?;
        let (entity, record): (Entity, i32) = (row.get("entity")?, row.get("record")?);
        last = Some(code);
        // Keeps the record of the successful attempt.
        if let (Some(status), Some(millis)) =
            (row.get::<Option<i32>>("status")?, row.get::<Option<i64>>("millis")?)
        {
            let ended: Moment = row.get("ended_at")?;
            let tried_at = Moment::from_millis(ended.millis().saturating_sub(millis));
            let (status, answer, failure) = (Some(status), None, None);
            let attempt = DeliveryAttempt {
                receiver,
                history: code,
                number,
                tried_at,
                status,
                millis,
                answer,
                failure,
            };
            statements.extend(attempts::insert_attempts(tenant, [&attempt]));
        }
        let deletion =
            sql("DELETE FROM deliveries WHERE tenant = $1 AND receiver = $2 AND history_code = $3");
        statements.push(deletion.arg(tenant).arg(receiver).arg(code));
        let happened_at: Moment = row.get("happened_at")?;
        statements.push(outbox::insert_outbox_row(tenant, receiver, code, (entity, record), happened_at));
        // A change older than the head of the queue goes before it. A process that is sending the head continues, and
        // notices when it stores the result.
        let queue = sql("INSERT INTO queues (tenant, receiver, entity, record, head, due_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, receiver, entity, record) DO UPDATE
             SET head = excluded.head, due_at = excluded.due_at WHERE queues.head > excluded.head");
        statements.push(queue.arg(tenant).arg(receiver).arg(entity).arg(record).arg(code).arg(now));
    }
    if !rows.is_empty() {
        statements.push(leases::renumber_lease(tenant, receiver, number));
    }
    tx.execute_batch(statements).await?;
    let more = last.filter(|_| rows.len() as i64 == limit);
    Ok((rows.len() as u64, more))
}
