//! Receivers of situation changes, and their delivery health.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{Entity, Moment, ReceiverCode, TenantId};

/// A receiver, with the fields needed when a situation changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveReceiver {
    pub code: ReceiverCode,
    entities: i64,
}

impl ActiveReceiver {
    pub fn is_subscribed_to(&self, entity: Entity) -> bool {
        self.entities & encode_entity(entity) != 0
    }
}

fn encode_entity(entity: Entity) -> i64 {
    1 << entity.number()
}

fn encode_entities(entities: &[Entity]) -> i64 {
    entities.iter().fold(0, |all, entity| all | encode_entity(*entity))
}

/// The active receivers, paused or not, ordered by code: changes wait while a receiver is paused.
#[boxed::future]
pub async fn list_active_receivers(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<ActiveReceiver>, Error> {
    let statement = sql("SELECT code, entities FROM receivers WHERE tenant = $1 AND active ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| Ok(ActiveReceiver { code: row.get("code")?, entities: row.get("entities")? }))
        .collect()
}

/// The registration version of a receiver, if it is active and not paused.
#[boxed::future]
pub async fn find_open_receiver_version(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<Option<i64>, Error> {
    let statement =
        sql("SELECT version FROM receivers WHERE tenant = $1 AND code = $2 AND active AND paused_at IS NULL");
    source.fetch_optional(statement.arg(tenant).arg(code)).await?.map(|row| row.get("version")).transpose()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseReason {
    ByHand,
    /// It answered that it is permanently gone.
    Gone,
    /// Only failures for days.
    Failing,
}

impl PauseReason {
    pub const fn number(self) -> i64 {
        match self {
            PauseReason::ByHand => 1,
            PauseReason::Gone => 2,
            PauseReason::Failing => 3,
        }
    }

    fn from_number(number: i64) -> PauseReason {
        match number {
            2 => PauseReason::Gone,
            3 => PauseReason::Failing,
            _ => PauseReason::ByHand,
        }
    }
}

/// A receiver as registered by its tenant. Its signing secret is stored separately (`server::secrets`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReceiver {
    pub code: ReceiverCode,
    pub address: String,
    pub entities: Vec<Entity>,
    /// Maximum number of simultaneous deliveries.
    pub concurrency: i32,
    pub active: bool,
    pub paused: Option<(Moment, PauseReason)>,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
    pub health: DeliveryHealth,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeliveryHealth {
    /// Failures since the last success.
    pub failures: i32,
    /// The first few records among them.
    pub failed_records: Vec<(i64, i32)>,
    pub failing_since: Option<Moment>,
    /// Backing off: nothing is sent before this.
    pub not_before: Option<Moment>,
    pub tried_at: Option<Moment>,
    pub succeeded_at: Option<Moment>,
}

const SELECT: &str = "SELECT r.code, r.address, r.entities, r.concurrency, r.active, r.paused_at, r.paused_because, r.version,
         r.created_at, r.updated_at, h.failures, h.failed_records, h.failing_since, h.not_before, h.tried_at, h.succeeded_at
     FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code WHERE r.tenant = $1";

/// Every receiver of a tenant, ordered by code.
#[boxed::future]
pub async fn list_receivers(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredReceiver>, Error> {
    let rows =
        source.fetch_all(QueryWeight::Search, sql(SELECT).arg(tenant).append_text("ORDER BY r.code")).await?;
    rows.iter().map(parse_receiver_row).collect()
}

#[boxed::future]
pub async fn find_receiver(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: ReceiverCode,
) -> Result<Option<StoredReceiver>, Error> {
    let statement = sql(SELECT).arg(tenant).append("AND r.code = ?", [code]);
    source.fetch_optional(statement).await?.map(|row| parse_receiver_row(&row)).transpose()
}

/// The receivers of these codes that exist.
#[boxed::future]
pub async fn list_receivers_by_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = ReceiverCode>,
) -> Result<Vec<StoredReceiver>, Error> {
    let statement = sql(SELECT).arg(tenant).filter_in("r.code", codes);
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_receiver_row).collect()
}

fn parse_receiver_row(row: &Row) -> Result<StoredReceiver, Error> {
    let entities: i64 = row.get("entities")?;
    let paused_at: Option<Moment> = row.get("paused_at")?;
    let reason =
        row.get::<Option<i64>>("paused_because")?.map_or(PauseReason::ByHand, PauseReason::from_number);
    Ok(StoredReceiver {
        code: row.get("code")?,
        address: row.get("address")?,
        entities: Entity::ALL.into_iter().filter(|entity| entities & encode_entity(*entity) != 0).collect(),
        concurrency: row.get("concurrency")?,
        active: row.get("active")?,
        paused: paused_at.map(|at| (at, reason)),
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        health: parse_health_columns(row)?,
    })
}

fn parse_health_columns(row: &Row) -> Result<DeliveryHealth, Error> {
    let records: Option<String> = row.get("failed_records")?;
    let one = |text: &str| {
        let (entity, record) = text.split_once(':')?;
        Some((entity.parse().ok()?, record.parse().ok()?))
    };
    Ok(DeliveryHealth {
        failures: row.get::<Option<i32>>("failures")?.unwrap_or(0),
        failed_records: records.as_deref().unwrap_or("").split_whitespace().filter_map(one).collect(),
        failing_since: row.get("failing_since")?,
        not_before: row.get("not_before")?,
        tried_at: row.get("tried_at")?,
        succeeded_at: row.get("succeeded_at")?,
    })
}

pub fn upsert_receiver_health(
    tenant: TenantId,
    receiver: ReceiverCode,
    health: &DeliveryHealth,
) -> Statement {
    let records: Vec<String> =
        health.failed_records.iter().map(|(entity, record)| format!("{entity}:{record}")).collect();
    sql("INSERT INTO receiver_health (tenant, receiver, failures, failed_records, failing_since, not_before, tried_at,
             succeeded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant, receiver) DO UPDATE SET
             failures = excluded.failures, failed_records = excluded.failed_records,
             failing_since = excluded.failing_since, not_before = excluded.not_before,
             tried_at = excluded.tried_at, succeeded_at = excluded.succeeded_at")
    .arg(tenant)
    .arg(receiver)
    .arg(health.failures)
    .arg(records.join(" "))
    .arg(health.failing_since)
    .arg(health.not_before)
    .arg(health.tried_at)
    .arg(health.succeeded_at)
}

/// The registration of a receiver.
#[derive(Clone, Debug)]
pub struct NewReceiverRow<'r> {
    pub code: ReceiverCode,
    pub address: &'r str,
    pub entities: &'r [Entity],
    pub concurrency: i32,
}

#[boxed::future]
pub async fn insert_receiver(
    tx: &mut Tx,
    tenant: TenantId,
    new: &NewReceiverRow<'_>,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql(
        "INSERT INTO receivers (tenant, code, address, entities, concurrency, active, version, created_at,
             updated_at) VALUES ($1, $2, $3, $4, $5, TRUE, 1, $6, $6)",
    )
    .arg(tenant)
    .arg(new.code)
    .arg(new.address)
    .arg(encode_entities(new.entities))
    .arg(new.concurrency)
    .arg(now);
    tx.execute(statement).await.map(drop)
}

