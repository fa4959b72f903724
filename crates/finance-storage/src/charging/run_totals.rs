//! The totals of a run.

use crate::charging::runs::ChargedBenefitFilter;
use domain::finance::{LegalNature, NotChargedReason};
use domain::{ChargeItemCode, ChargingRunCode, TenantId};
use storage::{Error, Tx, sql};

/// What a run charges of an item and nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemTotal {
    pub item: ChargeItemCode,
    pub nature: LegalNature,
    /// Lines above 0.
    pub charges: i64,
    /// Cents of the lines above 0.
    pub charged: i64,
    /// Cents of the lines below 0, as a positive amount.
    pub discounted: i64,
}

#[boxed::future]
pub async fn sum_run_items(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
) -> Result<Vec<ItemTotal>, Error> {
    let statement = sql("SELECT l.charge_item, l.nature,
             CAST(SUM(CASE WHEN l.amount > 0 THEN 1 ELSE 0 END) AS BIGINT) AS charges,
             CAST(SUM(CASE WHEN l.amount > 0 THEN l.amount ELSE 0 END) AS BIGINT) AS charged,
             CAST(SUM(CASE WHEN l.amount < 0 THEN -l.amount ELSE 0 END) AS BIGINT) AS discounted
         FROM charging_run_benefits b
         JOIN charging_run_lines l ON l.tenant = b.tenant AND l.run = b.run AND l.benefit = b.benefit
         WHERE b.tenant = $1 AND b.run = $2 AND b.reason IS NULL
         GROUP BY l.charge_item, l.nature ORDER BY l.charge_item, l.nature")
    .arg(tenant)
    .arg(run);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            Ok(ItemTotal {
                item: row.get("charge_item")?,
                nature: row.get("nature")?,
                charges: row.get("charges")?,
                charged: row.get("charged")?,
                discounted: row.get("discounted")?,
            })
        })
        .collect()
}

/// How many benefits are not charged for each reason.
#[boxed::future]
pub async fn count_reasons(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
) -> Result<Vec<(NotChargedReason, i64)>, Error> {
    let statement = sql("SELECT reason, COUNT(*) AS benefits FROM charging_run_benefits
         WHERE tenant = $1 AND run = $2 AND reason IS NOT NULL GROUP BY reason ORDER BY reason")
    .arg(tenant)
    .arg(run);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("reason")?, row.get("benefits")?))).collect()
}

/// The benefits of a scope that a preview did not look at yet. Those of other groups count, too: only looking tells.
#[boxed::future]
pub async fn count_benefits_to_look_at(
    tx: &mut Tx,
    tenant: TenantId,
    scope: &ChargedBenefitFilter,
    after: i32,
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS benefits FROM benefits WHERE tenant = $1 AND code > $2")
        .arg(tenant)
        .arg(after)
        .append_if_some("AND branch = ?", scope.branch)
        .append_if_some("AND due_day = ?", scope.due_day);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("benefits"))
}

/// The charged benefits of persons up to this one.
#[boxed::future]
pub async fn count_issued_benefits(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
    position: i32,
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS benefits FROM charging_run_benefits
         WHERE tenant = $1 AND run = $2 AND person <= $3 AND reason IS NULL")
    .arg(tenant)
    .arg(run)
    .arg(position);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("benefits"))
}
