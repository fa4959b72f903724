//! What is pending for one receiver and one record, taken in hand by one process at a time. A lease moves the time at which
//! the queue is due behind its own end; whatever is told of a queue afterwards must name that lease, so that a process that
//! was believed gone changes nothing.

use crate::{Error, Source, Statement, Tx, Value, Weight, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};

/// A receiver for whom something may be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub concurrency: i32,
    /// Of what is registered of it.
    pub version: i64,
    /// Failures since its last success, and how many of its records are among them.
    pub failures: i32,
    pub failed_records: usize,
}

/// The receivers that are neither paused nor asked for patience and have something due. Nothing leaves an association that
/// is closed.
pub async fn due(from: impl Into<Source<'_>>, now: Moment) -> Result<Vec<Due>, Error> {
    let statement = sql("SELECT r.tenant, r.code, r.concurrency, r.version, h.failures, h.failed_records,
             (SELECT q.due_at FROM queues q WHERE q.tenant = r.tenant AND q.receiver = r.code
              ORDER BY q.due_at LIMIT 1) AS due_at
         FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code
         WHERE r.active AND r.paused_at IS NULL AND (h.not_before IS NULL OR h.not_before <= $1)
             AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.tenant = r.tenant AND NOT t.active)
         ORDER BY r.tenant, r.code")
    .arg(now);
    let mut found = Vec::new();
    for row in from.into().all(Weight::Search, statement).await? {
        if row.get::<Option<Moment>>("due_at")?.is_some_and(|due| due <= now) {
            found.push(Due {
                tenant: row.get("tenant")?,
                receiver: row.get("code")?,
                concurrency: row.get("concurrency")?,
                version: row.get("version")?,
                failures: row.get::<Option<i32>>("failures")?.unwrap_or(0),
                failed_records: row
                    .get::<Option<String>>("failed_records")?
                    .map_or(0, |text| text.split_whitespace().count()),
            });
        }
    }
    Ok(found)
}

/// Who takes queues in hand, and until when.
#[derive(Clone, Debug)]
pub struct Lease {
    pub number: i64,
    pub holder: String,
    pub until: Moment,
}

/// The head of a queue that may be taken in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// How often it was tried before.
    pub tries: i32,
}

/// The queues of each of these receivers that are due, at most so many, those first that were due first; none of one that
/// is to be left alone meanwhile.
pub async fn ready(
    tx: &mut Tx,
    tenant: TenantId,
    wanted: &[(ReceiverCode, i64)],
    now: Moment,
) -> Result<Vec<Ready>, Error> {
    let mut found = Vec::new();
    let mut rest = wanted;
    while !rest.is_empty() {
        // In a few lengths only, so that the engines keep few prepared statements.
        let length = ASKED_TOGETHER.into_iter().find(|length| *length <= rest.len()).unwrap_or(1);
        let (some, others) = rest.split_at(length);
        rest = others;
        let mut statement = Statement::empty();
        for (place, (receiver, limit)) in some.iter().enumerate() {
            let union = if place == 0 { "" } else { "UNION ALL " };
            let own = format!("{union}SELECT * FROM ({READY}) AS r{place}");
            let (tenant, receiver) = (Value::from(tenant), Value::from(*receiver));
            let values = [tenant.clone(), receiver.clone(), now.into(), tenant.clone(), receiver.clone()];
            let values = values.into_iter().chain([tenant, receiver, now.into(), (*limit).into()]);
            statement = statement.then(&own, values);
        }
        for row in tx.all(statement).await? {
            found.push(Ready {
                receiver: row.get("receiver")?,
                entity: row.get("entity")?,
                record: row.get("record")?,
                history: row.get("head")?,
                tries: row.get("tries")?,
            });
        }
    }
    Ok(found)
}

const ASKED_TOGETHER: [usize; 3] = [16, 4, 1];
const READY: &str = "SELECT receiver, entity, record, head, tries FROM queues
     WHERE tenant = ? AND receiver = ? AND due_at <= ?
         AND EXISTS (SELECT 1 FROM receivers w WHERE w.tenant = ? AND w.code = ? AND w.active AND w.paused_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM receiver_health h WHERE h.tenant = ? AND h.receiver = ? AND h.not_before > ?)
     ORDER BY due_at LIMIT ?";

/// A message in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leased {
    pub head: Ready,
    pub body: String,
    /// When the situation changed.
    pub changed_at: Moment,
}

