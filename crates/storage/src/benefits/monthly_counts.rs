//! Registered and cancelled benefits per month and branch. The counts are maintained on every change, so that panels
//! need not count. Also lists these benefits.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, sql};
use domain::{BenefitCode, BranchCode, Date, Scope, TenantId};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BenefitMovement {
    Registered = 1,
    Cancelled = 2,
}

/// The changes of the counts in one unit of work; opposite changes cancel out and are not written.
#[derive(Debug, Default)]
pub struct BenefitCountChanges(BTreeMap<(BenefitMovement, String, BranchCode), i64>);

impl BenefitCountChanges {
    /// Adds a benefit, or subtracts it if `delta` is negative.
    pub fn count(&mut self, movement: BenefitMovement, day: Date, branch: BranchCode, delta: i64) {
        *self.0.entry((movement, day.to_iso_month(), branch)).or_default() += delta;
    }

    pub fn into_statements(self, tenant: TenantId) -> Vec<Statement> {
        let changed = self.0.into_iter().filter(|(_, delta)| *delta != 0);
        let rows = changed.map(|((movement, month, branch), delta)| -> [SqlScalar; 5] {
            [tenant.into(), (movement as i64).into(), month.into(), branch.into(), delta.into()]
        });
        // A unit for one benefit writes one or two rows; a bulk load writes hundreds.
        build_inserts("INSERT INTO monthly_tally (tenant, turn, month, branch, rows) VALUES", 25, rows)
            .into_iter()
            .map(|insert| {
                insert.append_text(
                    "ON CONFLICT (tenant, turn, month, branch)
                         DO UPDATE SET rows = monthly_tally.rows + excluded.rows",
                )
            })
            .collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonthlyBenefitCount {
    pub turn: BenefitMovement,
    /// `yyyy-MM`
    pub month: String,
    pub branch: BranchCode,
    pub benefits: i64,
}

/// The counts of this month and later ones.
#[boxed::future]
pub async fn list_monthly_counts(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    first: &str,
) -> Result<Vec<MonthlyBenefitCount>, Error> {
    let mut all = Vec::new();
    let statement = sql("SELECT turn, month, branch, rows FROM monthly_tally
         WHERE tenant = $1 AND turn IN (1, 2) AND month >= $2 ORDER BY turn, month, branch")
    .arg(tenant)
    .arg(first);
    for row in source.fetch_all(QueryWeight::Search, statement).await? {
        let movement = match row.get::<i64>("turn")? {
            1 => BenefitMovement::Registered,
            _ => BenefitMovement::Cancelled,
        };
        all.push(MonthlyBenefitCount {
            turn: movement,
            month: row.get("month")?,
            branch: row.get("branch")?,
            benefits: row.get("rows")?,
        });
    }
    Ok(all)
}

/// How many benefits of a month (`yyyy-MM`) are in the scope.
#[boxed::future]
pub async fn count_benefits_of_month(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    (movement, month): (BenefitMovement, &str),
) -> Result<i64, Error> {
    let statement =
        sql("SELECT branch, rows FROM monthly_tally WHERE tenant = $1 AND turn = $2 AND month = $3
         ORDER BY branch")
        .arg(scope.tenant())
        .arg(movement as i64)
        .arg(month);
    let mut count = 0;
    for row in source.fetch_all(QueryWeight::Point, statement).await? {
        if scope.can_see(row.get("branch")?) {
            count += row.get::<i64>("rows")?;
        }
    }
    Ok(count)
}

/// A page of the benefits of a month (`yyyy-MM`) in the scope, ordered by day.
#[boxed::future]
pub async fn list_benefits_of_month(
    tx: &mut Tx,
    scope: &Scope,
    (movement, month): (BenefitMovement, &str),
    (take, skip): (i64, i64),
) -> Result<Vec<BenefitCode>, Error> {
    let days = [format!("{month}-01"), format!("{month}-31")];
    let statement = match movement {
        BenefitMovement::Registered => sql("SELECT benefit AS code FROM listing WHERE tenant = $1")
            .arg(scope.tenant())
            .append("AND registered_on >= ? AND registered_on <= ? AND benefit IS NOT NULL", days)
            .filter_branches("branch + 0", scope.branches())
            .append("ORDER BY registered_on, slot LIMIT ? OFFSET ?", [take, skip]),
        BenefitMovement::Cancelled => sql("SELECT code FROM benefits WHERE tenant = $1")
            .arg(scope.tenant())
            .append("AND cancelled_on >= ? AND cancelled_on <= ?", days)
            .filter_branches("branch + 0", scope.branches())
            .append("ORDER BY cancelled_on, code LIMIT ? OFFSET ?", [take, skip]),
    };
    let rows = ReadSource::from(tx).fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
