//! Benefits with what charging asks of them, by their holders.

use domain::{BenefitCode, BranchCode, Date, Moment, PersonCode, SituationCode, TenantId};
use storage::{Error, Row, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldBenefit {
    pub code: BenefitCode,
    pub person: PersonCode,
    pub branch: BranchCode,
    pub situation: SituationCode,
    pub due_day: Option<i32>,
    pub activated_on: Option<Date>,
    pub cancelled_on: Option<Date>,
    pub updated_at: Moment,
}

/// The next benefits of people behind `after`, ordered by person and code; the last person's may be incomplete.
#[boxed::future]
pub async fn list_held_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    after: PersonCode,
    limit: i64,
) -> Result<Vec<HeldBenefit>, Error> {
    let statement =
        sql("SELECT code, person, branch, situation, due_day, activated_on, cancelled_on, updated_at
         FROM benefits WHERE tenant = $1 AND person > $2 ORDER BY person, code LIMIT $3")
        .arg(tenant)
        .arg(after)
        .arg(limit);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(parse_held_benefit).collect()
}

fn parse_held_benefit(row: &Row) -> Result<HeldBenefit, Error> {
    Ok(HeldBenefit {
        code: row.get("code")?,
        person: row.get("person")?,
        branch: row.get("branch")?,
        situation: row.get("situation")?,
        due_day: row.get("due_day")?,
        activated_on: row.get("activated_on")?,
        cancelled_on: row.get("cancelled_on")?,
        updated_at: row.get("updated_at")?,
    })
}
