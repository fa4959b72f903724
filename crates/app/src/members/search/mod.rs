//! Member search; benefits are searched and listed in `benefit_list.rs`. A query is parsed once (`criteria.rs`), read on one
//! snapshot and recorded in the access log before it is shown.

mod benefit_list;
mod cached_totals;
pub(crate) mod criteria;

pub(crate) use benefit_list::list_waiting_days;
pub use benefit_list::{
    BenefitListFilter, BenefitSearchResult, list_benefits, list_benefits_after, list_filtered_benefits,
    require_benefit_key, search_benefits,
};
pub(crate) use cached_totals::SearchTotalCache;

use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::search_page::SearchPage;
use crate::session::Session;
use crate::{App, Error};
use cached_totals::SearchTotal;
use domain::{
    AuditedOperation, BranchCode, Entity, MemberCriteria, PAGE_SIZE, Rejection, Role, Scope, SituationCode,
    VisibleBranches, has_word_beginnings,
};
use std::sync::Arc;
use std::time::Instant;
use storage::Tx;
pub use storage::benefits::monthly_counts::BenefitMovement;
use storage::search::members::{self, LeadingMemberCriterion, MemberSearch};
pub use storage::search::members::{FoundBenefit, FoundMemberBenefit, FoundMemberRow};
use storage::search::tally::{ListingOrdering, NO_SITUATION, PageRange, RowCountQuery};
use storage::server::counters::{self, Counter};
use wire::records::PesquisaAssociadoQuery;

/// Refuses a query without any narrowing criterion.
pub fn require_narrowing_criterion(query: &PesquisaAssociadoQuery) -> Result<(), Rejection> {
    if criteria::has_narrowing_criterion(query) { Ok(()) } else { Err(Rejection::NoMemberCriterion) }
}

/// A page of the member search of the API.
#[boxed::future]
pub async fn search_members(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
) -> Result<SearchPage<FoundMemberRow>, Error> {
    require_narrowing_criterion(&query)?;
    list_members(app, caller, query, AuditedOperation::SearchMembers).await
}

/// A page of members, without the need of a narrowing criterion. `operation` is the name in the access log.
#[boxed::future]
pub async fn list_members(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
    operation: AuditedOperation,
) -> Result<SearchPage<FoundMemberRow>, Error> {
    let number = query.page.clone().into_set().map_or(1, wire::read::BoundedInt::get);
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let Some((scope, criteria)) = criteria::build_member_criteria(&registers, &caller.scope, query) else {
        return Ok(SearchPage { rows: Vec::new(), number, total: 0, registers });
    };
    let driver = members::find_certain_criterion(&criteria).filter(|driver| driver.is_point());
    let (rows, total, registers) = match driver {
        Some(driver) => {
            let (rows, total) = find_few_members(app, &scope, &criteria, driver, number).await?;
            (rows, total, registers)
        }
        None => find_many_members(app, caller, scope, criteria, number).await?,
    };
    record_access(app, caller, operation, rows.iter().map(|row| row.person.code))?;
    Ok(SearchPage { rows, number, total, registers })
}

/// A batch of rows, and the cursor of the next one if there may be more.
pub struct SearchBatch<T> {
    pub rows: Vec<T>,
    pub next: Option<i32>,
    pub registers: Arc<TenantRegisters>,
}

/// The next members after a slot, for reading all of them: concurrent changes do not skip rows that remain.
#[boxed::future]
pub async fn list_members_after(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
    after: i32,
    operation: AuditedOperation,
) -> Result<SearchBatch<FoundMemberRow>, Error> {
    let tenant = caller.scope.tenant();
    let registers = load_registers(app, tenant).await?;
    let Some((scope, criteria)) = criteria::build_member_criteria(&registers, &caller.scope, query) else {
        return Ok(SearchBatch { rows: Vec::new(), next: None, registers });
    };
    let build_query = |registers: &TenantRegisters| {
        (MemberSearchQuery::for_first_page(registers, &scope, &criteria), after)
    };
    let ((rows, next), registers) =
        read_with_registers(app, tenant, build_query, |tx, (search_query, after)| {
            Box::pin(async move {
                let slots =
                    match MemberSearch::prepare(tx, &search_query.scope, &search_query.criteria).await? {
                        Some(search) => search.list_slots(tx, *after, 0).await?,
                        None => {
                            let counts = search_query.build_counts();
                            let range = counts.locate_rows_after(tx, i64::from(*after), PAGE_SIZE).await?;
                            search_query.list_slots(tx, &counts, range).await?
                        }
                    };
                Ok::<_, Error>((
                    members::list_rows_of_slots(tx, &search_query.scope, &slots).await?,
                    find_next_start(&slots),
                ))
            })
        })
        .await?;
    record_access(app, caller, operation, rows.iter().map(|row| row.person.code))?;
    Ok(SearchBatch { rows, next, registers })
}

