//! What is pending for one receiver and one record, taken in hand by one process at a time. A lease moves the time at which
//! the queue is due behind its own end; whatever is told of a queue afterwards must name that lease, so that a process that
//! was believed gone changes nothing.

use crate::{Error, Source, Statement, Tx, Weight, sql};
use domain::{Entity, HistoryCode, Moment, ReceiverCode, TenantId};

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

/// The receivers that are neither paused nor asked for patience and have something due.
pub async fn due(from: impl Into<Source<'_>>, now: Moment) -> Result<Vec<Due>, Error> {
    let statement = sql("SELECT r.tenant, r.code, r.concurrency, r.version, h.failures, h.failed_records,
             (SELECT MIN(q.due_at) FROM queues q WHERE q.tenant = r.tenant AND q.receiver = r.code) AS due_at
         FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code
         WHERE r.active AND r.paused_at IS NULL AND (h.not_before IS NULL OR h.not_before <= $1)
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

/// The head of a queue in hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leased {
    pub entity: Entity,
    pub record: i32,
    pub history: HistoryCode,
    /// How often it was tried before.
    pub tries: i32,
    pub body: String,
    /// When the situation changed.
    pub changed_at: Moment,
}

/// Takes queues of a receiver that are due, at most `limit`, those first that were due first; none of one that is to be left
/// alone meanwhile.
pub async fn lease(
    tx: &mut Tx,
    tenant: TenantId,
    receiver: ReceiverCode,
    lease: &Lease,
    (now, limit): (Moment, i64),
) -> Result<Vec<Leased>, Error> {
    let taken =
        sql("UPDATE queues SET lease = $3, holder = $4, due_at = $5 WHERE tenant = $1 AND receiver = $2
             AND (entity, record) IN (SELECT entity, record FROM queues WHERE tenant = $1 AND receiver = $2
                 AND due_at <= $6 ORDER BY due_at, entity, record LIMIT $7)
             AND EXISTS (SELECT 1 FROM receivers r WHERE r.tenant = $1 AND r.code = $2 AND r.active
                 AND r.paused_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM receiver_health h WHERE h.tenant = $1 AND h.receiver = $2
                 AND h.not_before > $6)
         RETURNING entity, record, head, tries")
        .arg(tenant)
        .arg(receiver)
        .arg(lease.number)
        .arg(lease.holder.as_str())
        .arg(lease.until)
        .arg(now)
        .arg(limit);
    let rows = tx.all(taken).await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut heads = Vec::with_capacity(rows.len());
    for row in &rows {
        let head: HistoryCode = row.get("head")?;
        heads.push((head, row.get::<Entity>("entity")?, row.get::<i32>("record")?, row.get::<i32>("tries")?));
    }
    heads.sort_unstable();
    let bodies = sql("SELECT code, body, happened_at FROM history WHERE tenant = $1")
        .arg(tenant)
        .within("code", heads.iter().map(|(head, ..)| *head))
        .ending("ORDER BY code");
    let bodies = tx.all(bodies).await?;
    let gone = || Error::Broken("a delivery without its entry in the history".to_owned());
    let mut leased = Vec::with_capacity(heads.len());
    for ((history, entity, record, tries), row) in heads.into_iter().zip(&bodies) {
        if row.get::<HistoryCode>("code")? != history {
            return Err(gone());
        }
        let (body, changed_at) = (row.get("body")?, row.get("happened_at")?);
        leased.push(Leased { entity, record, history, tries, body, changed_at });
    }
    if leased.len() == rows.len() { Ok(leased) } else { Err(gone()) }
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

    /// The head arrived: on to the next. That it arrived holds whatever became of the lease.
    pub fn delivered(&self, now: Moment) -> Vec<Statement> {
        let ended = sql("UPDATE outbox SET state = 2, tries = tries + 1, ended_at = $4
             WHERE tenant = $1 AND receiver = $2 AND history_code = $3")
        .arg(self.tenant)
        .arg(self.receiver)
        .arg(self.history)
        .arg(now);
        std::iter::once(ended).chain(self.next(now)).collect()
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
        std::iter::once(ended).chain(self.next(now)).collect()
    }

    fn next(&self, now: Moment) -> [Statement; 2] {
        let emptied =
            self.on("DELETE FROM queues WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4
             AND lease = $5 AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = $1 AND o.receiver = $2
                 AND o.entity = $3 AND o.record = $4 AND o.state = 1)");
        let moved = self
            .on("UPDATE queues SET head = (SELECT MIN(o.history_code) FROM outbox o WHERE o.tenant = $1
                     AND o.receiver = $2 AND o.entity = $3 AND o.record = $4 AND o.state = 1),
                     tries = 0, due_at = $6, lease = NULL, holder = NULL
                 WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4 AND lease = $5")
            .arg(now);
        [emptied, moved]
    }

    /// The head did not arrive, and is tried again later.
    pub fn failed(&self, due: Moment) -> Vec<Statement> {
        let tried = self
            .on("UPDATE outbox SET tries = tries + 1 WHERE tenant = $1 AND receiver = $2 AND history_code = $6
                 AND EXISTS (SELECT 1 FROM queues q WHERE q.tenant = $1 AND q.receiver = $2 AND q.entity = $3
                     AND q.record = $4 AND q.lease = $5)")
            .arg(self.history);
        let waits = self
            .on("UPDATE queues SET tries = tries + 1, due_at = $6, lease = NULL, holder = NULL
                 WHERE tenant = $1 AND receiver = $2 AND entity = $3 AND record = $4 AND lease = $5")
            .arg(due);
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

/// Who holds queues of a tenant.
pub async fn holders(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<String>, Error> {
    let statement =
        sql("SELECT DISTINCT holder FROM queues WHERE tenant = $1 AND holder IS NOT NULL ORDER BY holder");
    let rows = from.into().all(Weight::Search, statement.arg(tenant)).await?;
    rows.iter().map(|row| row.get("holder")).collect()
}

/// Takes back what somebody holds who is gone.
pub async fn free(tx: &mut Tx, tenant: TenantId, holder: &str, now: Moment) -> Result<u64, Error> {
    let free =
        sql("UPDATE queues SET due_at = $3, lease = NULL, holder = NULL WHERE tenant = $1 AND holder = $2");
    tx.execute(free.arg(tenant).arg(holder).arg(now)).await
}

/// How much waits in a tenant, and since when the oldest is due.
pub async fn waiting(from: impl Into<Source<'_>>) -> Result<Vec<(TenantId, i64, Option<Moment>)>, Error> {
    let statement = sql("SELECT t.tenant,
             (SELECT COUNT(*) FROM outbox o JOIN receivers r ON r.tenant = o.tenant AND r.code = o.receiver
              WHERE o.tenant = t.tenant AND o.state = 1) AS pending,
             (SELECT MIN(o.created_at) FROM outbox o WHERE o.tenant = t.tenant AND o.state = 1) AS oldest
         FROM tenants t ORDER BY t.tenant");
    let rows = from.into().all(Weight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("tenant")?, row.get("pending")?, row.get("oldest")?))).collect()
}
