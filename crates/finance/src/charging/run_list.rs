//! Lists of runs, of their benefits, and of the titles that an undone run kept.

use super::full_run::find_visible_run;
use app::audit::access_log::record_access;
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargedMonth, RunTitleOutcome};
use domain::{AuditedOperation, BenefitCode, ChargingRunCode, MoneyRight, Scope, TitleCode};
use finance_storage::charging::run_benefits::{
    self, RunBenefit, RunBenefitFilter, RunLine, count_run_benefits, list_benefit_names, list_run_lines,
};
use finance_storage::charging::run_titles::list_titles_by_outcome;
use finance_storage::charging::runs::{self, StoredChargingRun};
use std::collections::BTreeMap;
use storage::Tx;

/// Rows of a page.
const PAGE: i64 = 100;

/// A page of runs, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChargingRunPage {
    pub runs: Vec<StoredChargingRun>,
    pub has_more: bool,
}

/// The runs that a caller may see, of one month or all.
#[boxed::future]
pub async fn list_runs(
    app: &App,
    caller: &Session,
    month: Option<ChargedMonth>,
    offset: i64,
) -> Result<ChargingRunPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let mut found = runs::list_runs(&app.db, &caller.scope, month, (offset, PAGE + 1)).await?;
    let has_more = found.len() > usize::try_from(PAGE).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(PAGE).unwrap_or(usize::MAX));
    Ok(ChargingRunPage { runs: found, has_more })
}

/// Which benefits of a run are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunBenefitSearch {
    pub run: ChargingRunCode,
    pub filter: RunBenefitFilter,
    pub offset: i64,
}

/// A benefit of a run with the names that a reader needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRunBenefit {
    pub row: RunBenefit,
    pub person_name: String,
    pub plate: Option<String>,
    pub lines: Vec<RunLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunBenefitPage {
    pub benefits: Vec<ListedRunBenefit>,
    /// Of all pages.
    pub total: i64,
}

/// A page of the benefits of a run, by code: charged ones with their lines, the others with the reason.
#[boxed::future]
pub async fn list_run_benefits(
    app: &App,
    caller: &Session,
    search: RunBenefitSearch,
) -> Result<RunBenefitPage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), search);
    let page: RunBenefitPage =
        app.db.read(input, |tx, (scope, search)| Box::pin(load_run_benefits(tx, scope, *search))).await?;
    let people = page.benefits.iter().map(|one| one.row.person);
    record_access(app, caller, AuditedOperation::ListRunBenefits, people)?;
    Ok(page)
}

async fn load_run_benefits(
    tx: &mut Tx,
    scope: &Scope,
    search: RunBenefitSearch,
) -> Result<RunBenefitPage, Error> {
    let run = find_visible_run(tx, scope, search.run).await?;
    let key = (scope.tenant(), run.code);
    let rows = run_benefits::list_run_benefits(&mut *tx, key, search.filter, (search.offset, PAGE)).await?;
    let total = count_run_benefits(tx, key, search.filter).await?;
    let codes: Vec<BenefitCode> = rows.iter().map(|row| row.benefit).collect();
    let mut lines: BTreeMap<BenefitCode, Vec<RunLine>> = BTreeMap::new();
    for line in list_run_lines(&mut *tx, key, codes.iter().copied()).await? {
        lines.entry(line.benefit).or_default().push(line);
    }
    let mut names = list_benefit_names(tx, scope.tenant(), &codes).await?;
    let benefits = rows
        .into_iter()
        .map(|row| {
            let (person_name, plate) = names.remove(&row.benefit).unwrap_or_default();
            let lines = lines.remove(&row.benefit).unwrap_or_default();
            ListedRunBenefit { row, person_name, plate, lines }
        })
        .collect();
    Ok(RunBenefitPage { benefits, total })
}

/// Titles that stayed when a run was undone, because money came for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptTitlePage {
    pub titles: Vec<TitleCode>,
    /// Of all pages.
    pub total: i64,
}

#[boxed::future]
pub async fn list_kept_titles(
    app: &App,
    caller: &Session,
    run: ChargingRunCode,
    offset: i64,
) -> Result<KeptTitlePage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), run, offset);
    let read = app.db.read(input, |tx, (scope, run, offset)| {
        Box::pin(async move {
            let run = find_visible_run(tx, scope, *run).await?;
            let key = (scope.tenant(), run.code);
            let page = (*offset, PAGE);
            let titles = list_titles_by_outcome(&mut *tx, key, RunTitleOutcome::Kept, page).await?;
            Ok::<_, Error>(KeptTitlePage { titles, total: run.counts.kept })
        })
    });
    read.await
}
