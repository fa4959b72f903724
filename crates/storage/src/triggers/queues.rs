//! Chooses what to send next. Changes are sent in the order of their codes. A record whose next change waits, after a
//! failure or because of a replay, has a queue until none of its changes is pending. Only the process with the
//! receiver's lease uses this module.

use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An open receiver with pending deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueReceiver {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub concurrency: i32,
    /// The version of its registration.
    pub version: i64,
    /// Failures since its last success, and the number of failed records.
    pub failures: i32,
    pub failed_records: usize,
    /// The newest pending change.
    pub newest: HistoryCode,
    /// When the first waiting record is due.
    pub first_wait: Option<Moment>,
    /// Number, holder and end of its last lease.
    pub lease: Option<(i64, String, Moment)>,
}

/// The receivers with pending deliveries that are neither paused nor backing off. Nothing is sent for a disabled
/// tenant.
#[boxed::future]
pub async fn list_due_receivers(
    source: impl Into<ReadSource<'_>>,
    now: Moment,
) -> Result<Vec<DueReceiver>, Error> {
    let statement = sql("SELECT r.tenant, r.code, r.concurrency, r.version, h.failures, h.failed_records,
             l.number, l.holder, l.ends_at,
             (SELECT o.history_code FROM outbox o WHERE o.tenant = r.tenant AND o.receiver = r.code
              ORDER BY o.history_code DESC LIMIT 1) AS newest,
             (SELECT q.due_at FROM queues q WHERE q.tenant = r.tenant AND q.receiver = r.code
              ORDER BY q.due_at LIMIT 1) AS first_wait
         FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code
             LEFT JOIN leases l ON l.tenant = r.tenant AND l.receiver = r.code
         WHERE r.active AND r.paused_at IS NULL AND (h.not_before IS NULL OR h.not_before <= $1)
             AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.tenant = r.tenant AND NOT t.active)
         ORDER BY r.tenant, r.code")
    .arg(now);
    let mut found = Vec::new();
    for row in source.fetch_all(QueryWeight::Search, statement).await? {
        let Some(newest) = row.get::<Option<HistoryCode>>("newest")? else { continue };
        let lease = match row.get::<Option<i64>>("number")? {
            Some(number) => Some((number, row.get("holder")?, row.get("ends_at")?)),
            None => None,
        };
        let records: Option<String> = row.get("failed_records")?;
        found.push(DueReceiver {
            tenant: row.get("tenant")?,
            receiver: row.get("code")?,
            concurrency: row.get("concurrency")?,
            version: row.get("version")?,
            failures: row.get::<Option<i32>>("failures")?.unwrap_or(0),
            failed_records: records.map_or(0, |text| text.split_whitespace().count()),
            newest,
            first_wait: row.get("first_wait")?,
            lease,
        });
    }
    Ok(found)
}

