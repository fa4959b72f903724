//! The months of benefits that are charged. A row is removed again when its title is cancelled.

use domain::finance::{ChargedMonth, TitleSituation};
use domain::{BenefitCode, ChargingRunCode, Date, TenantId, TitleCode};
use storage::{Error, Row, SqlScalar, Statement, Tx, build_inserts, sql};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredChargedMonth {
    pub benefit: BenefitCode,
    pub month: ChargedMonth,
    pub title: TitleCode,
    pub run: ChargingRunCode,
    /// One of several instalments that were issued at once.
    pub is_booklet: bool,
}

/// The charged months of the benefits after a code, up to another, between two months.
#[boxed::future]
pub async fn list_months_of_range(
    tx: &mut Tx,
    tenant: TenantId,
    (after, until): (i32, BenefitCode),
    (from, through): (ChargedMonth, ChargedMonth),
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement = sql("SELECT benefit, month, title, run, is_booklet FROM charged_months
         WHERE tenant = $1 AND benefit > $2 AND benefit <= $3 AND month >= $4 AND month <= $5
         ORDER BY benefit, month")
    .arg(tenant)
    .arg(after)
    .arg(until)
    .arg(from)
    .arg(through);
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

/// The charged months of these benefits between two months.
#[boxed::future]
pub async fn list_months_of_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    (from, through): (ChargedMonth, ChargedMonth),
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement =
        sql("SELECT benefit, month, title, run, is_booklet FROM charged_months WHERE tenant = $1")
            .arg(tenant)
            .filter_in("benefit", benefits)
            .append("AND month >= ? AND month <= ?", [from, through])
            .append_text("ORDER BY benefit, month");
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

/// The months of a benefit that are charged by open titles not yet due.
#[boxed::future]
pub async fn list_months_not_due(
    tx: &mut Tx,
    (tenant, benefit): (TenantId, BenefitCode),
    today: Date,
) -> Result<Vec<StoredChargedMonth>, Error> {
    let statement = sql("SELECT m.benefit, m.month, m.title, m.run, m.is_booklet FROM charged_months m
         JOIN titles t ON t.tenant = m.tenant AND t.code = m.title
         WHERE m.tenant = $1 AND m.benefit = $2 AND t.situation + 0 = $3 AND t.effective_due_on >= $4
         ORDER BY m.month")
    .arg(tenant)
    .arg(benefit)
    .arg(TitleSituation::Open)
    .arg(today);
    tx.fetch_all(statement).await?.iter().map(parse_month_row).collect()
}

fn parse_month_row(row: &Row) -> Result<StoredChargedMonth, Error> {
    Ok(StoredChargedMonth {
        benefit: row.get("benefit")?,
        month: row.get("month")?,
        title: row.get("title")?,
        run: row.get("run")?,
        is_booklet: row.get("is_booklet")?,
    })
}

/// Claims months. A month that is charged already breaks the unit of work, so the caller looks first.
pub fn insert_charged_months(tenant: TenantId, months: &[StoredChargedMonth]) -> Vec<Statement> {
    let rows = months.iter().map(|one| -> [SqlScalar; 6] {
        [
            tenant.into(),
            one.benefit.into(),
            one.month.into(),
            one.title.into(),
            one.run.into(),
            one.is_booklet.into(),
        ]
    });
    build_inserts(
        "INSERT INTO charged_months (tenant, benefit, month, title, run, is_booklet) VALUES",
        100,
        rows,
    )
}

/// Frees the months that these titles charged.
pub fn delete_months_of_titles(tenant: TenantId, titles: &[TitleCode]) -> Statement {
    sql("DELETE FROM charged_months WHERE tenant = $1").arg(tenant).filter_in("title", titles.iter().copied())
}
