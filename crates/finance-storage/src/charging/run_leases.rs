//! Leases of charging runs: one process works on a run at a time.

use crate::charging::runs::ChargingTotalCounts;
use domain::finance::ChargingRunState;
use domain::{ChargingRunCode, Moment, TenantId};
use storage::{Error, QueryWeight, ReadSource, Tx, sql};

const WORKING: [ChargingRunState; 3] =
    [ChargingRunState::Preparing, ChargingRunState::Issuing, ChargingRunState::Undoing];

/// The runs of a tenant that have work to do and no lease.
#[boxed::future]
pub async fn list_due_runs(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    now: Moment,
) -> Result<Vec<ChargingRunCode>, Error> {
    let statement = sql("SELECT code FROM charging_runs WHERE tenant = $1")
        .arg(tenant)
        .filter_in("state", WORKING)
        .append("AND leased_until <= ?", [now])
        .append_text("ORDER BY code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(|row| row.get("code")).collect()
}

/// A leased run in a stage. The fence tells it from a later lease of the same run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeasedRun {
    pub tenant: TenantId,
    pub code: ChargingRunCode,
    pub state: ChargingRunState,
    fence: i64,
}

/// Leases a run that has work to do and no lease.
#[boxed::future]
pub async fn lease_run(
    tx: &mut Tx,
    tenant: TenantId,
    code: ChargingRunCode,
    (now, until): (Moment, Moment),
) -> Result<Option<LeasedRun>, Error> {
    let statement = sql("UPDATE charging_runs SET fence = fence + 1, leased_until = $4
         WHERE tenant = $1 AND code = $2 AND leased_until <= $3")
    .arg(tenant)
    .arg(code)
    .arg(now)
    .arg(until)
    .filter_in("state", WORKING)
    .append_text("RETURNING fence, state");
    let row = tx.fetch_optional(statement).await?;
    row.map(|row| Ok(LeasedRun { tenant, code, state: row.get("state")?, fence: row.get("fence")? }))
        .transpose()
}

/// Extends the lease; `false` if it was lost: then nothing else may be written.
#[boxed::future]
pub async fn extend_lease(tx: &mut Tx, lease: &LeasedRun, until: Moment) -> Result<bool, Error> {
    let statement = sql("UPDATE charging_runs SET leased_until = $5
         WHERE tenant = $1 AND code = $2 AND fence = $3 AND state = $4")
    .arg(lease.tenant)
    .arg(lease.code)
    .arg(lease.fence)
    .arg(lease.state)
    .arg(until);
    Ok(tx.execute(statement).await? == 1)
}

/// Stores the progress of a run whose lease was just extended.
#[boxed::future]
pub async fn advance_run(
    tx: &mut Tx,
    lease: &LeasedRun,
    position: i32,
    more: &ChargingTotalCounts,
) -> Result<(), Error> {
    let statement =
        sql("UPDATE charging_runs SET position = $4, benefits = benefits + $5, charged = charged + $6,
             charged_amount = charged_amount + $7, titles = titles + $8, titles_amount = titles_amount + $9,
             cancelled = cancelled + $10, kept = kept + $11
         WHERE tenant = $1 AND code = $2 AND fence = $3")
        .arg(lease.tenant)
        .arg(lease.code)
        .arg(lease.fence)
        .arg(position)
        .arg(more.benefits)
        .arg(more.charged)
        .arg(more.charged_amount)
        .arg(more.titles)
        .arg(more.titles_amount)
        .arg(more.cancelled)
        .arg(more.kept);
    tx.execute(statement).await.map(drop)
}

/// Ends the stage of a run whose lease was just extended.
#[boxed::future]
pub async fn finish_stage(
    tx: &mut Tx,
    lease: &LeasedRun,
    to: ChargingRunState,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("UPDATE charging_runs SET state = $4, leased_until = 0, updated_at = $5
         WHERE tenant = $1 AND code = $2 AND fence = $3")
    .arg(lease.tenant)
    .arg(lease.code)
    .arg(lease.fence)
    .arg(to)
    .arg(now);
    tx.execute(statement).await.map(drop)
}

/// Releases all runs of a tenant, and returns how many were leased.
#[boxed::future]
pub async fn release_all_runs(tx: &mut Tx, tenant: TenantId) -> Result<u64, Error> {
    let statement =
        sql("UPDATE charging_runs SET leased_until = 0 WHERE tenant = $1 AND leased_until > 0").arg(tenant);
    tx.execute(statement).await
}

/// Releases a run that still has work to do.
#[boxed::future]
pub async fn release_run(tx: &mut Tx, lease: &LeasedRun) -> Result<(), Error> {
    let statement = sql("UPDATE charging_runs SET leased_until = 0
         WHERE tenant = $1 AND code = $2 AND fence = $3")
    .arg(lease.tenant)
    .arg(lease.code)
    .arg(lease.fence);
    tx.execute(statement).await.map(drop)
}
