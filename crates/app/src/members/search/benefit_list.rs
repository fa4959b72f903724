//! Benefit search and the list of all benefits.

use super::{SearchBatch, criteria, find_next_start, list_slots_in_range};
use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::search_page::SearchPage;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BenefitCode, BranchCode, Date, Entity, PAGE_SIZE, PersonCode, Rejection, Scope,
    SituationCode, SituationKind, VisibleBranches, fold_text,
};
use std::sync::Arc;
use storage::Tx;
use storage::benefits::monthly_counts::{self, BenefitMovement};
use storage::search::members::{self, FoundBenefit};
use storage::search::tally::{self, ListingOrdering, RowCountQuery};
use wire::read::FieldPatch;
use wire::records::PesquisaBeneficioQuery;

pub struct BenefitSearchResult {
    pub rows: Vec<FoundBenefit>,
    pub registers: Arc<TenantRegisters>,
}

/// Refuses a query without plate, chassis, sequence number or card.
pub fn require_benefit_key(query: &PesquisaBeneficioQuery) -> Result<(), Rejection> {
    let given_keys = [
        matches!(query.plate, FieldPatch::Set(_)),
        matches!(query.chassis, FieldPatch::Set(_)),
        matches!(query.sequence, FieldPatch::Set(_)),
        matches!(query.card, FieldPatch::Set(_)),
    ];
    if given_keys.contains(&true) { Ok(()) } else { Err(Rejection::NoBenefitKey) }
}

/// Finds benefits by plate, chassis, sequence number or card.
#[boxed::future]
pub async fn search_benefits(
    app: &App,
    caller: &Session,
    query: PesquisaBeneficioQuery,
) -> Result<BenefitSearchResult, Error> {
    require_benefit_key(&query)?;
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let mut rows = match criteria::build_benefit_criteria(&registers, query) {
        Some(criteria) => members::list_benefits_by_criteria(&app.db, &caller.scope, &criteria).await?,
        None => Vec::new(),
    };
    if rows.len() > 1 {
        rows.sort_by_cached_key(|row| (fold_text(&row.name), row.code));
    }
    record_access(app, caller, AuditedOperation::SearchBenefits, list_holders(&rows))?;
    Ok(BenefitSearchResult { rows, registers })
}

fn list_holders(rows: &[FoundBenefit]) -> impl Iterator<Item = PersonCode> {
    rows.iter().map(|row| row.benefit.person)
}

/// A page of all benefits visible to the caller.
#[boxed::future]
pub async fn list_benefits(
    app: &App,
    caller: &Session,
    number: i32,
) -> Result<SearchPage<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let build_query = |registers: &TenantRegisters| {
        (caller.scope.clone(), build_list_counts(registers, &caller.scope), number)
    };
    let ((rows, total), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, number)| {
            Box::pin(read_benefit_list(tx, scope, counts, *number))
        })
        .await?;
    record_access(app, caller, AuditedOperation::ListBenefits, list_holders(&rows))?;
    Ok(SearchPage { rows, number, total, registers })
}

/// The next benefits after a cursor, for reading all of them; `filter.month` is ignored. They come in list order, and
/// concurrent changes do not skip rows that remain.
#[boxed::future]
pub async fn list_benefits_after(
    app: &App,
    caller: &Session,
    filter: &BenefitListFilter,
    after: i32,
    operation: AuditedOperation,
) -> Result<SearchBatch<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let Some(scope) = filter.visible_scope(caller) else {
        return Ok(SearchBatch {
            rows: Vec::new(),
            next: None,
            registers: load_registers(app, tenant).await?,
        });
    };
    let is_everything = filter.branch.is_none() && filter.situation.is_none();
    let build_query = |registers: &TenantRegisters| {
        let counts = match is_everything {
            true => build_list_counts(registers, &scope),
            false => build_benefit_counts(registers, &scope, filter.situation),
        };
        (scope.clone(), counts, after)
    };
    let ((rows, next), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, after)| {
            Box::pin(async move {
                if counts.branches.is_empty() || counts.situations.is_empty() {
                    return Ok((Vec::new(), None));
                }
                let range = counts.locate_rows_after(tx, i64::from(*after), PAGE_SIZE).await?;
                let (codes, next) = match counts.ordering {
                    ListingOrdering::Benefit | ListingOrdering::AnyBenefit => {
                        let codes = tally::list_benefit_codes(tx, scope, range, PAGE_SIZE).await?;
                        let positions: Vec<i32> = codes.iter().map(|code| code.get()).collect();
                        (codes, find_next_start(&positions))
                    }
                    ListingOrdering::Slot => {
                        let slots = list_slots_in_range(tx, counts, range).await?;
                        (
                            members::list_benefits_of_slots(tx, counts.tenant, &slots).await?,
                            find_next_start(&slots),
                        )
                    }
                };
                Ok::<_, Error>((load_benefits_in_order(tx, scope, &codes).await?, next))
            })
        })
        .await?;
    record_access(app, caller, operation, list_holders(&rows))?;
    Ok(SearchBatch { rows, next, registers })
}

async fn load_benefits_in_order(
    tx: &mut Tx,
    scope: &Scope,
    codes: &[BenefitCode],
) -> Result<Vec<FoundBenefit>, Error> {
    let mut rows = members::list_benefits_by_code(tx, scope, codes).await?;
    rows.sort_by_key(|row| codes.iter().position(|code| *code == row.code));
    Ok(rows)
}

