//! Benefits as a charging run reads them: by code, many at once.

use crate::charging::runs::ChargedBenefitFilter;
use domain::{
    BenefitCode, BranchCode, ChargingRunCode, Date, Money, PersonCode, PlanCode, SituationCode, TenantId,
    VehicleTypeCode,
};
use storage::{Error, Row, Statement, Tx, sql};

/// What decides whether and how much a benefit is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeableBenefit {
    pub code: BenefitCode,
    pub person: PersonCode,
    pub branch: BranchCode,
    pub situation: SituationCode,
    pub due_day: Option<i32>,
    pub joined_on: Option<Date>,
    pub vehicle_type: Option<VehicleTypeCode>,
    /// The protected value, else the vehicle's worth.
    pub value: Option<Money>,
    pub version: i64,
    /// By code, former ones included.
    pub items: Vec<ChargeableItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargeableItem {
    pub plan: PlanCode,
    pub price: Money,
    pub is_first: bool,
    pub is_price_agreed: bool,
    pub active: bool,
}

/// The benefits of a branch and due day after a code, by code, and the last code of those that were looked at.
#[boxed::future]
pub async fn list_chargeable_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    scope: &ChargedBenefitFilter,
    page: (i32, i64),
) -> Result<Vec<ChargeableBenefit>, Error> {
    load_benefits(tx, select_benefits(tenant, scope, page.0), tenant, page).await
}

/// The same of those that a run has not listed.
#[boxed::future]
pub async fn list_unlisted_benefits(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
    scope: &ChargedBenefitFilter,
    page: (i32, i64),
) -> Result<Vec<ChargeableBenefit>, Error> {
    let statement = select_benefits(tenant, scope, page.0)
        .append_text("AND NOT EXISTS (SELECT 1 FROM charging_run_benefits l WHERE l.tenant = benefits.tenant")
        .append("AND l.run = ? AND l.benefit = benefits.code)", [run]);
    load_benefits(tx, statement, tenant, page).await
}

fn select_benefits(tenant: TenantId, scope: &ChargedBenefitFilter, after: i32) -> Statement {
    // Nothing else leads: the position is a code.
    sql("SELECT code, person, branch, situation, due_day, joined_on, vehicle_type,
             COALESCE(protected, worth) AS charged_value, version
         FROM benefits WHERE tenant = $1 AND code > $2")
    .arg(tenant)
    .arg(after)
    .append_if_some("AND branch + 0 = ?", scope.branch)
    .append_if_some("AND due_day + 0 = ?", scope.due_day)
}

/// A page of benefits with their items.
async fn load_benefits(
    tx: &mut Tx,
    statement: Statement,
    tenant: TenantId,
    (after, limit): (i32, i64),
) -> Result<Vec<ChargeableBenefit>, Error> {
    let rows = tx.fetch_all(statement.append("ORDER BY code LIMIT ?", [limit])).await?;
    let mut benefits = rows.iter().map(parse_benefit).collect::<Result<Vec<_>, Error>>()?;
    let Some(last) = benefits.last().map(|one| one.code) else { return Ok(benefits) };
    let statement = sql("SELECT benefit, plan, price, is_first, is_price_agreed, active FROM items
         WHERE tenant = $1 AND benefit > $2 AND benefit <= $3 ORDER BY benefit, code")
    .arg(tenant)
    .arg(after)
    .arg(last);
    let mut rest = benefits.iter_mut().peekable();
    for row in &tx.fetch_all(statement).await? {
        let code: BenefitCode = row.get("benefit")?;
        while rest.peek().is_some_and(|benefit| benefit.code < code) {
            rest.next();
        }
        if let Some(benefit) = rest.peek_mut().filter(|benefit| benefit.code == code) {
            benefit.items.push(parse_item(row)?);
        }
    }
    Ok(benefits)
}

fn parse_benefit(row: &Row) -> Result<ChargeableBenefit, Error> {
    Ok(ChargeableBenefit {
        code: row.get("code")?,
        person: row.get("person")?,
        branch: row.get("branch")?,
        situation: row.get("situation")?,
        due_day: row.get("due_day")?,
        joined_on: row.get("joined_on")?,
        vehicle_type: row.get("vehicle_type")?,
        value: row.get("charged_value")?,
        version: row.get("version")?,
        items: Vec::new(),
    })
}

fn parse_item(row: &Row) -> Result<ChargeableItem, Error> {
    Ok(ChargeableItem {
        plan: row.get("plan")?,
        price: row.get("price")?,
        is_first: row.get("is_first")?,
        is_price_agreed: row.get("is_price_agreed")?,
        active: row.get("active")?,
    })
}

/// The versions of these benefits as they are now.
#[boxed::future]
pub async fn list_benefit_versions(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<(BenefitCode, i64)>, Error> {
    let statement =
        sql("SELECT code, version FROM benefits WHERE tenant = $1").arg(tenant).filter_in("code", benefits);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("version")?))).collect()
}
