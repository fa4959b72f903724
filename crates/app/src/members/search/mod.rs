//! Member search, benefit search and the list of all benefits. A query is parsed once (`criteria.rs`), read on one
//! snapshot and recorded in the access log before it is shown.

pub(crate) mod criteria;

use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::registers::snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::{App, Error};
use domain::{
    BenefitCode, BranchCode, Entity, MemberCriteria, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, UserCode, VisibleBranches, fold_text, has_word_beginnings,
};
use quick_cache::sync::Cache;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use storage::benefits::monthly_counts;
pub use storage::benefits::monthly_counts::BenefitMovement;
pub use storage::benefits::{AdditionalFieldValues, VehicleDetails};
use storage::search::members::{self, LeadingMemberCriterion, MemberSearch, PAGE};
pub use storage::search::members::{FoundBenefit, FoundMemberBenefit, FoundMemberRow};
use storage::search::tally::{ListingOrdering, NO_SITUATION, PageRange, RowCountQuery};
use storage::server::counters::{self, Counter};
use storage::{Tx, benefits};
use wire::read::FieldPatch;
use wire::records::{PesquisaAssociadoQuery, PesquisaBeneficioQuery};

/// A page of results with the total.
pub struct SearchPage<T> {
    pub rows: Vec<T>,
    /// Starts at 1.
    pub number: i32,
    pub total: i64,
    pub registers: Arc<TenantRegisters>,
}

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
    list_members(app, caller, query, "GET /ext/associado").await
}

/// A page of members, without the need of a narrowing criterion. `operation` is the name in the access log.
#[boxed::future]
pub async fn list_members(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
    operation: &'static str,
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
    operation: &'static str,
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
                            let range = counts.locate_rows_after(tx, i64::from(*after), PAGE).await?;
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
    page.last().copied().filter(|_| page.len() as i64 == PAGE)
}

async fn find_few_members(
    app: &App,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: LeadingMemberCriterion,
    number: i32,
) -> Result<(Vec<FoundMemberRow>, i64), Error> {
    let skip = i64::from(number - 1) * PAGE;
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
    let total = match found < PAGE && (found > 0 || skip == 0) {
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
        let rows = members::list_rows_by_key(&app.db, scope, criteria, driver, page * PAGE).await?;
        let is_last = (rows.len() as i64) < PAGE;
        all.extend(rows.into_iter().filter(&matches_name));
        if is_last {
            break;
        }
    }
    let total = all.len() as i64;
    let start = usize::try_from(skip).unwrap_or(usize::MAX);
    Ok((all.into_iter().skip(start).take(PAGE as usize).collect(), total))
}

async fn find_many_members(
    app: &App,
    caller: &Session,
    scope: Scope,
    criteria: MemberCriteria,
    number: i32,
) -> Result<(Vec<FoundMemberRow>, i64, Arc<TenantRegisters>), Error> {
    let key = (caller.user, scope, criteria);
    let known = app.memory.totals.get(&key);
    let build_query = |registers: &TenantRegisters| MemberSearchQuery {
        number,
        known: known.clone(),
        ..MemberSearchQuery::for_first_page(registers, &key.1, &key.2)
    };
    let tenant = caller.scope.tenant();
    let ((rows, total, new_total), registers) =
        read_with_registers(app, tenant, build_query, |tx, query| Box::pin(read_members(tx, query))).await?;
    if let Some(new_total) = new_total {
        app.memory.totals.0.insert(key, Arc::new(new_total));
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
    known: Option<Arc<SearchTotal>>,
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
            known: None,
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
            false => list_stretch_slots(tx, counts, range).await,
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
    let known = query.known.as_deref().filter(|known| query.number > 1 || known.changes == changes);
    let (page, after) = known.map_or((1, 0), |known| known.find_nearest_start(query.number));
    let skip = i64::from(query.number - page) * PAGE;
    let slots = search.list_slots(tx, after, skip).await?;
    let total = match (known, query.number) {
        (Some(known), _) => known.total,
        (None, 1) if (slots.len() as i64) < PAGE => slots.len() as i64,
        _ => search.count_rows(tx).await?,
    };
    // Keeps the page starts that a pagination in progress relies on.
    let starts = query.known.as_deref().map(|known| known.starts.clone()).unwrap_or_default();
    let mut new_total = SearchTotal { total, changes, at: Instant::now(), starts };
    if let (Some(last), true) = (slots.last(), slots.len() as i64 == PAGE) {
        new_total.remember_start(query.number + 1, *last);
    }
    let rows = members::list_rows_of_slots(tx, scope, &slots).await?;
    Ok((rows, total, (total > PAGE).then_some(new_total)))
}

/// For a search by branch and situation only, the tally gives the total and the start of each page.
async fn read_members_by_tally(tx: &mut Tx, query: &MemberSearchQuery) -> Result<MemberSearchResult, Error> {
    let counts = query.build_counts();
    let (total, range) = counts.locate_page(tx, i64::from(query.number - 1) * PAGE, PAGE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total, None)) };
    let slots = query.list_slots(tx, &counts, range).await?;
    Ok((members::list_rows_of_slots(tx, &query.scope, &slots).await?, total, None))
}

