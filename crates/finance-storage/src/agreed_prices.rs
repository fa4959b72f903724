//! Items whose price was agreed, and their way to the price table.

use domain::{
    BenefitCode, BranchCode, ItemCode, Moment, Money, PlanCode, Scope, SituationCode, TenantId,
    VehicleTypeCode,
};
use storage::{Error, QueryWeight, ReadSource, Statement, sql};

/// Which items: of a plan, of a branch, or all that the caller sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgreedPriceCriteria {
    pub plan: Option<PlanCode>,
    pub branch: Option<BranchCode>,
}

/// An active item with an agreed price, and what decides its price in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgreedItem {
    pub benefit: BenefitCode,
    pub code: ItemCode,
    pub plan: PlanCode,
    pub price: Money,
    pub branch: BranchCode,
    pub situation: SituationCode,
    pub vehicle_type: Option<VehicleTypeCode>,
    /// The protected value, else the vehicle's worth.
    pub value: Option<Money>,
}

/// Ordered by benefit and code.
#[boxed::future]
pub async fn list_agreed_items(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: AgreedPriceCriteria,
) -> Result<Vec<AgreedItem>, Error> {
    let statement = sql("SELECT i.benefit, i.code, i.plan, i.price, b.branch, b.situation, b.vehicle_type,
             COALESCE(b.protected, b.worth) AS value
         FROM items i JOIN benefits b ON b.tenant = i.tenant AND b.code = i.benefit
         WHERE i.tenant = $1 AND i.active AND i.is_price_agreed")
    .arg(scope.tenant())
    .append_if_some("AND i.plan = ?", criteria.plan)
    .append_if_some("AND b.branch = ?", criteria.branch)
    .filter_branches("b.branch", scope.branches())
    .append_text("ORDER BY i.benefit, i.code");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(AgreedItem {
                benefit: row.get("benefit")?,
                code: row.get("code")?,
                plan: row.get("plan")?,
                price: row.get("price")?,
                branch: row.get("branch")?,
                situation: row.get("situation")?,
                vehicle_type: row.get("vehicle_type")?,
                value: row.get("value")?,
            })
        })
        .collect()
}

/// Raises the versions of benefits whose prices change, so that no prepared run charges them what it showed before.
pub fn raise_benefit_versions(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    now: Moment,
) -> Statement {
    sql("UPDATE benefits SET version = version + 1, updated_at = $2 WHERE tenant = $1")
        .arg(tenant)
        .arg(now)
        .filter_in("code", benefits)
}

/// From now on, the item is charged what the price table says.
pub fn release_agreed_price(
    tenant: TenantId,
    benefit: BenefitCode,
    item: ItemCode,
    now: Moment,
) -> Statement {
    sql("UPDATE items SET is_price_agreed = FALSE, updated_at = $4 WHERE tenant = $1 AND benefit = $2 AND code = $3")
        .arg(tenant)
        .arg(benefit)
        .arg(item)
        .arg(now)
}
