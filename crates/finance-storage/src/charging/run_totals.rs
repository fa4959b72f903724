//! The totals of a run.

use crate::charging::runs::ChargedBenefitFilter;
use domain::finance::{LegalNature, NotChargedReason, TitleSituation};
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

/// What several runs list more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedBenefitTotals {
    /// How often benefits are listed again.
    pub benefits: i64,
    /// How often benefits are charged again, and the cents of all but the last time.
    pub charged: i64,
    pub charged_amount: i64,
}

/// What these runs list more than once: a benefit of two scopes, or one that was charged again when its title was cancelled.
#[boxed::future]
pub async fn sum_repeated_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    runs: impl IntoIterator<Item = ChargingRunCode>,
) -> Result<RepeatedBenefitTotals, Error> {
    let statement = sql("SELECT CAST(COALESCE(SUM(r.listed - 1), 0) AS BIGINT) AS benefits,
             CAST(COALESCE(SUM(CASE WHEN r.charged > 1 THEN r.charged - 1 ELSE 0 END), 0) AS BIGINT) AS charged,
             CAST(COALESCE(SUM(r.amount - COALESCE(b.amount, 0)), 0) AS BIGINT) AS charged_amount
         FROM (SELECT benefit, COUNT(*) AS listed, SUM(CASE WHEN reason IS NULL THEN 1 ELSE 0 END) AS charged,
                 SUM(CASE WHEN reason IS NULL THEN amount ELSE 0 END) AS amount,
                 MAX(CASE WHEN reason IS NULL THEN run END) AS last_run
             FROM charging_run_benefits WHERE tenant = $1")
    .arg(tenant)
    .filter_in("run", runs)
    .append_text(
        "GROUP BY benefit HAVING COUNT(*) > 1) r
         LEFT JOIN charging_run_benefits b ON b.tenant = $1 AND b.run = r.last_run AND b.benefit = r.benefit",
    );
    let Some(row) = tx.fetch_optional(statement).await? else { return Ok(RepeatedBenefitTotals::default()) };
    Ok(RepeatedBenefitTotals {
        benefits: row.get("benefits")?,
        charged: row.get("charged")?,
        charged_amount: row.get("charged_amount")?,
    })
}

/// The titles of benefits that several runs charge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplacedTitleTotals {
    pub titles: i64,
    /// In cents.
    pub amount: i64,
}

/// The cancelled titles of these runs whose benefits a later one of them charged again. Of several instalments, it counts
/// the first.
#[boxed::future]
pub async fn sum_replaced_titles(
    tx: &mut Tx,
    tenant: TenantId,
    runs: &[ChargingRunCode],
) -> Result<ReplacedTitleTotals, Error> {
    // With `+ 0`, SQLite finds a benefit in the other runs by its key instead of reading them whole for each.
    let statement = sql("SELECT COUNT(*) AS titles, CAST(COALESCE(SUM(t.amount), 0) AS BIGINT) AS amount
         FROM (SELECT DISTINCT b.title AS title FROM charging_run_benefits b
             JOIN charging_run_benefits o ON o.tenant = b.tenant AND o.benefit = b.benefit AND o.run + 0 > b.run + 0
             WHERE b.tenant = $1 AND b.reason IS NULL AND o.reason IS NULL")
    .arg(tenant)
    .filter_in("b.run", runs.iter().copied())
    .filter_in("o.run", runs.iter().copied())
    .append_text(") r JOIN titles t ON t.tenant = $1 AND t.code = r.title")
    .append("WHERE t.situation + 0 = ?", [TitleSituation::Cancelled]);
    let Some(row) = tx.fetch_optional(statement).await? else { return Ok(ReplacedTitleTotals::default()) };
    Ok(ReplacedTitleTotals { titles: row.get("titles")?, amount: row.get("amount")? })
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