/// Updates the registration of a receiver.
#[boxed::future]
pub async fn update_receiver(
    tx: &mut Tx,
    tenant: TenantId,
    new: &NewReceiverRow<'_>,
    active: bool,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("UPDATE receivers SET address = $3, entities = $4, concurrency = $5, active = $6,
             version = version + 1, updated_at = $7 WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(new.code)
    .arg(new.address)
    .arg(encode_entities(new.entities))
    .arg(new.concurrency)
    .arg(active)
    .arg(now);
    tx.execute(statement).await.map(drop)
}

/// Pauses or resumes a receiver.
pub fn update_receiver_pause(
    tenant: TenantId,
    receiver: ReceiverCode,
    reason: Option<PauseReason>,
    now: Moment,
) -> Statement {
    sql("UPDATE receivers SET paused_at = $3, paused_because = $4, version = version + 1, updated_at = $5
         WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(receiver)
    .arg(reason.map(|_| now))
    .arg(reason.map(PauseReason::number))
    .arg(now)
}

/// How many active receivers of all tenants are paused, and how many of the others only fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverTroubleCounts {
    pub paused: i64,
    pub failing: i64,
}

#[boxed::future]
pub async fn count_receivers_in_trouble(
    source: impl Into<ReadSource<'_>>,
) -> Result<ReceiverTroubleCounts, Error> {
    let statement = sql("SELECT COUNT(CASE WHEN r.paused_at IS NOT NULL THEN 1 END) AS paused,
             COUNT(CASE WHEN r.paused_at IS NULL AND h.failing_since IS NOT NULL THEN 1 END) AS failing
         FROM receivers r LEFT JOIN receiver_health h ON h.tenant = r.tenant AND h.receiver = r.code
         WHERE r.active");
    let Some(row) = source.fetch_optional(statement).await? else {
        return Ok(ReceiverTroubleCounts::default());
    };
    Ok(ReceiverTroubleCounts { paused: row.get("paused")?, failing: row.get("failing")? })
}
