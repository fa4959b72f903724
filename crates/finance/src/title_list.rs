//! Lists titles.

use app::audit::access_log::record_access;
use app::register_snapshot::{TenantRegisters, load_registers};
use app::session::Session;
use app::{App, Error};
use domain::{
    AuditedOperation, BenefitCode, Document, MoneyRight, Scope, SituationKind, TitleCode, parse_plate_key,
};
use finance_storage::title_search::{
    TitleCriteria, TitlePerson, TitleTotals, count_titles, list_title_codes, list_title_people, sum_titles,
};
use finance_storage::titles::{StoredTitle, list_title_benefits, list_titles_by_code};
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
use storage::benefits::{BenefitWithPlate, list_visible_benefits_by_plate};
use storage::members::list_person_codes_by_document;

/// What is searched: the criteria, and keys that lead to a person or benefits.
#[derive(Clone, Debug, Default)]
pub struct TitleSearch {
    pub criteria: TitleCriteria,
    /// A CPF or CNPJ as it was typed.
    pub document: Option<String>,
    /// A plate as it was typed.
    pub plate: Option<String>,
    /// Open titles whose effective due day has passed, too.
    pub includes_overdue: bool,
    /// Of what is overdue, only what is late by so many days.
    pub lateness: Option<LatenessRange>,
    /// Only the number of titles is needed, and no sums.
    pub counts_only: bool,
}

/// Days of delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatenessRange {
    pub at_least: i32,
    pub at_most: Option<i32>,
}

impl TitleSearch {
    /// Turns delays into days.
    pub(crate) fn limit_days(&mut self, today: domain::Date) {
        // Nothing is issued or paid after today, so that an open range is a short one.
        let TitleCriteria { issued, settled, paid, .. } = &mut self.criteria;
        for range in [issued, settled, paid] {
            range.to = range.to.or(range.from.map(|from| from.max(today)));
        }
        let ago = |days: i32| today.plus_days(-i64::from(days));
        self.criteria.overdue_before = self.includes_overdue.then_some(today);
        if let Some(late) = self.lateness {
            self.criteria.overdue_before = ago(late.at_least - 1);
            self.criteria.overdue_since = late.at_most.and_then(ago);
        }
    }
}

/// A page of titles with the number and sums of all that match.
pub struct TitlePage {
    pub rows: Vec<ListedTitle>,
    pub totals: TitleTotals,
    pub registers: Arc<TenantRegisters>,
    pub today: domain::Date,
}

#[derive(Clone, Debug)]
pub struct ListedTitle {
    pub code: TitleCode,
    pub title: StoredTitle,
    pub person: TitlePerson,
    /// Of its benefits, in the order of their codes.
    pub sequences: Vec<i32>,
}

/// Titles by due day and code, from `offset`.
#[boxed::future]
pub async fn list_titles(
    app: &App,
    caller: &Session,
    mut search: TitleSearch,
    (offset, limit): (i64, i64),
) -> Result<TitlePage, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let scope = caller.scope.clone();
    let registers = load_registers(app, scope.tenant()).await?;
    let today = app.now().date_in(&registers.zone);
    search.limit_days(today);
    let input = (scope, search, offset, limit);
    let (rows, totals) = app
        .db
        .read(input, |tx, (scope, search, offset, limit)| {
            Box::pin(async move {
                let Some(criteria) = resolve_keys(tx, scope, search).await? else {
                    return Ok((Vec::new(), TitleTotals::default()));
                };
                let totals = if search.counts_only {
                    let titles = count_titles(&mut *tx, scope, &criteria).await?;
                    TitleTotals { titles, ..TitleTotals::default() }
                } else {
                    sum_titles(&mut *tx, scope, &criteria).await?
                };
                let codes = list_title_codes(&mut *tx, scope, &criteria, (*offset, *limit)).await?;
                Ok::<_, Error>((load_listed_titles(tx, scope.tenant(), &codes).await?, totals))
            })
        })
        .await?;
    record_access(app, caller, AuditedOperation::SearchTitles, rows.iter().map(|row| row.title.person))?;
    Ok(TitlePage { rows, totals, registers, today })
}