/// Cursor of the next page, if this one is full.
fn find_next_start(page: &[i32]) -> Option<i32> {
    page.last().copied().filter(|_| page.len() as i64 == PAGE_SIZE)
}

async fn find_few_members(
    app: &App,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: LeadingMemberCriterion,
    number: i32,
) -> Result<(Vec<FoundMemberRow>, i64), Error> {
    let skip = i64::from(number - 1) * PAGE_SIZE;
    if !criteria.words.is_empty() {
        let matches_name = |row: &FoundMemberRow| has_word_beginnings(&criteria.words, &row.person.name);
        match driver {
            // All rows belong to one person.
            LeadingMemberCriterion::Person | LeadingMemberCriterion::Document => {
                let first = members::list_rows_by_key(&app.db, scope, criteria, driver, 0).await?;
                if !first.first().is_some_and(matches_name) {
                    return Ok((Vec::new(), 0));
                }
            }
            _ => {
                return Box::pin(find_named_members(app, scope, criteria, (driver, skip), matches_name))
                    .await;
            }
        }
    }
    let rows = members::list_rows_by_key(&app.db, scope, criteria, driver, skip).await?;
    let found = rows.len() as i64;
    let total = match found < PAGE_SIZE && (found > 0 || skip == 0) {
        true => skip + found,
        false => members::count_search_rows(&app.db, scope, criteria, driver).await?,
    };
    Ok((rows, total))
}

/// Filters all rows found by a vehicle key, present or past, by name.
async fn find_named_members(
    app: &App,
    scope: &Scope,
    criteria: &MemberCriteria,
    (driver, skip): (LeadingMemberCriterion, i64),
    matches_name: impl Fn(&FoundMemberRow) -> bool,
) -> Result<(Vec<FoundMemberRow>, i64), Error> {
    let mut all = Vec::new();
    for page in 0.. {
        let rows = members::list_rows_by_key(&app.db, scope, criteria, driver, page * PAGE_SIZE).await?;
        let is_last = (rows.len() as i64) < PAGE_SIZE;
        all.extend(rows.into_iter().filter(&matches_name));
        if is_last {
            break;
        }
    }
    let total = all.len() as i64;
    let start = usize::try_from(skip).unwrap_or(usize::MAX);
    Ok((all.into_iter().skip(start).take(PAGE_SIZE as usize).collect(), total))
}

async fn find_many_members(
    app: &App,
    caller: &Session,
    scope: Scope,
    criteria: MemberCriteria,
    number: i32,
) -> Result<(Vec<FoundMemberRow>, i64, Arc<TenantRegisters>), Error> {
    let key = (caller.user, scope, criteria);
    let cached_total = app.caches.search_totals.get(&key);
    let build_query = |registers: &TenantRegisters| MemberSearchQuery {
        number,
        cached_total: cached_total.clone(),
        ..MemberSearchQuery::for_first_page(registers, &key.1, &key.2)
    };
    let tenant = caller.scope.tenant();
    let ((rows, total, new_total), registers) =
        read_with_registers(app, tenant, build_query, |tx, query| Box::pin(read_members(tx, query))).await?;
    if let Some(new_total) = new_total {
        app.caches.search_totals.0.insert(key, Arc::new(new_total));
    }
    Ok((rows, total, registers))
}

struct MemberSearchQuery {
    scope: Scope,
    criteria: MemberCriteria,
    /// All visible branches, and all situations a row may have: the range for the tally.
    branches: Vec<BranchCode>,
    situations: Vec<SituationCode>,
    number: i32,
    cached_total: Option<Arc<SearchTotal>>,
}