/// What the lease holder requests of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingChangeQuery {
    pub receiver: ReceiverCode,
    /// Returns nothing if the lease has another number by now.
    pub lease: i64,
    /// In-order changes after this one, at most `limit`.
    pub after: HistoryCode,
    pub limit: i64,
    /// Maximum number of records whose retry is due.
    pub waited: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChange {
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// The number of previous attempts.
    pub tries: i32,
    pub place: PendingPosition,
    pub body: Arc<str>,
    /// When the situation changed.
    pub changed_at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingPosition {
    /// In the regular order.
    InOrder,
    /// Its record waits for a retry, and this change waits behind it.
    BehindRetry,
    /// The next change of a record whose retry is due.
    RetryDue,
}

/// What may be sent to these receivers now: for each, first the due retries, then the changes in order.
#[boxed::future]
pub async fn list_pending_changes(
    tx: &mut Tx,
    tenant: TenantId,
    queries: &[PendingChangeQuery],
    now: Moment,
) -> Result<Vec<PendingChange>, Error> {
    // The parameters for one receiver: its key, its conditions, and the limit.
    let build_parameters = |one: &PendingChangeQuery, start: SqlScalar, limit: i64| -> Vec<SqlScalar> {
        let (tenant, receiver) = (SqlScalar::from(tenant), SqlScalar::from(one.receiver));
        let key = || [tenant.clone(), receiver.clone()];
        let values = key().into_iter().chain([start]).chain(key()).chain(key()).chain([one.lease.into()]);
        values.chain(key()).chain([now.into(), limit.into()]).collect()
    };
    let waited =
        queries.iter().filter(|one| one.waited > 0).map(|one| build_parameters(one, now.into(), one.waited));
    let in_order = queries
        .iter()
        .filter(|one| one.limit > 0)
        .map(|one| build_parameters(one, one.after.into(), one.limit));
    let mut positioned: Vec<(PendingPosition, Statement)> = Vec::new();
    positioned.extend(
        build_union_statements(WAITED, waited.collect())
            .into_iter()
            .map(|one| (PendingPosition::RetryDue, one)),
    );
    positioned.extend(
        build_union_statements(IN_ORDER, in_order.collect())
            .into_iter()
            .map(|one| (PendingPosition::InOrder, one)),
    );
    let (places, statements): (Vec<PendingPosition>, Vec<Statement>) = positioned.into_iter().unzip();
    let mut found: Vec<PendingChange> = Vec::new();
    for (place, rows) in places.into_iter().zip(tx.fetch_each(statements).await?) {
        for row in rows {
            found.extend(parse_pending_row(place, &row)?);
        }
    }
    let is_sendable = |one: &&PendingChange| one.place != PendingPosition::BehindRetry;
    let messages =
        load_message_bodies(tx, tenant, found.iter().filter(is_sendable).map(|one| one.history).collect())
            .await?;
    for one in found.iter_mut().filter(|one| one.place != PendingPosition::BehindRetry) {
        let missing = || Error::Broken("a delivery without its entry in the history".to_owned());
        (one.body, one.changed_at) = messages.get(&one.history).cloned().ok_or_else(missing)?;
    }
    Ok(found)
}

/// Without the body, which is not needed for changes behind a retry. `None` if the head of a queue is not pending.
fn parse_pending_row(place: PendingPosition, row: &Row) -> Result<Option<PendingChange>, Error> {
    let Some(tries) = row.get("tries")? else { return Ok(None) };
    let place = match place {
        PendingPosition::InOrder if row.get::<Option<i64>>("head")?.is_some() => PendingPosition::BehindRetry,
        place => place,
    };
    Ok(Some(PendingChange {
        receiver: row.get("receiver")?,
        entity: row.get("entity")?,
        record: row.get("record")?,
        history: row.get("history_code")?,
        tries,
        place,
        body: Arc::from(""),
        changed_at: Moment::from_millis(0),
    }))
}

/// The bodies and times of these changes. Many receivers share the same body.
async fn load_message_bodies(
    tx: &mut Tx,
    tenant: TenantId,
    codes: BTreeSet<HistoryCode>,
) -> Result<BTreeMap<HistoryCode, (Arc<str>, Moment)>, Error> {
    let codes: Vec<HistoryCode> = codes.into_iter().collect();
    let bodies = codes.chunks(MOST_BODIES).map(|chunk| {
        let bodies = sql("SELECT code, body, happened_at FROM history WHERE tenant = $1").arg(tenant);
        match chunk {
            // Usually the codes are close together: then reading the entire range is cheaper.
            [first, .., last] if (last.get() - first.get()) as usize <= 2 * chunk.len() => {
                bodies.append("AND code >= ? AND code <= ?", [*first, *last])
            }
            _ => bodies.filter_in("code", chunk.iter().copied()),
        }
    });
    let mut messages = BTreeMap::new();
    for row in tx.fetch_each(bodies.collect()).await?.iter().flatten() {
        let body: String = row.get("body")?;
        messages.insert(row.get("code")?, (Arc::from(body), row.get("happened_at")?));
    }
    Ok(messages)
}

const MOST_BODIES: usize = 1024;

/// Combines the query for many receivers into few statements of a few lengths, so that the engines cache few of them.
fn build_union_statements(text: &str, all: Vec<Vec<SqlScalar>>) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut rest = all;
    while !rest.is_empty() {
        let length = ASKED_TOGETHER.into_iter().find(|length| *length <= rest.len()).unwrap_or(1);
        let others = rest.split_off(length);
        let mut statement = Statement::empty();
        for (place, values) in std::mem::replace(&mut rest, others).into_iter().enumerate() {
            let union = if place == 0 { "" } else { "UNION ALL " };
            statement = statement.append(&format!("{union}SELECT * FROM ({text}) AS r{place}"), values);
        }
        statements.push(statement);
    }
    statements
}

