//! The searches of members and benefits, and the list of all benefits. What somebody asks for is understood once
//! (`criteria.rs`), read on one snapshot, and noted in the audit before it is shown.

pub(crate) mod criteria;

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers, registers};
use crate::{App, Error};
use domain::{
    BenefitCode, BranchCode, Branches, Entity, MemberCriteria, PersonCode, Rejection, Scope, SituationCode,
    SituationKind, UserCode, begins_words, fold,
};
use quick_cache::sync::Cache;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
pub use storage::benefits::{FieldValues, Vehicle};
use storage::counters::{self, Counter};
pub use storage::monthly::Turn;
use storage::searches::{self, Driver, Led, PAGE};
pub use storage::searches::{Found, FoundBenefit, OfBenefit};
use storage::tally::{Counts, NO_SITUATION, Ordering, Stretch};
use storage::{Tx, benefits, monthly};
use wire::read::Given;
use wire::records::{PesquisaAssociadoQuery, PesquisaBeneficioQuery};

/// A page of what was found, and of how much.
pub struct Page<T> {
    pub rows: Vec<T>,
    /// From 1.
    pub number: i32,
    pub total: i64,
    pub registers: Arc<Registers>,
}

/// At least one of some criteria must be given.
pub fn narrows(query: &PesquisaAssociadoQuery) -> Result<(), Rejection> {
    if criteria::narrows(query) { Ok(()) } else { Err(Rejection::NoMemberCriterion) }
}

/// A page of the member search.
#[boxed::future]
pub async fn members(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
) -> Result<Page<Found>, Error> {
    narrows(&query)?;
    rows(app, caller, query, "GET /ext/associado").await
}

/// A page of members for people, who may ask for everybody. The operation is what the audit calls it.
#[boxed::future]
pub async fn rows(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
    operation: &'static str,
) -> Result<Page<Found>, Error> {
    let number = query.page.clone().set().map_or(1, wire::read::Between::get);
    let registers = registers(app, caller.scope.tenant()).await?;
    let Some((scope, criteria)) = criteria::of_members(&registers, &caller.scope, query) else {
        return Ok(Page { rows: Vec::new(), number, total: 0, registers });
    };
    let driver = searches::sure_driver(&criteria).filter(|driver| driver.is_point());
    let (rows, total, registers) = match driver {
        Some(driver) => {
            let (rows, total) = find_few(app, &scope, &criteria, driver, number).await?;
            (rows, total, registers)
        }
        None => find_many(app, caller, scope, criteria, number).await?,
    };
    saw(app, caller, operation, rows.iter().map(|row| row.person.code))?;
    Ok(Page { rows, number, total, registers })
}

/// What was read, and behind what the next begins where there may be more.
pub struct Behind<T> {
    pub rows: Vec<T>,
    pub next: Option<i32>,
    pub registers: Arc<Registers>,
}

/// The next members behind a slot, for whoever reads all of them: whatever changes meanwhile, none that stays is left out.
#[boxed::future]
pub async fn rows_behind(
    app: &App,
    caller: &Session,
    query: PesquisaAssociadoQuery,
    after: i32,
    operation: &'static str,
) -> Result<Behind<Found>, Error> {
    let tenant = caller.scope.tenant();
    let registers = registers(app, tenant).await?;
    let Some((scope, criteria)) = criteria::of_members(&registers, &caller.scope, query) else {
        return Ok(Behind { rows: Vec::new(), next: None, registers });
    };
    let asked = |registers: &Registers| (Asked::by(registers, &scope, &criteria), after);
    let ((rows, next), registers) = read_by_registers(app, tenant, asked, |tx, (asked, after)| {
        Box::pin(async move {
            let slots = match Led::find(tx, &asked.scope, &asked.criteria).await? {
                Some(search) => search.slots(tx, *after, 0).await?,
                None => {
                    let counts = asked.counts();
                    let stretch = counts.behind(tx, i64::from(*after), PAGE).await?;
                    asked.slots(tx, &counts, stretch).await?
                }
            };
            Ok::<_, Error>((searches::at(tx, &asked.scope, &slots).await?, next(&slots)))
        })
    })
    .await?;
    saw(app, caller, operation, rows.iter().map(|row| row.person.code))?;
    Ok(Behind { rows, next, registers })
}

/// Behind what the next page begins, where this one is full.
fn next(page: &[i32]) -> Option<i32> {
    page.last().copied().filter(|_| page.len() as i64 == PAGE)
}