/// Takes queues in hand that were found ready in the same unit: nobody else writes meanwhile.
pub async fn lease(
    tx: &mut Tx,
    tenant: TenantId,
    ready: Vec<Ready>,
    lease: &Lease,
) -> Result<Vec<Leased>, Error> {
    if ready.is_empty() {
        return Ok(Vec::new());
    }
    let codes: BTreeSet<HistoryCode> = ready.iter().map(|one| one.history).collect();
    let bodies = sql("SELECT code, body, happened_at FROM history WHERE tenant = $1");
    let mut messages: BTreeMap<HistoryCode, (String, Moment)> = BTreeMap::new();
    for row in tx.all(bodies.arg(tenant).within("code", codes)).await? {
        messages.insert(row.get("code")?, (row.get("body")?, row.get("happened_at")?));
    }
    let taken = records(ready.iter().map(|one| ((one.receiver, one.entity.number()), one.record)));
    let taken = taken.into_iter().map(|((receiver, entity), records)| {
        sql("UPDATE queues SET lease = $4, holder = $5, due_at = $6 WHERE tenant = $1 AND receiver = $2 AND entity = $3")
            .arg(tenant)
            .arg(receiver)
            .arg(entity)
            .arg(lease.number)
            .arg(lease.holder.as_str())
            .arg(lease.until)
            .within("record", records)
    });
    tx.batch(taken.collect()).await?;
    let message = |head: Ready| {
        let gone = || Error::Broken("a delivery without its entry in the history".to_owned());
        let (body, changed_at) = messages.get(&head.history).cloned().ok_or_else(gone)?;
        Ok(Leased { head, body, changed_at })
    };
    ready.into_iter().map(message).collect()
}

/// Records by what they have in common, so that one statement serves them all.
fn records<K: Ord, R>(all: impl Iterator<Item = (K, R)>) -> BTreeMap<K, Vec<R>> {
    let mut together: BTreeMap<K, Vec<R>> = BTreeMap::new();
    for (key, record) in all {
        together.entry(key).or_default().push(record);
    }
    together
}

/// A queue by its key, and the lease under which something is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub tenant: TenantId,
    pub receiver: ReceiverCode,
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    pub lease: i64,
}

impl Held {
    /// `$1` to `$4` are its key, `$5` the lease.
    fn on(&self, text: &'static str) -> Statement {
        sql(text).arg(self.tenant).arg(self.receiver).arg(self.entity).arg(self.record).arg(self.lease)
    }