const ASKED_TOGETHER: [usize; 3] = [16, 4, 1];

/// The conditions of an open receiver: active, not paused, under this lease, and not backing off.
macro_rules! open {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "
         AND EXISTS (SELECT 1 FROM receivers w WHERE w.tenant = ? AND w.code = ? AND w.active AND w.paused_at IS NULL)
         AND EXISTS (SELECT 1 FROM leases l WHERE l.tenant = ? AND l.receiver = ? AND l.number = ?)
         AND NOT EXISTS (SELECT 1 FROM receiver_health h WHERE h.tenant = ? AND h.receiver = ? AND h.not_before > ?)
     ",
            $after
        )
    };
}

const WAITED: &str = open!(
    "SELECT q.receiver, q.entity, q.record, q.head AS history_code, q.head,
         (SELECT o.tries FROM outbox o WHERE o.tenant = q.tenant AND o.receiver = q.receiver
          AND o.history_code = q.head) AS tries
     FROM queues q WHERE q.tenant = ? AND q.receiver = ? AND q.due_at <= ?",
    "ORDER BY q.due_at LIMIT ?"
);
const IN_ORDER: &str = open!(
    "SELECT o.receiver, o.entity, o.record, o.history_code,
         (SELECT q.head FROM queues q WHERE q.tenant = o.tenant AND q.receiver = o.receiver
          AND q.entity = o.entity AND q.record = o.record) AS head,
         o.tries
     FROM outbox o WHERE o.tenant = ? AND o.receiver = ? AND o.history_code > ?",
    "ORDER BY o.history_code LIMIT ?"
);

/// A change that is being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChange {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
}

impl HeldChange {
    /// `$1` to `$4` are the key of its record, `$5` its code.
    fn bind_key(&self, text: &'static str) -> Statement {
        sql(text).arg(self.tenant).arg(self.receiver).arg(self.entity).arg(self.record).arg(self.history)
    }

    /// Schedules a retry of a failed attempt. If an older change of the record was replayed meanwhile, that one is
    /// next.
    pub fn schedule_retry(&self, tries: i32, due: Moment) -> [Statement; 2] {
        let waits = self
            .bind_key(
                "INSERT INTO queues (tenant, receiver, entity, record, head, due_at)
                 SELECT tenant, receiver, entity, record, history_code, CAST($6 AS BIGINT) FROM outbox
                 WHERE tenant = $1 AND receiver = $2 AND history_code = $5 AND entity = $3 AND record = $4
                 ON CONFLICT (tenant, receiver, entity, record) DO UPDATE
                     SET head = excluded.head, due_at = excluded.due_at WHERE queues.head >= excluded.head",
            )
            .arg(due);
        let tried =
            sql("UPDATE outbox SET tries = $4 WHERE tenant = $1 AND receiver = $2 AND history_code = $3")
                .arg(self.tenant)
                .arg(self.receiver)
                .arg(self.history)
                .arg(tries);
        [waits, tried]
    }