async fn find_few(
    app: &App,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: Driver,
    number: i32,
) -> Result<(Vec<Found>, i64), Error> {
    let skip = i64::from(number - 1) * PAGE;
    if !criteria.words.is_empty() {
        let named = |row: &Found| begins_words(&criteria.words, &row.person.name);
        match driver {
            // All of these are of one person.
            Driver::Person | Driver::Document => {
                let first = searches::few(&app.db, scope, criteria, driver, 0).await?;
                if !first.first().is_some_and(named) {
                    return Ok((Vec::new(), 0));
                }
            }
            _ => return Box::pin(find_named(app, scope, criteria, (driver, skip), named)).await,
        }
    }
    let rows = searches::few(&app.db, scope, criteria, driver, skip).await?;
    let found = rows.len() as i64;
    let total = match found < PAGE && (found > 0 || skip == 0) {
        true => skip + found,
        false => searches::count(&app.db, scope, criteria, driver).await?,
    };
    Ok((rows, total))
}

/// Of all whom a vehicle leads to, now and before, those of a name.
async fn find_named(
    app: &App,
    scope: &Scope,
    criteria: &MemberCriteria,
    (driver, skip): (Driver, i64),
    named: impl Fn(&Found) -> bool,
) -> Result<(Vec<Found>, i64), Error> {
    let mut all = Vec::new();
    for page in 0.. {
        let rows = searches::few(&app.db, scope, criteria, driver, page * PAGE).await?;
        let is_last = (rows.len() as i64) < PAGE;
        all.extend(rows.into_iter().filter(&named));
        if is_last {
            break;
        }
    }
    let total = all.len() as i64;
    let start = usize::try_from(skip).unwrap_or(usize::MAX);
    Ok((all.into_iter().skip(start).take(PAGE as usize).collect(), total))
}

async fn find_many(
    app: &App,
    caller: &Session,
    scope: Scope,
    criteria: MemberCriteria,
    number: i32,
) -> Result<(Vec<Found>, i64, Arc<Registers>), Error> {
    let key = (caller.user, scope, criteria);
    let known = app.memory.totals.get(&key);
    let asked = |registers: &Registers| Asked {
        number,
        known: known.clone(),
        ..Asked::by(registers, &key.1, &key.2)
    };
    let tenant = caller.scope.tenant();
    let ((rows, total, learnt), registers) =
        read_by_registers(app, tenant, asked, |tx, asked| Box::pin(read_members(tx, asked))).await?;
    if let Some(learnt) = learnt {
        app.memory.totals.0.insert(key, Arc::new(learnt));
    }
    Ok((rows, total, registers))
}

struct Asked {
    scope: Scope,
    criteria: MemberCriteria,
    /// All that the scope sees, and all situations that a row may have: where the tally must look.
    branches: Vec<BranchCode>,
    situations: Vec<SituationCode>,
    number: i32,
    known: Option<Arc<Total>>,
}

impl Asked {
    /// The first page.
    fn by(registers: &Registers, scope: &Scope, criteria: &MemberCriteria) -> Asked {
        let situations = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
        let branches: Vec<_> =
            registers.branches.iter().map(|one| one.code).filter(|one| scope.sees(*one)).collect();
        // Whoever sees each branch there is sees everything, and no row needs to be asked for its branch.
        let sees_all = branches.len() == registers.branches.len();
        Asked {
            branches,
            situations: situations.map(|one| one.code).chain([NO_SITUATION]).collect(),
            scope: if sees_all { Scope::whole(scope.tenant()) } else { scope.clone() },
            criteria: criteria.clone(),
            number: 1,
            known: None,
        }
    }

    /// What the tally counts, where only branch and situation are asked for.
    fn counts(&self) -> Counts {
        Counts {
            tenant: self.scope.tenant(),
            ordering: Ordering::Slot,
            branches: self.branches.clone(),
            situations: self.criteria.situation.map_or_else(|| self.situations.clone(), |one| vec![one]),
        }
    }

    /// The slots of a stretch that the tally found.
    async fn slots(&self, tx: &mut Tx, counts: &Counts, stretch: Stretch) -> Result<Vec<i32>, Error> {
        // Where everything is seen, the order of the rows is the order of the page.
        let is_everything = *self.scope.branches() == Branches::All && self.criteria.situation.is_none();
        match is_everything {
            true => Ok(searches::stretch_slots(tx, &self.scope, None, stretch).await?),
            false => slots_of(tx, counts, stretch).await,
        }
    }
}

