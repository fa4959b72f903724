//! The plans that a tenant sells.

use crate::{Error, QueryWeight, ReadSource, Tx, sql};
use domain::{BenefitKind, ChargeItemCode, DisplayName, GroupCode, Moment, Money, PlanCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPlan {
    pub code: PlanCode,
    pub name: String,
    pub kind: BenefitKind,
    pub price: Money,
    /// Of a benefit's plans, the first decides the group of the benefit.
    pub group: GroupCode,
    /// What its price is charged as; without it, the charging rule says so of the first plan, and others are add-ons.
    pub charge_item: Option<ChargeItemCode>,
    /// 0 if joining costs nothing.
    pub joining_fee: Money,
    pub active: bool,
}

/// Every plan, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_plans(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredPlan>, Error> {
    let statement = sql("SELECT code, name, benefit_kind, price, protection_group, charge_item, joining_fee,
         active FROM plans
         WHERE tenant = $1 ORDER BY code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredPlan {
                code: row.get("code")?,
                name: row.get("name")?,
                kind: row.get("benefit_kind")?,
                price: row.get("price")?,
                group: row.get("protection_group")?,
                charge_item: row.get("charge_item")?,
                joining_fee: row.get::<Option<Money>>("joining_fee")?.unwrap_or_default(),
                active: row.get("active")?,
            })
        })
        .collect()
}

pub struct NewPlanRow {
    pub code: PlanCode,
    pub name: DisplayName,
    pub kind: BenefitKind,
    pub price: Money,
}

#[boxed::future]
pub async fn insert_plans(
    tx: &mut Tx,
    tenant: TenantId,
    plans: &[NewPlanRow],
    now: Moment,
) -> Result<(), Error> {
    let insert = |plan: &NewPlanRow| {
        sql("INSERT INTO plans (tenant, code, name, benefit_kind, price, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, TRUE, 1, $6, $6)")
        .arg(tenant)
        .arg(plan.code)
        .arg(plan.name.as_str())
        .arg(plan.kind)
        .arg(plan.price)
        .arg(now)
    };
    tx.execute_batch(plans.iter().map(insert).collect()).await
}