    /// Continues the record's queue with the oldest pending change after `after`, due now; deletes the queue if there
    /// is none.
    pub fn advance_queue(&self, after: HistoryCode, now: Moment) -> [Statement; 2] {
        let ended =
            sql("DELETE FROM queues WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4")
                .arg(self.tenant)
                .arg(self.receiver)
                .arg(self.entity)
                .arg(self.record);
        // The history lists the changes of a record, the outbox which of them are pending. The plus signs keep the
        // engines from using these columns for a join, so that the history drives the query.
        let next = sql("INSERT INTO queues (tenant, receiver, entity, record, head, due_at)
             SELECT h.tenant, CAST($2 AS BIGINT), h.entity, h.record, h.code, CAST($6 AS BIGINT) FROM history h
             WHERE h.tenant = $1 AND h.entity = $3 AND h.record = $4 AND h.code > $5
                 AND EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = +h.tenant AND o.receiver = $2
                     AND o.history_code = +h.code)
             ORDER BY h.code LIMIT 1")
        .arg(self.tenant)
        .arg(self.receiver)
        .arg(self.entity)
        .arg(self.record)
        .arg(after)
        .arg(now);
        [ended, next]
    }
}

pub fn delete_pending_changes(all: &[HeldChange]) -> Vec<Statement> {
    let mut by_receiver: BTreeMap<(TenantId, ReceiverCode), Vec<HistoryCode>> = BTreeMap::new();
    for one in all {
        by_receiver.entry((one.tenant, one.receiver)).or_default().push(one.history);
    }
    let mut statements = Vec::new();
    for ((tenant, receiver), mut codes) in by_receiver {
        let remove =
            || sql("DELETE FROM outbox WHERE tenant = $1 AND receiver = $2").arg(tenant).arg(receiver);
        codes.sort_unstable();
        // Consecutive codes are deleted as a range of the key.
        let (runs, single): (Vec<_>, Vec<_>) = codes
            .chunk_by(|one, next| next.get() == one.get() + 1)
            .partition(|run| run.len() >= SHORTEST_RUN);
        for run in runs {
            if let [first, .., last] = run {
                statements
                    .push(remove().append("AND history_code >= ? AND history_code <= ?", [*first, *last]));
            }
        }
        let single: Vec<HistoryCode> = single.into_iter().flatten().copied().collect();
        if !single.is_empty() {
            statements.push(remove().filter_in("history_code", single));
        }
    }
    statements
}

const SHORTEST_RUN: usize = 4;

/// Which of these are still pending, and the head of their record's queue, if it has one.
#[boxed::future]
pub async fn list_pending_heads(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    codes: impl IntoIterator<Item = HistoryCode>,
) -> Result<BTreeMap<HistoryCode, Option<HistoryCode>>, Error> {
    let statement = sql("SELECT o.history_code, (SELECT q.head FROM queues q WHERE q.tenant = o.tenant
             AND q.receiver = o.receiver AND q.entity = o.entity AND q.record = o.record) AS head
         FROM outbox o WHERE o.tenant = $1 AND o.receiver = $2")
    .arg(tenant)
    .arg(receiver)
    .filter_in("o.history_code", codes);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("history_code")?, row.get("head")?))).collect()
}

/// Makes all waiting retries due now.
pub fn make_waits_due(tenant: TenantId, receiver: ReceiverCode, now: Moment) -> Statement {
    sql("UPDATE queues SET due_at = $3 WHERE tenant = $1 AND receiver = $2 AND due_at > $3")
        .arg(tenant)
        .arg(receiver)
        .arg(now)
}

/// When the first waiting record of a receiver is due.
#[boxed::future]
pub async fn find_first_wait(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
) -> Result<Option<Moment>, Error> {
    let statement =
        sql("SELECT due_at FROM queues WHERE tenant = $1 AND receiver = $2 ORDER BY due_at LIMIT 1")
            .arg(tenant)
            .arg(receiver);
    source.fetch_optional(statement).await?.map(|row| row.get("due_at")).transpose()
}

/// The times of a receiver that a clock running ahead could have set too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestReceiverMoments {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub tried_at: Option<Moment>,
    pub not_before: Option<Moment>,
    pub lease_end: Option<Moment>,
    pub last_wait: Option<Moment>,
    /// When the oldest pending change happened.
    pub oldest: Option<Moment>,
}