type Read = (Vec<Found>, i64, Option<Total>);

async fn read_members(tx: &mut Tx, asked: &Asked) -> Result<Read, Error> {
    let Asked { scope, criteria, .. } = asked;
    let Some(search) = Led::find(tx, scope, criteria).await? else {
        return by_tally(tx, asked).await;
    };
    let changes = counters::last(&mut *tx, scope.tenant(), Counter::Listing).await?;
    // Whoever walks the pages keeps the total that he began with; whoever begins gets the one of now.
    let known = asked.known.as_deref().filter(|known| asked.number > 1 || known.changes == changes);
    let (page, after) = known.map_or((1, 0), |known| known.start(asked.number));
    let skip = i64::from(asked.number - page) * PAGE;
    let slots = search.slots(tx, after, skip).await?;
    let total = match (known, asked.number) {
        (Some(known), _) => known.total,
        (None, 1) if (slots.len() as i64) < PAGE => slots.len() as i64,
        _ => search.count(tx).await?,
    };
    // Whoever else is walking keeps the starts that he goes by.
    let starts = asked.known.as_deref().map(|known| known.starts.clone()).unwrap_or_default();
    let mut learnt = Total { total, changes, at: Instant::now(), starts };
    if let (Some(last), true) = (slots.last(), slots.len() as i64 == PAGE) {
        learnt.begin(asked.number + 1, *last);
    }
    let rows = searches::at(tx, scope, &slots).await?;
    Ok((rows, total, (total > PAGE).then_some(learnt)))
}

/// Only branch and situation are asked for: the tally knows how many there are and where each page begins.
async fn by_tally(tx: &mut Tx, asked: &Asked) -> Result<Read, Error> {
    let counts = asked.counts();
    let (total, stretch) = counts.page(tx, i64::from(asked.number - 1) * PAGE, PAGE).await?;
    let Some(stretch) = stretch else { return Ok((Vec::new(), total, None)) };
    let slots = asked.slots(tx, &counts, stretch).await?;
    Ok((searches::at(tx, &asked.scope, &slots).await?, total, None))
}

/// How many rows a search has, and where the pages that were read begin.
#[derive(Clone, Debug)]
pub(crate) struct Total {
    total: i64,
    /// The count of changes to the rows of the searches when it was counted.
    changes: i64,
    at: Instant,
    /// Behind which slot each page begins.
    starts: BTreeMap<i32, i32>,
}

/// Starts of pages that are remembered of one search.
const STARTS: usize = 64;

impl Total {
    /// Remembers behind which slot a page begins. Of very many, the last are those that somebody walks on from.
    fn begin(&mut self, number: i32, after: i32) {
        self.starts.insert(number, after);
        while self.starts.len() > STARTS {
            self.starts.pop_first();
        }
    }

    /// The nearest page at or before this one whose start is known, and the slot behind which it begins.
    fn start(&self, number: i32) -> (i32, i32) {
        self.starts.range(..=number).next_back().map_or((1, 0), |(page, after)| (*page, *after))
    }
}

/// The totals of the searches under way.
pub(crate) struct Totals(Cache<TotalKey, Arc<Total>>);

/// Whose search it is: of two who walk through the same pages, neither disturbs the other.
type TotalKey = (UserCode, Scope, MemberCriteria);

/// How long a walk through pages keeps the total that it began with.
const REMEMBERED: Duration = Duration::from_secs(60);

impl Default for Totals {
    fn default() -> Totals {
        Totals(Cache::new(1_000))
    }
}

impl Totals {
    fn get(&self, key: &TotalKey) -> Option<Arc<Total>> {
        self.0.get(key).filter(|total| total.at.elapsed() < REMEMBERED)
    }
}

/// What the search for benefits found.
pub struct Benefits {
    pub rows: Vec<FoundBenefit>,
    pub registers: Arc<Registers>,
}

/// At least one of the four keys must be given.
pub fn has_key(query: &PesquisaBeneficioQuery) -> Result<(), Rejection> {
    let given = [
        matches!(query.plate, Given::Set(_)),
        matches!(query.chassis, Given::Set(_)),
        matches!(query.sequence, Given::Set(_)),
        matches!(query.card, Given::Set(_)),
    ];
    if given.contains(&true) { Ok(()) } else { Err(Rejection::NoBenefitKey) }
}