/// The total of a search and the known page starts.
#[derive(Clone, Debug)]
pub(crate) struct SearchTotal {
    total: i64,
    /// Value of the listing change counter at the time of counting.
    changes: i64,
    at: Instant,
    /// Page number to the slot after which the page begins.
    starts: BTreeMap<i32, i32>,
}

/// Maximum number of page starts kept per search.
const STARTS: usize = 64;

impl SearchTotal {
    /// Remembers the slot after which a page begins. Drops the lowest pages first, since readers move forward.
    fn remember_start(&mut self, number: i32, after: i32) {
        self.starts.insert(number, after);
        while self.starts.len() > STARTS {
            self.starts.pop_first();
        }
    }

    /// The nearest known page at or before this one, and the slot after which it begins.
    fn find_nearest_start(&self, number: i32) -> (i32, i32) {
        self.starts.range(..=number).next_back().map_or((1, 0), |(page, after)| (*page, *after))
    }
}

/// Cached totals of recent searches.
pub(crate) struct SearchTotalCache(Cache<SearchTotalKey, Arc<SearchTotal>>);

/// Includes the user, so that two users reading the same pages do not affect each other.
type SearchTotalKey = (UserCode, Scope, MemberCriteria);

/// How long a paginated search keeps its first total.
const REMEMBERED: Duration = Duration::from_secs(60);

impl Default for SearchTotalCache {
    fn default() -> SearchTotalCache {
        SearchTotalCache(Cache::new(1_000))
    }
}

impl SearchTotalCache {
    fn get(&self, key: &SearchTotalKey) -> Option<Arc<SearchTotal>> {
        self.0.get(key).filter(|total| total.at.elapsed() < REMEMBERED)
    }
}

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
    record_access(app, caller, "GET /ext/beneficio", list_holders(&rows))?;
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
        let counts = RowCountQuery {
            ordering: ListingOrdering::Benefit,
            ..build_benefit_counts(registers, &caller.scope, None)
        };
        (caller.scope.clone(), counts, number)
    };
    let ((rows, total), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, number)| {
            Box::pin(read_benefit_list(tx, scope, counts, *number))
        })
        .await?;
    record_access(app, caller, "GET /ext/beneficio/lista", list_holders(&rows))?;
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
    operation: &'static str,
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
    let ordering = if is_everything { ListingOrdering::Benefit } else { ListingOrdering::Slot };
    let build_query = |registers: &TenantRegisters| {
        let counts = RowCountQuery { ordering, ..build_benefit_counts(registers, &scope, filter.situation) };
        (scope.clone(), counts, after)
    };
    let ((rows, next), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, after)| {
            Box::pin(async move {
                if counts.branches.is_empty() || counts.situations.is_empty() {
                    return Ok((Vec::new(), None));
                }
                let range = counts.locate_rows_after(tx, i64::from(*after), PAGE).await?;
                let (codes, next) = match counts.ordering {
                    ListingOrdering::Benefit => {
                        let codes = benefits::list_benefit_codes(tx, scope, range, PAGE).await?;
                        let positions: Vec<i32> = codes.iter().map(|code| code.get()).collect();
                        (codes, find_next_start(&positions))
                    }
                    ListingOrdering::Slot => {
                        let slots = list_stretch_slots(tx, counts, range).await?;
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
        (scope.clone(), counts, filter.month.clone(), i64::from(number - 1) * PAGE)
    };
    let ((rows, total), registers) =
        read_with_registers(app, tenant, build_query, |tx, (scope, counts, month, skip)| {
            Box::pin(read_filtered_benefits(tx, scope, counts, month.as_ref(), *skip))
        })
        .await?;
    record_access(app, caller, "GET /console/beneficios", list_holders(&rows))?;
    Ok(SearchPage { rows, number, total, registers })
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
                monthly_counts::list_benefits_of_month(tx, scope, (*movement, month), (PAGE, skip)).await?,
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
pub(crate) async fn list_page_slots(
    tx: &mut Tx,
    counts: &RowCountQuery,
    skip: i64,
) -> Result<(Vec<i32>, i64), Error> {
    if counts.branches.is_empty() || counts.situations.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let (total, range) = counts.locate_page(tx, skip, PAGE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total)) };
    Ok((list_stretch_slots(tx, counts, range).await?, total))
}

async fn list_stretch_slots(
    tx: &mut Tx,
    counts: &RowCountQuery,
    range: PageRange,
) -> Result<Vec<i32>, Error> {
    let limited = Scope::for_role(counts.tenant, domain::Role::Operator, counts.branches.iter().copied());
    Ok(members::list_slots_in_range(tx, &limited, Some(&counts.situations), range).await?)
}

/// Registration dates (`yyyy-MM-dd`) of the first pending benefits, at most one page.
pub(crate) async fn list_waiting_days(app: &App, scope: &Scope) -> Result<Vec<String>, Error> {
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
    let (total, range) = counts.locate_page(tx, i64::from(number - 1) * PAGE, PAGE).await?;
    let Some(range) = range else { return Ok((Vec::new(), total)) };
    let codes = benefits::list_benefit_codes(tx, scope, range, PAGE).await?;
    Ok((members::list_benefits_by_code(tx, scope, &codes).await?, total))
}
