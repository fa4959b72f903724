//! The titles that a run issued, and what became of them when it was undone.

use domain::finance::{RunTitleOutcome, TitleSituation};
use domain::{ChargingRunCode, LedgerEntryCode, PersonCode, TenantId, TitleCode};
use storage::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, build_inserts, sql};

pub fn insert_run_titles(tenant: TenantId, run: ChargingRunCode, titles: &[TitleCode]) -> Vec<Statement> {
    let rows = titles.iter().map(|title| -> [SqlScalar; 4] {
        [tenant.into(), run.into(), (*title).into(), RunTitleOutcome::Issued.into()]
    });
    build_inserts("INSERT INTO charging_run_titles (tenant, run, title, outcome) VALUES", 100, rows)
}

/// A title as undoing its run needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunTitle {
    pub title: TitleCode,
    pub person: PersonCode,
    pub situation: TitleSituation,
    pub issue_entry: Option<LedgerEntryCode>,
    pub has_settlement: bool,
    /// Of the settlements in force, one came with money. The others are uses of credit.
    pub is_paid_with_money: bool,
}

/// The titles of a run after a code, by code.
#[boxed::future]
pub async fn list_run_titles(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
    (after, limit): (i32, i64),
) -> Result<Vec<RunTitle>, Error> {
    let statement = sql("SELECT rt.title, t.person, t.situation, t.issue_entry, EXISTS (
             SELECT 1 FROM settlements s WHERE s.tenant = rt.tenant AND s.title = rt.title AND NOT EXISTS (
                 SELECT 1 FROM settlement_reversals v WHERE v.tenant = s.tenant AND v.settlement = s.code)
         ) AS has_settlement, EXISTS (
             SELECT 1 FROM settlements s WHERE s.tenant = rt.tenant AND s.title = rt.title
                 AND s.money_account IS NOT NULL AND NOT EXISTS (
                 SELECT 1 FROM settlement_reversals v WHERE v.tenant = s.tenant AND v.settlement = s.code)
         ) AS is_paid_with_money
         FROM charging_run_titles rt JOIN titles t ON t.tenant = rt.tenant AND t.code = rt.title
         WHERE rt.tenant = $1 AND rt.run = $2 AND rt.title > $3 ORDER BY rt.title")
    .arg(tenant)
    .arg(run)
    .arg(after)
    .append("LIMIT ?", [limit]);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            Ok(RunTitle {
                title: row.get("title")?,
                person: row.get("person")?,
                situation: row.get("situation")?,
                issue_entry: row.get("issue_entry")?,
                has_settlement: row.get("has_settlement")?,
                is_paid_with_money: row.get("is_paid_with_money")?,
            })
        })
        .collect()
}

/// Notes what became of titles.
pub fn update_outcome(
    (tenant, run): (TenantId, ChargingRunCode),
    outcome: RunTitleOutcome,
    titles: &[TitleCode],
) -> Statement {
    sql("UPDATE charging_run_titles SET outcome = $3 WHERE tenant = $1 AND run = $2")
        .arg(tenant)
        .arg(run)
        .arg(outcome)
        .filter_in("title", titles.iter().copied())
}

/// A page of the codes of a run's titles with an outcome.
#[boxed::future]
pub async fn list_titles_by_outcome(
    source: impl Into<ReadSource<'_>>,
    (tenant, run): (TenantId, ChargingRunCode),
    outcome: RunTitleOutcome,
    (offset, limit): (i64, i64),
) -> Result<Vec<TitleCode>, Error> {
    let statement =
        sql("SELECT title FROM charging_run_titles WHERE tenant = $1 AND run = $2 AND outcome = $3")
            .arg(tenant)
            .arg(run)
            .arg(outcome)
            .append("ORDER BY title LIMIT ? OFFSET ?", [limit, offset]);
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(|row| row.get("title")).collect()
}