/// The benefits of a plate, a chassis, a sequence number or a card.
#[boxed::future]
pub async fn benefits(app: &App, caller: &Session, query: PesquisaBeneficioQuery) -> Result<Benefits, Error> {
    has_key(&query)?;
    let registers = registers(app, caller.scope.tenant()).await?;
    let mut rows = match criteria::of_benefits(&registers, query) {
        Some(criteria) => searches::benefits(&app.db, &caller.scope, &criteria).await?,
        None => Vec::new(),
    };
    if rows.len() > 1 {
        rows.sort_by_cached_key(|row| (fold(&row.name), row.code));
    }
    saw(app, caller, "GET /ext/beneficio", holders(&rows))?;
    Ok(Benefits { rows, registers })
}

fn holders(rows: &[FoundBenefit]) -> impl Iterator<Item = PersonCode> {
    rows.iter().map(|row| row.benefit.person)
}

/// A page of the list of all benefits that the caller may see.
#[boxed::future]
pub async fn list(app: &App, caller: &Session, number: i32) -> Result<Page<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let asked = |registers: &Registers| {
        let counts = Counts { ordering: Ordering::Benefit, ..counts_of(registers, &caller.scope, None) };
        (caller.scope.clone(), counts, number)
    };
    let ((rows, total), registers) = read_by_registers(app, tenant, asked, |tx, (scope, counts, number)| {
        Box::pin(read_list(tx, scope, counts, *number))
    })
    .await?;
    saw(app, caller, "GET /ext/beneficio/lista", holders(&rows))?;
    Ok(Page { rows, number, total, registers })
}

/// The next benefits of a part of the list, which is of no month, behind a place: for whoever reads all of them. They come in the
/// order in which the part is shown, and whatever changes meanwhile, none that stays is left out.
#[boxed::future]
pub async fn benefits_behind(
    app: &App,
    caller: &Session,
    part: &Part,
    after: i32,
    operation: &'static str,
) -> Result<Behind<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let Some(scope) = part.scope(caller) else {
        return Ok(Behind { rows: Vec::new(), next: None, registers: registers(app, tenant).await? });
    };
    let is_everything = part.branch.is_none() && part.situation.is_none();
    let ordering = if is_everything { Ordering::Benefit } else { Ordering::Slot };
    let asked = |registers: &Registers| {
        let counts = Counts { ordering, ..counts_of(registers, &scope, part.situation) };
        (scope.clone(), counts, after)
    };
    let ((rows, next), registers) = read_by_registers(app, tenant, asked, |tx, (scope, counts, after)| {
        Box::pin(async move {
            if counts.branches.is_empty() || counts.situations.is_empty() {
                return Ok((Vec::new(), None));
            }
            let stretch = counts.behind(tx, i64::from(*after), PAGE).await?;
            let (codes, next) = match counts.ordering {
                Ordering::Benefit => {
                    let codes = benefits::codes(tx, scope, stretch, PAGE).await?;
                    let places: Vec<i32> = codes.iter().map(|code| code.get()).collect();
                    (codes, next(&places))
                }
                Ordering::Slot => {
                    let slots = slots_of(tx, counts, stretch).await?;
                    (searches::benefits_of(tx, counts.tenant, &slots).await?, next(&slots))
                }
            };
            Ok::<_, Error>((in_order(tx, scope, &codes).await?, next))
        })
    })
    .await?;
    saw(app, caller, operation, holders(&rows))?;
    Ok(Behind { rows, next, registers })
}

async fn in_order(tx: &mut Tx, scope: &Scope, codes: &[BenefitCode]) -> Result<Vec<FoundBenefit>, Error> {
    let mut rows = searches::benefits_at(tx, scope, codes).await?;
    rows.sort_by_key(|row| codes.iter().position(|code| *code == row.code));
    Ok(rows)
}

/// Which part of the list of benefits somebody wants; what is empty asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub branch: Option<BranchCode>,
    pub situation: Option<SituationCode>,
    /// Those registered or cancelled in a month: `yyyy-MM`.
    pub month: Option<(Turn, String)>,
}

impl Part {
    /// What of it somebody sees.
    fn scope(&self, caller: &Session) -> Option<Scope> {
        self.branch.map_or_else(|| Some(caller.scope.clone()), |branch| caller.scope.narrowed(branch))
    }
}

