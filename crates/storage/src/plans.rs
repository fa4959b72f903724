//! The plans that a tenant sells.

use crate::{Error, Source, Tx, Weight, sql};
use domain::{BenefitKind, Moment, Name, PlanCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub code: PlanCode,
    pub name: String,
    pub kind: BenefitKind,
    /// In cents.
    pub price: i64,
    pub active: bool,
}

/// Every plan, also those no longer sold; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Plan>, Error> {
    let statement = sql("SELECT code, name, benefit_kind, price, active FROM plans WHERE tenant = $1
         ORDER BY code")
    .arg(tenant);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(Plan {
                code: row.get("code")?,
                name: row.get("name")?,
                kind: row.get("benefit_kind")?,
                price: row.get("price")?,
                active: row.get("active")?,
            })
        })
        .collect()
}

pub struct NewPlan {
    pub code: PlanCode,
    pub name: Name,
    pub kind: BenefitKind,
    /// In cents.
    pub price: i64,
}

#[boxed::future]
pub async fn insert_all(tx: &mut Tx, tenant: TenantId, plans: &[NewPlan], now: Moment) -> Result<(), Error> {
    let insert = |plan: &NewPlan| {
        sql("INSERT INTO plans (tenant, code, name, benefit_kind, price, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, TRUE, 1, $6, $6)")
        .arg(tenant)
        .arg(plan.code)
        .arg(plan.name.as_str())
        .arg(plan.kind)
        .arg(plan.price)
        .arg(now)
    };
    tx.batch(plans.iter().map(insert).collect()).await
}
