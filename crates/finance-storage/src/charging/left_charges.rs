//! One-off charges that a run does not take.

use crate::charging::runs::StoredChargingRun;
use domain::finance::PendingChargeSituation;
use domain::{ChargeItemCode, PersonCode, TenantId};
use storage::{Error, Statement, Tx, sql};

/// How many charges there are, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftChargeTotal {
    pub charges: i64,
    /// Cents.
    pub amount: i64,
}

/// A charge that waits, with the name of its person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftCharge {
    pub person: PersonCode,
    pub person_name: String,
    pub item: ChargeItemCode,
    /// Cents.
    pub amount: i64,
}

/// The waiting charges of its scope that a run does not take, of those from before its approval. Of a run for one due day, those of the people that it looks at.
fn select_left_charges(columns: &'static str, run: &StoredChargingRun, tenant: TenantId) -> Statement {
    let scope = &run.scope;
    let statement = sql("SELECT")
        .append_text(columns)
        .append_text("FROM pending_charges c JOIN people p ON p.tenant = c.tenant AND p.code = c.person")
        .append("WHERE c.tenant = ?", [tenant])
        .append("AND c.situation = ?", [PendingChargeSituation::Waiting])
        .append(
            "AND c.code NOT IN (SELECT l.pending_charge FROM charging_run_lines l WHERE l.tenant = ?",
            [tenant],
        )
        .append("AND l.run = ? AND l.pending_charge IS NOT NULL)", [run.code])
        .append_if_some("AND c.created_at <= ?", run.approved_at)
        .append_if_some("AND c.protection_group = ?", scope.group)
        .append_if_some("AND c.branch = ?", scope.branch);
    if scope.due_day.is_none() {
        return statement;
    }
    statement
        .append("AND c.person IN (SELECT b.person FROM charging_run_benefits b WHERE b.tenant = ?", [tenant])
        .append("AND b.run = ?)", [run.code])
}

#[boxed::future]
pub async fn sum_left_charges(
    tx: &mut Tx,
    tenant: TenantId,
    run: &StoredChargingRun,
) -> Result<LeftChargeTotal, Error> {
    let columns = "COUNT(*) AS charges, CAST(COALESCE(SUM(c.amount), 0) AS BIGINT) AS amount";
    let row = tx.fetch_optional(select_left_charges(columns, run, tenant)).await?;
    let Some(row) = row else { return Ok(LeftChargeTotal::default()) };
    Ok(LeftChargeTotal { charges: row.get("charges")?, amount: row.get("amount")? })
}

/// The oldest of them.
#[boxed::future]
pub async fn list_left_charges(
    tx: &mut Tx,
    tenant: TenantId,
    run: &StoredChargingRun,
    limit: i64,
) -> Result<Vec<LeftCharge>, Error> {
    let columns = "c.person, p.name, c.charge_item, c.amount";
    let statement = select_left_charges(columns, run, tenant).append("ORDER BY c.code LIMIT ?", [limit]);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            Ok(LeftCharge {
                person: row.get("person")?,
                person_name: row.get("name")?,
                item: row.get("charge_item")?,
                amount: row.get("amount")?,
            })
        })
        .collect()
}
