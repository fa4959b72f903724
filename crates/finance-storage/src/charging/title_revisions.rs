//! Benefits whose titles wait for a revision: they changed after the titles were issued.

use domain::finance::TitleSituation;
use domain::{
    BenefitCode, Date, Moment, PersonCode, Scope, SituationCode, SituationKind, TenantId, TitleCode,
};
use storage::{Error, Row, Statement, Tx, sql};

/// A benefit with its titles that are not yet due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRevision {
    pub benefit: BenefitCode,
    pub person: PersonCode,
    pub person_name: String,
    pub plate: Option<String>,
    pub titles: i64,
    /// What is open of them, in cents.
    pub open_amount: i64,
    /// When the benefit changed.
    pub created_at: Moment,
}

fn select_waiting(columns: &'static str, scope: &Scope, today: Date) -> Statement {
    sql("SELECT")
        .append_text(columns)
        .append_text(
            "FROM title_revisions r
             JOIN benefits b ON b.tenant = r.tenant AND b.code = r.benefit
             JOIN people p ON p.tenant = b.tenant AND p.code = b.person
             JOIN charged_months m ON m.tenant = r.tenant AND m.benefit = r.benefit
             JOIN titles t ON t.tenant = m.tenant AND t.code = m.title",
        )
        .append("WHERE r.tenant = ?", [scope.tenant()])
        .append("AND t.situation + 0 = ?", [TitleSituation::Open])
        .append("AND t.effective_due_on >= ?", [today])
        .append("AND (t.due_on = t.original_due_on OR t.original_due_on >= ?)", [today])
        .append(
            "AND (m.run > 0 OR EXISTS (SELECT 1 FROM situations s WHERE s.tenant = b.tenant AND s.code = b.situation
             AND s.kind = ?))",
            [SituationKind::Cancelled],
        )
        .filter_branches("b.branch + 0", scope.branches())
        .filter_branches("t.branch + 0", scope.branches())
}

/// The waiting benefits in the branches of the scope, by code.
#[boxed::future]
pub async fn list_waiting_revisions(
    tx: &mut Tx,
    scope: &Scope,
    today: Date,
    (offset, limit): (i64, i64),
) -> Result<Vec<WaitingRevision>, Error> {
    let columns = "r.benefit, b.person, p.name, b.plate, COUNT(*) AS titles,
         CAST(SUM(t.open_amount) AS BIGINT) AS open_amount, r.created_at";
    let statement = select_waiting(columns, scope, today)
        .append_text("GROUP BY r.benefit, b.person, p.name, b.plate, r.created_at ORDER BY r.benefit")
        .append("LIMIT ? OFFSET ?", [limit, offset]);
    tx.fetch_all(statement).await?.iter().map(parse_revision_row).collect()
}

fn parse_revision_row(row: &Row) -> Result<WaitingRevision, Error> {
    Ok(WaitingRevision {
        benefit: row.get("benefit")?,
        person: row.get("person")?,
        person_name: row.get("name")?,
        plate: row.get("plate")?,
        titles: row.get("titles")?,
        open_amount: row.get("open_amount")?,
        created_at: row.get("created_at")?,
    })
}

/// How many benefits wait.
#[boxed::future]
pub async fn count_waiting_revisions(tx: &mut Tx, scope: &Scope, today: Date) -> Result<i64, Error> {
    let statement = select_waiting("COUNT(DISTINCT r.benefit) AS benefits", scope, today);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("benefits"))
}

/// Whether the benefit changed since its titles were last looked at.
#[boxed::future]
pub async fn has_title_revision(
    tx: &mut Tx,
    (tenant, benefit): (TenantId, BenefitCode),
) -> Result<bool, Error> {
    let statement = sql("SELECT benefit FROM title_revisions WHERE tenant = $1 AND benefit = $2")
        .arg(tenant)
        .arg(benefit);
    Ok(tx.fetch_optional(statement).await?.is_some())
}

/// The situations of the benefits of these titles, by title and benefit.
#[boxed::future]
pub async fn list_situations_of_title_benefits(
    tx: &mut Tx,
    tenant: TenantId,
    titles: impl IntoIterator<Item = TitleCode>,
) -> Result<Vec<(TitleCode, BenefitCode, SituationCode)>, Error> {
    let statement = sql("SELECT tb.title, tb.benefit, b.situation FROM title_benefits tb
         JOIN benefits b ON b.tenant = tb.tenant AND b.code = tb.benefit WHERE tb.tenant = $1")
    .arg(tenant)
    .filter_in("tb.title", titles)
    .append_text("ORDER BY tb.title, tb.benefit");
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("title")?, row.get("benefit")?, row.get("situation")?))).collect()
}

pub fn delete_title_revision(tenant: TenantId, benefit: BenefitCode) -> Statement {
    sql("DELETE FROM title_revisions WHERE tenant = $1 AND benefit = $2").arg(tenant).arg(benefit)
}

/// Forgets that benefits changed, where no title from before the change is left to be revised: the titles that are issued
/// next charge them as they are.
pub fn delete_settled_revisions(
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    today: Date,
) -> Statement {
    sql("DELETE FROM title_revisions WHERE tenant = $1 AND NOT EXISTS (
             SELECT 1 FROM charged_months m JOIN titles t ON t.tenant = m.tenant AND t.code = m.title
             WHERE m.tenant = title_revisions.tenant AND m.benefit = title_revisions.benefit
                 AND t.situation + 0 = $2 AND t.effective_due_on >= $3
                 AND (t.due_on = t.original_due_on OR t.original_due_on >= $3))")
    .arg(tenant)
    .arg(TitleSituation::Open)
    .arg(today)
    .filter_in("benefit", benefits)
}