/// A page of a part of the list.
#[boxed::future]
pub async fn listed(
    app: &App,
    caller: &Session,
    part: Part,
    number: i32,
) -> Result<Page<FoundBenefit>, Error> {
    let tenant = caller.scope.tenant();
    let registers = registers(app, tenant).await?;
    let Some(scope) = part.scope(caller) else {
        return Ok(Page { rows: Vec::new(), number, total: 0, registers });
    };
    let asked = |registers: &Registers| {
        let counts = counts_of(registers, &scope, part.situation);
        (scope.clone(), counts, part.month.clone(), i64::from(number - 1) * PAGE)
    };
    let ((rows, total), registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, counts, month, skip)| {
            Box::pin(read_part(tx, scope, counts, month.as_ref(), *skip))
        })
        .await?;
    saw(app, caller, "GET /console/beneficios", holders(&rows))?;
    Ok(Page { rows, number, total, registers })
}

/// Rows with a benefit, of what the scope sees and in this situation or any, by slot.
fn counts_of(registers: &Registers, scope: &Scope, situation: Option<SituationCode>) -> Counts {
    let of_benefits = registers.situations.iter().filter(|one| one.entity == Entity::Benefit);
    let branches = registers.branches.iter().map(|one| one.code);
    let situations = of_benefits.map(|one| one.code).filter(|one| situation.is_none_or(|only| only == *one));
    Counts {
        tenant: scope.tenant(),
        ordering: Ordering::Slot,
        branches: branches.filter(|one| scope.sees(*one)).collect(),
        situations: situations.collect(),
    }
}

async fn read_part(
    tx: &mut Tx,
    scope: &Scope,
    counts: &Counts,
    month: Option<&(Turn, String)>,
    skip: i64,
) -> Result<(Vec<FoundBenefit>, i64), Error> {
    let (codes, total) = match month {
        Some((turn, month)) => {
            let total = monthly::count(&mut *tx, scope, (*turn, month)).await?;
            (monthly::codes(tx, scope, (*turn, month), (PAGE, skip)).await?, total)
        }
        None => {
            let (slots, total) = first_slots(tx, counts, skip).await?;
            (searches::benefits_of(tx, scope.tenant(), &slots).await?, total)
        }
    };
    Ok((in_order(tx, scope, &codes).await?, total))
}

/// The slots of a page of these rows, and how many there are in all.
pub(crate) async fn first_slots(tx: &mut Tx, counts: &Counts, skip: i64) -> Result<(Vec<i32>, i64), Error> {
    if counts.branches.is_empty() || counts.situations.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let (total, stretch) = counts.page(tx, skip, PAGE).await?;
    let Some(stretch) = stretch else { return Ok((Vec::new(), total)) };
    Ok((slots_of(tx, counts, stretch).await?, total))
}

async fn slots_of(tx: &mut Tx, counts: &Counts, stretch: Stretch) -> Result<Vec<i32>, Error> {
    let limited = Scope::of(counts.tenant, domain::Role::Operator, counts.branches.iter().copied());
    Ok(searches::stretch_slots(tx, &limited, Some(&counts.situations), stretch).await?)
}

/// When the first of those that wait to be active were registered: `yyyy-MM-dd`, a page of them at most.
pub(crate) async fn waiting_since(app: &App, scope: &Scope) -> Result<Vec<String>, Error> {
    let asked = |registers: &Registers| {
        let mut counts = counts_of(registers, scope, None);
        counts.situations.retain(|one| registers.kind_of(*one) == Some(SituationKind::Pending));
        counts
    };
    let (days, _) = read_by_registers(app, scope.tenant(), asked, |tx, counts| {
        Box::pin(async move {
            let (slots, _) = first_slots(tx, counts, 0).await?;
            Ok::<_, Error>(storage::panel::registered(&mut *tx, counts.tenant, &slots).await?)
        })
    })
    .await?;
    Ok(days)
}

async fn read_list(
    tx: &mut Tx,
    scope: &Scope,
    counts: &Counts,
    number: i32,
) -> Result<(Vec<FoundBenefit>, i64), Error> {
    let (total, stretch) = counts.page(tx, i64::from(number - 1) * PAGE, PAGE).await?;
    let Some(stretch) = stretch else { return Ok((Vec::new(), total)) };
    let codes = benefits::codes(tx, scope, stretch, PAGE).await?;
    Ok((searches::benefits_at(tx, scope, &codes).await?, total))
}