/// The latest times of every active receiver, of all tenants.
#[boxed::future]
pub async fn list_latest_moments(
    source: impl Into<ReadSource<'_>>,
) -> Result<Vec<LatestReceiverMoments>, Error> {
    let statement = sql("SELECT r.tenant, r.code, h.tried_at, h.not_before, l.ends_at,
             (SELECT q.due_at FROM queues q WHERE q.tenant = r.tenant AND q.receiver = r.code
              ORDER BY q.due_at DESC LIMIT 1) AS last_wait,
             (SELECT o.created_at FROM outbox o WHERE o.tenant = r.tenant AND o.receiver = r.code
              ORDER BY o.history_code LIMIT 1) AS oldest
         FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code
             LEFT JOIN leases l ON l.tenant = r.tenant AND l.receiver = r.code
         WHERE r.active ORDER BY r.tenant, r.code");
    let moments = |row: &Row| {
        Ok(LatestReceiverMoments {
            tenant: row.get("tenant")?,
            receiver: row.get("code")?,
            tried_at: row.get("tried_at")?,
            not_before: row.get("not_before")?,
            lease_end: row.get("ends_at")?,
            last_wait: row.get("last_wait")?,
            oldest: row.get("oldest")?,
        })
    };
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(moments).collect()
}

/// Records whose next change has this many attempts and waits until after `after` wait until `due` instead.
pub fn shorten_waits(
    tenant: TenantId,
    receiver: ReceiverCode,
    (fewest, most): (i32, i32),
    (after, due): (Moment, Moment),
) -> Statement {
    sql("UPDATE queues SET due_at = $6 WHERE tenant = $1 AND receiver = $2 AND due_at > $5
             AND EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = queues.tenant AND o.receiver = queues.receiver
                 AND o.history_code = queues.head AND o.tries >= $3 AND o.tries <= $4)")
    .arg(tenant)
    .arg(receiver)
    .arg(fewest)
    .arg(most)
    .arg(after)
    .arg(due)
}

/// Restamps changes dated after `after`, which is in the future, with the current time.
pub fn restamp_pending_changes(
    tenant: TenantId,
    receiver: ReceiverCode,
    after: Moment,
    now: Moment,
) -> Statement {
    sql("UPDATE outbox SET created_at = $4 WHERE tenant = $1 AND receiver = $2 AND created_at > $3")
        .arg(tenant)
        .arg(receiver)
        .arg(after)
        .arg(now)
}

/// The number of pending deliveries, and the age of the oldest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutboxBacklog {
    pub pending: i64,
    /// When the oldest of these changes happened.
    pub oldest: Option<Moment>,
}

/// Maximum count per receiver: beyond it, counting costs more than it is worth.
pub const LARGEST_EXACT_COUNT: i64 = 10_000;

/// The backlog of the active receivers of all tenants. Inactive receivers are not counted.
#[boxed::future]
pub async fn load_outbox_backlog(source: impl Into<ReadSource<'_>>) -> Result<OutboxBacklog, Error> {
    let statement = sql("SELECT
             (SELECT COUNT(*) FROM (SELECT o.history_code FROM outbox o
                  WHERE o.tenant = r.tenant AND o.receiver = r.code LIMIT $1) AS counted) AS pending,
             (SELECT o.created_at FROM outbox o WHERE o.tenant = r.tenant AND o.receiver = r.code
              ORDER BY o.history_code LIMIT 1) AS oldest
         FROM receivers r WHERE r.active")
    .arg(LARGEST_EXACT_COUNT);
    let mut waiting = OutboxBacklog::default();
    for row in source.fetch_all(QueryWeight::Search, statement).await? {
        waiting.pending += row.get::<i64>("pending")?;
        waiting.oldest = waiting.oldest.into_iter().chain(row.get::<Option<Moment>>("oldest")?).min();
    }
    Ok(waiting)
}
