//! What is to be sent next. Changes go in the order of their codes; a record whose next change waits for a moment, after a
//! failure or because an older one goes again, has a queue of its own until nothing of it waits any more. Everything here is
//! done by the process that holds the receiver's lease.

use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A receiver for whom something is pending, and who may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueReceiver {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub concurrency: i32,
    /// Of what is registered of it.
    pub version: i64,
    /// Failures since its last success, and how many of its records are among them.
    pub failures: i32,
    pub failed_records: usize,
    /// The newest change that is pending.
    pub newest: HistoryCode,
    /// The moment of the first record that waits for one.
    pub first_wait: Option<Moment>,
    /// The number, the holder and the end of its last lease.
    pub lease: Option<(i64, String, Moment)>,
}

/// The receivers that are neither paused nor asked for patience and have something pending. Nothing leaves an association
/// that is closed.
#[boxed::future]
pub async fn list_due_receivers(
    from: impl Into<ReadSource<'_>>,
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
    for row in from.fetch_all(QueryWeight::Search, statement).await? {
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

/// What is wanted of a receiver by whoever holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingChangeQuery {
    pub receiver: ReceiverCode,
    /// Nothing is given where the lease has another number by now.
    pub lease: i64,
    /// Of the changes behind this one, at most so many.
    pub after: HistoryCode,
    pub limit: i64,
    /// Of the records that waited for a moment which has come, at most so many.
    pub waited: i64,
}

/// A change that is pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChange {
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// How often it was tried before.
    pub tries: i32,
    pub place: PendingPosition,
    pub body: Arc<str>,
    /// When the situation changed.
    pub changed_at: Moment,
}

/// Where a pending change stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingPosition {
    /// Among the others, in their order.
    InOrder,
    /// Its record waits for a moment, and it behind that.
    BehindRetry,
    /// The next of a record whose moment has come.
    RetryDue,
}

/// What may be sent to these receivers now: of each first the records whose moment has come, then what is in order.
#[boxed::future]
pub async fn list_pending_changes(
    tx: &mut Tx,
    tenant: TenantId,
    wanted: &[PendingChangeQuery],
    now: Moment,
) -> Result<Vec<PendingChange>, Error> {
    // The values of a question about one receiver: its key, what must hold of it, and the limit.
    let about = |one: &PendingChangeQuery, from: SqlScalar, limit: i64| -> Vec<SqlScalar> {
        let (tenant, receiver) = (SqlScalar::from(tenant), SqlScalar::from(one.receiver));
        let key = || [tenant.clone(), receiver.clone()];
        let values = key().into_iter().chain([from]).chain(key()).chain(key()).chain([one.lease.into()]);
        values.chain(key()).chain([now.into(), limit.into()]).collect()
    };
    let waited = wanted.iter().filter(|one| one.waited > 0).map(|one| about(one, now.into(), one.waited));
    let in_order =
        wanted.iter().filter(|one| one.limit > 0).map(|one| about(one, one.after.into(), one.limit));
    let mut asked: Vec<(PendingPosition, Statement)> = Vec::new();
    asked.extend(
        build_union_statements(WAITED, waited.collect())
            .into_iter()
            .map(|one| (PendingPosition::RetryDue, one)),
    );
    asked.extend(
        build_union_statements(IN_ORDER, in_order.collect())
            .into_iter()
            .map(|one| (PendingPosition::InOrder, one)),
    );
    let (places, statements): (Vec<PendingPosition>, Vec<Statement>) = asked.into_iter().unzip();
    let mut found: Vec<PendingChange> = Vec::new();
    for (place, rows) in places.into_iter().zip(tx.fetch_each(statements).await?) {
        for row in rows {
            found.extend(parse_pending_row(place, &row)?);
        }
    }
    let sent = |one: &&PendingChange| one.place != PendingPosition::BehindRetry;
    let messages =
        load_message_bodies(tx, tenant, found.iter().filter(sent).map(|one| one.history).collect()).await?;
    for one in found.iter_mut().filter(|one| one.place != PendingPosition::BehindRetry) {
        let gone = || Error::Broken("a delivery without its entry in the history".to_owned());
        (one.body, one.changed_at) = messages.get(&one.history).cloned().ok_or_else(gone)?;
    }
    Ok(found)
}

/// All but what is told, which is not needed of what stands behind another. None where a queue leads to what is not pending.
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