/// The first titles that match, without sums.
#[boxed::future]
pub async fn find_titles(
    app: &App,
    caller: &Session,
    criteria: TitleCriteria,
    limit: i64,
) -> Result<Vec<ListedTitle>, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let input = (caller.scope.clone(), criteria, limit);
    let rows = app
        .db
        .read(input, |tx, (scope, criteria, limit)| {
            Box::pin(async move {
                let codes = list_title_codes(&mut *tx, scope, criteria, (0, *limit)).await?;
                load_listed_titles(tx, scope.tenant(), &codes).await
            })
        })
        .await?;
    record_access(app, caller, AuditedOperation::SearchTitles, rows.iter().map(|row| row.title.person))?;
    Ok(rows)
}

/// The criteria with the person of the document and the benefits of the plate's holder; `None` if nothing can match.
pub(crate) async fn resolve_keys(
    tx: &mut Tx,
    scope: &Scope,
    search: &TitleSearch,
) -> Result<Option<TitleCriteria>, Error> {
    let mut criteria = search.criteria.clone();
    if let Some(text) = &search.document {
        let Ok(document) = Document::parse_searched(text) else { return Ok(None) };
        let found = list_person_codes_by_document(&mut *tx, scope.tenant(), [&document]).await?;
        match (found.first(), criteria.person) {
            (Some((_, code)), None) => criteria.person = Some(*code),
            (Some((_, code)), Some(person)) if *code == person => {}
            _ => return Ok(None),
        }
    }
    if let Some(text) = &search.plate {
        let Some(key) = parse_plate_key(text) else { return Ok(None) };
        let benefits = list_visible_benefits_by_plate(&mut *tx, scope, &key).await?;
        let benefits = choose_benefits_of_holder(&benefits);
        if benefits.is_empty() {
            return Ok(None);
        }
        criteria.benefits = Some(benefits);
    }
    Ok(Some(criteria))
}

/// A vehicle is sold, and its plate goes on in a benefit of somebody else, who does not owe what the former holder does.
/// The holder is the person whose benefit is in force, else the last one who had it.
fn choose_benefits_of_holder(benefits: &[BenefitWithPlate]) -> Vec<BenefitCode> {
    let is_in_force =
        |one: &&BenefitWithPlate| !matches!(one.kind, SituationKind::Inactive | SituationKind::Cancelled);
    let of_holder = benefits.iter().rev().find(is_in_force).or(benefits.last());
    let Some(holder) = of_holder.map(|one| one.person) else { return Vec::new() };
    benefits.iter().filter(|one| one.person == holder).map(|one| one.code).collect()
}

pub(crate) async fn load_listed_titles(
    tx: &mut Tx,
    tenant: domain::TenantId,
    codes: &[TitleCode],
) -> Result<Vec<ListedTitle>, Error> {
    let mut found: HashMap<TitleCode, StoredTitle> =
        list_titles_by_code(&mut *tx, tenant, codes).await?.into_iter().collect();
    let mut sequences: HashMap<TitleCode, Vec<i32>> = HashMap::new();
    for (title, _, sequence) in list_title_benefits(&mut *tx, tenant, codes).await? {
        sequences.entry(title).or_default().push(sequence);
    }
    let people = list_title_people(&mut *tx, tenant, found.values().map(|title| title.person)).await?;
    let people: HashMap<_, TitlePerson> = people.into_iter().map(|one| (one.code, one)).collect();
    let build_row = |code: &TitleCode| {
        let title = found.remove(code)?;
        let person = people.get(&title.person)?.clone();
        Some(ListedTitle {
            code: *code,
            title,
            person,
            sequences: sequences.remove(code).unwrap_or_default(),
        })
    };
    Ok(codes.iter().filter_map(build_row).collect())
}