/// Filter of the benefit list; empty fields do not filter.
#[derive(Clone, Debug, Default)]
pub struct BenefitListFilter {
    pub branch: Option<BranchCode>,
    pub situation: Option<SituationCode>,
    /// Registered or cancelled in a month (`yyyy-MM`).
    pub month: Option<(BenefitMovement, String)>,
}

impl BenefitListFilter {
    /// The caller's scope narrowed to the branch; `None` if not visible.
    fn visible_scope(&self, caller: &Session) -> Option<Scope> {
        self.branch.map_or_else(|| Some(caller.scope.clone()), |branch| caller.scope.narrow_to(branch))
    }
}

/// A page of the filtered benefit list.
#[boxed::future]
pub async fn list_filtered_benefits(
    app: &App,
    caller: &Session,
    filter: BenefitListFilter,
    number: i32,
) -> Result<SearchPage<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let registers = load_registers(app, tenant).await?;
    let Some(scope) = filter.visible_scope(caller) else {
        return Ok(SearchPage { rows: Vec::new(), number, total: 0, registers });
    };
    let build_query = |registers: &TenantRegisters| {
        let counts = build_benefit_counts(registers, &scope, filter.situation);
        (scope.clone(), counts, filter.month.clone(), i64::from(number - 1) * PAGE_SIZE)
    };
    let ((rows, total), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, month, skip)| {
            Box::pin(read_filtered_benefits(tx, scope, counts, month.as_ref(), *skip))
        })
        .await?;
    record_access(app, caller, AuditedOperation::BrowseBenefits, list_holders(&rows))?;
    Ok(SearchPage { rows, number, total, registers })
}

/// Tally query for all benefits within the scope, by code.
fn build_list_counts(registers: &TenantRegisters, scope: &Scope) -> RowCountQuery {
    match scope.branches() {
        VisibleBranches::All => RowCountQuery::of_all_benefits(scope.tenant()),
        VisibleBranches::Only(_) => RowCountQuery {
            ordering: ListingOrdering::Benefit,
            ..build_benefit_counts(registers, scope, None)
        },
    }
}

/// Tally query for rows with a benefit within the scope, in one situation or any, by slot.
fn build_benefit_counts(
    registers: &TenantRegisters,
    scope: &Scope,
    situation: Option<SituationCode>,
) -> RowCountQuery {
    let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
    let branches = registers.branches.iter().map(|one| one.code);
    let situations = of_benefits.map(|one| one.code).filter(|one| situation.is_none_or(|only| only == *one));
    RowCountQuery {
        tenant: scope.tenant(),
        ordering: ListingOrdering::Slot,
        branches: branches.filter(|one| scope.can_see(*one)).collect(),
        situations: situations.collect(),
    }
}

async fn read_filtered_benefits(
    tx: &mut Tx,
    scope: &Scope,
    counts: &RowCountQuery,
    month: Option<&(BenefitMovement, String)>,
    skip: i64,
) -> Result<(Vec<FoundBenefit>, i64), Error> {
    let (codes, total) = match month {
        Some((movement, month)) => {
            let total = monthly_counts::count_benefits_of_month(&mut *tx, scope, (*movement, month)).await?;
            (
                monthly_counts::list_benefits_of_month(tx, scope, (*movement, month), (PAGE_SIZE, skip))
                    .await?,
                total,
            )
        }
        None => {
            let (slots, total) = list_page_slots(tx, counts, skip).await?;
            (members::list_benefits_of_slots(tx, scope.tenant(), &slots).await?, total)
        }
    };
    Ok((load_benefits_in_order(tx, scope, &codes).await?, total))
}

/// The slots of a page and the total number of rows.
async fn list_page_slots(tx: &mut Tx, counts: &RowCountQuery, skip: i64) -> Result<(Vec<i32>, i64), Error> {
    if counts.branches.is_empty() || counts.situations.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let (total, range) = counts.locate_page(tx, skip, PAGE_SIZE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total)) };
    Ok((list_slots_in_range(tx, counts, range).await?, total))
}

/// Registration dates of the first pending benefits, at most one page.
pub(crate) async fn list_waiting_days(app: &App, scope: &Scope) -> Result<Vec<Date>, Error> {
    let build_query = |registers: &TenantRegisters| {
        let mut counts = build_benefit_counts(registers, scope, None);
        counts.situations.retain(|one| registers.situation_kind(*one) == Some(SituationKind::Pending));
        counts
    };
    let (days, _) = read_with_registers(app, scope.tenant(), build_query, |tx, counts| {
        Box::pin(async move {
            let (slots, _) = list_page_slots(tx, counts, 0).await?;
            Ok::<_, Error>(
                storage::members::panel::list_registration_days(&mut *tx, counts.tenant, &slots).await?,
            )
        })
    })
    .await?;
    Ok(days)
}

async fn read_benefit_list(
    tx: &mut Tx,
    scope: &Scope,
    counts: &RowCountQuery,
    number: i32,
) -> Result<(Vec<FoundBenefit>, i64), Error> {
    let (total, range) = counts.locate_page(tx, i64::from(number - 1) * PAGE_SIZE, PAGE_SIZE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total)) };
    let codes = tally::list_benefit_codes(tx, scope, range, PAGE_SIZE).await?;
    let rows = match (scope.branches(), codes.first().zip(codes.last())) {
        (VisibleBranches::All, Some((first, last))) => {
            members::list_benefits_between(tx, scope.tenant(), (*first, *last)).await?
        }
        _ => members::list_benefits_by_code(tx, scope, &codes).await?,
    };
    Ok((rows, total))
}