/// What was told of these changes, and when they happened. Many receivers are told the same.
async fn load_message_bodies(
    tx: &mut Tx,
    tenant: TenantId,
    codes: BTreeSet<HistoryCode>,
) -> Result<BTreeMap<HistoryCode, (Arc<str>, Moment)>, Error> {
    let codes: Vec<HistoryCode> = codes.into_iter().collect();
    let bodies = codes.chunks(MOST_BODIES).map(|some| {
        let bodies = sql("SELECT code, body, happened_at FROM history WHERE tenant = $1").arg(tenant);
        match some {
            // Mostly they stand together: then all between the first and the last are read, which is less work.
            [first, .., last] if (last.get() - first.get()) as usize <= 2 * some.len() => {
                bodies.append("AND code >= ? AND code <= ?", [*first, *last])
            }
            _ => bodies.filter_in("code", some.iter().copied()),
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

/// The same question about many receivers in few statements, of a few lengths only, so that the engines keep few prepared.
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

/// What must hold of a receiver: in use and not paused, held under this lease, and not to be left alone.
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

/// A change in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldChange {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
}

impl HeldChange {
    /// `$1` to `$4` are its record's key, `$5` its code.
    fn bind_key(&self, text: &'static str) -> Statement {
        sql(text).arg(self.tenant).arg(self.receiver).arg(self.entity).arg(self.record).arg(self.history)
    }

    /// It did not arrive, and is tried again later. Where an older one of its record goes again meanwhile, that one is next.
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

    /// Its record goes on with the oldest change behind `after` that is pending, now; where there is none, it has no queue
    /// any more.
    pub fn advance_queue(&self, after: HistoryCode, now: Moment) -> [Statement; 2] {
        let ended =
            sql("DELETE FROM queues WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4")
                .arg(self.tenant)
                .arg(self.receiver)
                .arg(self.entity)
                .arg(self.record);
        // The history knows the changes of a record; the outbox which of them are pending. The signs say that what it is
        // compared with are values, and no columns to join by: the history leads.
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

/// These are pending no more.
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
        // Codes that follow each other without a gap are a range of the key.
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

/// Which of these are still pending, and the change that their records wait for, if they do.
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

/// Makes everything that waits for a moment due now.
pub fn make_waits_due(tenant: TenantId, receiver: ReceiverCode, now: Moment) -> Statement {
    sql("UPDATE queues SET due_at = $3 WHERE tenant = $1 AND receiver = $2 AND due_at > $3")
        .arg(tenant)
        .arg(receiver)
        .arg(now)
}

/// The moment of the first record of a receiver that waits for one.
#[boxed::future]
pub async fn find_first_wait(
    from: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receiver: ReceiverCode,
) -> Result<Option<Moment>, Error> {
    let statement =
        sql("SELECT due_at FROM queues WHERE tenant = $1 AND receiver = $2 ORDER BY due_at LIMIT 1")
            .arg(tenant)
            .arg(receiver);
    from.fetch_optional(statement).await?.map(|row| row.get("due_at")).transpose()
}

/// The latest moments that anything of a receiver waits for, or is stamped with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestReceiverMoments {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub tried_at: Option<Moment>,
    pub not_before: Option<Moment>,
    pub lease_end: Option<Moment>,
    pub last_wait: Option<Moment>,
    /// When the oldest change that is pending happened.
    pub oldest: Option<Moment>,
}

/// The latest moments of every receiver in use, whoever's it is.
#[boxed::future]
pub async fn list_latest_moments(
    from: impl Into<ReadSource<'_>>,
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
    from.fetch_all(QueryWeight::Search, statement).await?.iter().map(moments).collect()
}

/// Records whose next change was tried so often, and waits for a moment behind `after`, wait until `due` instead.
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

/// Changes that seem to have happened behind a moment that is still to come happened now.
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

/// How much waits, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutboxBacklog {
    pub pending: i64,
    /// When the oldest of it happened.
    pub oldest: Option<Moment>,
}

/// What is counted of one receiver at most: beyond that it is a great many, and counting costs more than it tells.
pub const COUNTED: i64 = 10_000;

/// How much waits for the receivers in use, whoever's they are. Whom nothing is sent to any more waits for nothing.
#[boxed::future]
pub async fn load_outbox_backlog(from: impl Into<ReadSource<'_>>) -> Result<OutboxBacklog, Error> {
    let statement = sql("SELECT
             (SELECT COUNT(*) FROM (SELECT o.history_code FROM outbox o
                  WHERE o.tenant = r.tenant AND o.receiver = r.code LIMIT $1) AS counted) AS pending,
             (SELECT o.created_at FROM outbox o WHERE o.tenant = r.tenant AND o.receiver = r.code
              ORDER BY o.history_code LIMIT 1) AS oldest
         FROM receivers r WHERE r.active")
    .arg(COUNTED);
    let mut waiting = OutboxBacklog::default();
    for row in from.fetch_all(QueryWeight::Search, statement).await? {
        waiting.pending += row.get::<i64>("pending")?;
        waiting.oldest = waiting.oldest.into_iter().chain(row.get::<Option<Moment>>("oldest")?).min();
    }
    Ok(waiting)
}