    /// The head is given up: on to the next.
    pub fn exhausted(&self, now: Moment) -> Vec<Statement> {
        let ended = self
            .on("UPDATE outbox SET state = 3, tries = tries + 1, ended_at = $7
                 WHERE tenant = $1 AND receiver = $2 AND history_code = $6 AND state = 1
                 AND EXISTS (SELECT 1 FROM queues q WHERE q.tenant = $1 AND q.receiver = $2 AND q.entity = $3
                     AND q.record = $4 AND q.lease = $5)")
            .arg(self.history)
            .arg(now);
        std::iter::once(ended).chain(next(std::slice::from_ref(self), now)).collect()
    }

    /// The head did not arrive, and is tried again later. Where an older one goes again meanwhile, that one is next.
    pub fn failed(&self, now: Moment, due: Moment) -> Vec<Statement> {
        let tried = self
            .on("UPDATE outbox SET tries = tries + 1 WHERE tenant = $1 AND receiver = $2 AND history_code = $6
                 AND EXISTS (SELECT 1 FROM queues q WHERE q.tenant = $1 AND q.receiver = $2 AND q.entity = $3
                     AND q.record = $4 AND q.lease = $5)")
            .arg(self.history);
        let waits = self
            .on("UPDATE queues SET tries = CASE WHEN head = $6 THEN tries + 1 ELSE 0 END,
                     due_at = CASE WHEN head = $6 THEN CAST($7 AS BIGINT) ELSE CAST($8 AS BIGINT) END,
                     lease = NULL, holder = NULL
                 WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4 AND lease = $5")
            .arg(self.history)
            .arg(due)
            .arg(now);
        vec![tried, waits]
    }

    /// It was not even tried: given back as it was.
    pub fn untried(&self, due: Moment) -> Vec<Statement> {
        let back = self
            .on("UPDATE queues SET due_at = $6, lease = NULL, holder = NULL
                 WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4 AND lease = $5")
            .arg(due);
        vec![back]
    }
}

/// Leaves a receiver alone until a moment: whoever probes it does so for everybody.
pub async fn leave_alone(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    until: Moment,
) -> Result<(), Error> {
    let alone = sql("UPDATE receiver_health SET not_before = $3 WHERE tenant = $1 AND receiver = $2");
    tx.execute(alone.arg(tenant).arg(receiver).arg(until)).await.map(drop)
}

/// Makes everything that waits for a receiver due now, whatever it waited for.
pub fn hasten(tenant: TenantId, receiver: ReceiverCode, now: Moment) -> Statement {
    sql("UPDATE queues SET due_at = $3 WHERE tenant = $1 AND receiver = $2 AND lease IS NULL AND due_at > $3")
        .arg(tenant)
        .arg(receiver)
        .arg(now)
}

/// The oldest pending change of the record that a row of this table is about. The record is a range of one, and stands in the
/// order: then `outbox_pending` alone gives that order, and no other index looks as good to a planner that knows nothing of
/// the rows. (Where whole rows are compared, a walk may end by the first column alone.) The signs say that it
/// is a value to compare with, and no column to join by.
macro_rules! first_pending {
    ($table:literal) => {
        concat!(
            "(SELECT o.history_code FROM outbox o WHERE o.state = 1 AND o.tenant = +",
            $table,
            ".tenant
              AND o.receiver = +",
            $table,
            ".receiver AND o.entity = +",
            $table,
            ".entity
              AND o.record >= +",
            $table,
            ".record AND o.record <= +",
            $table,
            ".record
              ORDER BY o.record, o.history_code LIMIT 1)"
        )
    };
}

/// These heads arrived: on to the next ones. That they arrived holds whatever became of the leases; but one that was
/// overtaken, because an older change of its record is to go again, stays pending and goes again behind it.
pub fn delivered(all: &[Held], now: Moment) -> Vec<Statement> {
    let ended = records(all.iter().map(|one| ((one.tenant, one.receiver), one.history)));
    let ended = ended.into_iter().map(|((tenant, receiver), codes)| {
        sql(concat!(
            "UPDATE outbox SET state = 2, tries = tries + 1, ended_at = $3 WHERE tenant = $1 AND receiver = $2
             AND COALESCE(",
            first_pending!("outbox"),
            ", history_code) >= history_code"
        ))
        .arg(tenant)
        .arg(receiver)
        .arg(now)
        .within("history_code", codes)
    });
    ended.chain(next(all, now)).collect()
}

/// The queues lead to what is pending next, or end where nothing is.
fn next(all: &[Held], now: Moment) -> Vec<Statement> {
    let keys = all.iter().map(|one| ((one.tenant, one.receiver, one.entity.number(), one.lease), one.record));
    let mut statements = Vec::new();
    for ((tenant, receiver, entity, lease), records) in records(keys) {
        let on = |text| sql(text).arg(tenant).arg(receiver).arg(entity).arg(lease);
        let emptied = on(concat!(
            "DELETE FROM queues WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND lease = $4 AND ",
            first_pending!("queues"),
            " IS NULL"
        ));
        let moved = on(concat!(
            "UPDATE queues SET tries = 0, due_at = $5, lease = NULL, holder = NULL, head = ",
            first_pending!("queues"),
            " WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND lease = $4"
        ))
        .arg(now);
        statements.push(emptied.within("record", records.clone()));
        statements.push(moved.within("record", records));
    }
    statements
}

/// Who holds queues of a tenant. A lease ends at the latest at `until`: so only what is due between now and then is looked at.
pub async fn holders(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    (now, until): (Moment, Moment),
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT DISTINCT q.holder FROM receivers r JOIN queues q ON q.tenant = r.tenant AND q.receiver = r.code
         WHERE r.tenant = $1 AND q.tenant = $1 AND q.due_at > $2 AND q.due_at <= $3 AND q.holder IS NOT NULL ORDER BY q.holder");
    let rows = from.into().all(Weight::Search, statement.arg(tenant).arg(now).arg(until)).await?;
    rows.iter().map(|row| row.get("holder")).collect()
}

/// Takes back what somebody holds who is gone.
pub async fn free(
    tx: &mut Tx,
    tenant: TenantId,
    holder: &str,
    (now, until): (Moment, Moment),
) -> Result<u64, Error> {
    let free = sql("UPDATE queues SET due_at = $3, lease = NULL, holder = NULL
         WHERE tenant = $1 AND receiver IN (SELECT code FROM receivers WHERE tenant = $1) AND due_at > $3 AND due_at <= $4
             AND holder = $2");
    tx.execute(free.arg(tenant).arg(holder).arg(now).arg(until)).await
}

/// How much waits, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    pub pending: i64,
    /// When the oldest of it happened.
    pub oldest: Option<Moment>,
}

/// What is counted of one receiver at most: beyond that it is a great many, and counting costs more than it tells.
pub const COUNTED: i64 = 10_000;

/// How much waits for the receivers in use, whoever's they are. Whom nothing is sent to any more waits for nothing.
pub async fn waiting(from: impl Into<Source<'_>>) -> Result<Waiting, Error> {
    let statement = sql("SELECT
             (SELECT COUNT(*) FROM (SELECT o.history_code FROM outbox o
                  WHERE o.tenant = r.tenant AND o.receiver = r.code AND o.state = 1 LIMIT $1) AS counted) AS pending,
             (SELECT w.created_at FROM outbox w WHERE w.tenant = r.tenant AND w.receiver = r.code AND w.history_code =
                  (SELECT MIN(o.history_code) FROM outbox o
                   WHERE o.tenant = r.tenant AND o.receiver = r.code AND o.state = 1)) AS oldest
         FROM receivers r WHERE r.active")
    .arg(COUNTED);
    let mut waiting = Waiting::default();
    for row in from.into().all(Weight::Search, statement).await? {
        waiting.pending += row.get::<i64>("pending")?;
        waiting.oldest = waiting.oldest.into_iter().chain(row.get::<Option<Moment>>("oldest")?).min();
    }
    Ok(waiting)
}