impl MemberSearchQuery {
    fn for_first_page(
        registers: &TenantRegisters,
        scope: &Scope,
        criteria: &MemberCriteria,
    ) -> MemberSearchQuery {
        let situations = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
        let branches: Vec<_> =
            registers.branches.iter().map(|one| one.code).filter(|one| scope.can_see(*one)).collect();
        // A scope of all branches needs no filter by branch.
        let sees_all = branches.len() == registers.branches.len();
        MemberSearchQuery {
            branches,
            situations: situations.map(|one| one.code).chain([NO_SITUATION]).collect(),
            scope: if sees_all { Scope::for_tenant(scope.tenant()) } else { scope.clone() },
            criteria: criteria.clone(),
            number: 1,
            cached_total: None,
        }
    }

    /// Tally query for a search by branch and situation only.
    fn build_counts(&self) -> RowCountQuery {
        RowCountQuery {
            tenant: self.scope.tenant(),
            ordering: ListingOrdering::Slot,
            branches: self.branches.clone(),
            situations: self.criteria.situation.map_or_else(|| self.situations.clone(), |one| vec![one]),
        }
    }

    /// The slots in a range located by the tally.
    async fn list_slots(
        &self,
        tx: &mut Tx,
        counts: &RowCountQuery,
        range: PageRange,
    ) -> Result<Vec<i32>, Error> {
        // Without any filter, slot order is page order.
        let is_everything =
            *self.scope.branches() == VisibleBranches::All && self.criteria.situation.is_none();
        match is_everything {
            true => Ok(members::list_slots_in_range(tx, &self.scope, None, range).await?),
            false => list_slots_in_range(tx, counts, range).await,
        }
    }
}

type MemberSearchResult = (Vec<FoundMemberRow>, i64, Option<SearchTotal>);

async fn read_members(tx: &mut Tx, query: &MemberSearchQuery) -> Result<MemberSearchResult, Error> {
    let MemberSearchQuery { scope, criteria, .. } = query;
    let Some(search) = MemberSearch::prepare(tx, scope, criteria).await? else {
        return read_members_by_tally(tx, query).await;
    };
    let changes = counters::load_last_number(&mut *tx, scope.tenant(), Counter::Listing).await?;
    // Later pages keep the total of the first one; a new search gets the present total.
    let known = query.cached_total.as_deref().filter(|known| query.number > 1 || known.changes == changes);
    let (page, after) = known.map_or((1, 0), |known| known.find_nearest_start(query.number));
    let skip = i64::from(query.number - page) * PAGE_SIZE;
    let slots = search.list_slots(tx, after, skip).await?;
    let total = match (known, query.number) {
        (Some(known), _) => known.total,
        (None, 1) if (slots.len() as i64) < PAGE_SIZE => slots.len() as i64,
        _ => search.count_rows(tx).await?,
    };
    // Keeps the page starts that a pagination in progress relies on.
    let starts = query.cached_total.as_deref().map(|known| known.starts.clone()).unwrap_or_default();
    let mut new_total = SearchTotal { total, changes, at: Instant::now(), starts };
    if let (Some(last), true) = (slots.last(), slots.len() as i64 == PAGE_SIZE) {
        new_total.remember_start(query.number + 1, *last);
    }
    let rows = members::list_rows_of_slots(tx, scope, &slots).await?;
    Ok((rows, total, (total > PAGE_SIZE).then_some(new_total)))
}

/// For a search by branch and situation only, the tally gives the total and the start of each page.
async fn read_members_by_tally(tx: &mut Tx, query: &MemberSearchQuery) -> Result<MemberSearchResult, Error> {
    let counts = query.build_counts();
    let (total, range) = counts.locate_page(tx, i64::from(query.number - 1) * PAGE_SIZE, PAGE_SIZE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total, None)) };
    let slots = query.list_slots(tx, &counts, range).await?;
    Ok((members::list_rows_of_slots(tx, &query.scope, &slots).await?, total, None))
}

async fn list_slots_in_range(
    tx: &mut Tx,
    counts: &RowCountQuery,
    range: PageRange,
) -> Result<Vec<i32>, Error> {
    let limited = Scope::for_role(counts.tenant, Role::Operator, counts.branches.iter().copied());
    Ok(members::list_slots_in_range(tx, &limited, Some(&counts.situations), range).await?)
}
