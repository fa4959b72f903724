//! The lists of cases, and what is past its time. What somebody asks for is understood once and read on one snapshot.

use super::operations;
use super::read::hours_long;
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers};
use crate::searches::{Page, criteria::words};
use crate::{App, Error};
use domain::{
    CaseKind, Document, MemberCriteria, Moment, PersonCode, Rejection, Scope, SituationKind, plate_key,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
pub use storage::cases::Told as Item;
use storage::cases::{self, Criteria, Late, Overdue, Place, Since};
use storage::searches::{self, Led};
use storage::{Tx, benefits, people};
use wire::read::{Between, Given, Loosely, QueryDate};
use wire::records::CasoQuery;

/// Cases in a page.
pub const PAGE: i64 = 100;
/// Members whom a name may lead to, in pages of the member search.
const PAGES_OF_NAMES: i64 = 5;
const OVERDUE: &str = "GET /gestao/atrasados";

/// What somebody typed, by what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Filter {
    Protocol(i32),
    Document(Document),
    Plate(String),
    Words(Vec<String>),
}

/// A number is a document where its digits say so, else a protocol; what is no plate either is a name. `None` can be
/// nothing of all that.
fn filter(text: &str) -> Option<Filter> {
    if let Ok(document) = Document::parse(text) {
        return Some(Filter::Document(document));
    }
    if text.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return text.trim().parse().ok().map(Filter::Protocol);
    }
    if let Some(plate) = plate_key(text) {
        return Some(Filter::Plate(plate));
    }
    words(text).map(Filter::Words)
}

/// What is asked for, and where; `None` where nothing can be found.
struct Asked {
    scope: Scope,
    criteria: Criteria,
    filter: Option<Filter>,
}

fn understood(
    registers: &Registers,
    scope: &Scope,
    kind: CaseKind,
    query: &CasoQuery,
    now: Moment,
) -> Option<Asked> {
    let scope = match query.branch {
        Given::Set(branch) => scope.narrowed(branch)?,
        Given::Keep | Given::Clear => scope.clone(),
    };
    let day = |given: &Given<QueryDate>| given.clone().set().map(QueryDate::get);
    let protocol = match query.protocol.clone().set() {
        // As it is written, to the digit: a protocol has no zeros before it.
        Some(text) => Some(text.parse().ok().filter(|number: &i32| number.to_string() == text)?),
        None => None,
    };
    let filter = match query.filter.clone().set() {
        Some(text) => Some(filter(&text)?),
        None => None,
    };
    let priority = query.priority.clone().set().map(|Loosely(priority)| priority);
    if priority.is_some() && !matches!(kind, CaseKind::Claim | CaseKind::Ticket) {
        return None;
    }
    let criteria = Criteria {
        protocol,
        people: query.person.clone().set().map(|code| vec![code]),
        benefits: query.benefit.clone().set().map(|code| vec![code]),
        responsible: query.responsible.clone().set(),
        kind: query.kind.clone().set(),
        priority,
        situations: situations(registers, kind, query, now)?,
        opened_from: day(&query.opened_from).map(|day| day.start_in(&registers.zone)),
        opened_before: day(&query.opened_to).map(|day| day.next().start_in(&registers.zone)),
    };
    Some(Asked { scope, criteria, filter })
}

/// The situations that everything said of them leaves over; outside `None` where that is none.
fn situations(
    registers: &Registers,
    kind: CaseKind,
    query: &CasoQuery,
    now: Moment,
) -> Option<Option<Vec<(domain::SituationCode, Since)>>> {
    let (code, name) = (query.situation.clone().set(), query.situation_name.clone().set());
    let of_kind: Option<SituationKind> = query.situation_kind.clone().set().map(|Loosely(kind)| kind);
    let (open, late) = (query.open.clone().set(), query.late.clone().set());
    if code.is_none() && name.is_none() && of_kind.is_none() && open.is_none() && late.is_none() {
        return Some(None);
    }
    let named = match name {
        Some(name) => Some(registers.situation_named(kind.entity(), &name)?.code),
        None => None,
    };
    let fits = registers.situations.iter().filter(|one| {
        one.entity == kind.entity()
            && code.is_none_or(|code| one.code == code)
            && named.is_none_or(|code| one.code == code)
            && of_kind.is_none_or(|kind| one.kind == kind)
            && open.is_none_or(|open| one.kind.closes() != open)
    });
    let since = |one: &storage::situations::Situation| {
        let limit = one.limit_hours.filter(|_| !one.kind.closes()).map(|hours| now.minus(hours_long(hours)));
        match (late, limit) {
            (None, _) | (Some(false), None) => Some((one.code, Since::Ever)),
            (Some(true), Some(limit)) => Some((one.code, Since::Before(limit))),
            (Some(false), Some(limit)) => Some((one.code, Since::NotBefore(limit))),
            (Some(true), None) => None,
        }
    };
    let left: Vec<_> = fits.filter_map(since).collect();
    (!left.is_empty()).then_some(Some(left))
}

/// A page of cases of one kind, newest opening first.
#[boxed::future]
pub async fn list(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    query: CasoQuery,
) -> Result<Page<Item>, Error> {
    let number = query.page.clone().set().map_or(1, Between::get);
    let place = Place { skip: i64::from(number - 1) * PAGE, limit: PAGE };
    let now = app.now();
    let asked =
        |registers: &Registers| (kind, understood(registers, &caller.scope, kind, &query, now), place);
    let tenant = caller.scope.tenant();
    let ((rows, total), registers) = read_by_registers(app, tenant, asked, |tx, (kind, asked, place)| {
        Box::pin(read_list(tx, *kind, asked.as_ref(), *place))
    })
    .await?;
    saw(app, caller, operations(kind).list, rows.iter().map(|row| row.case.head().person))?;
    Ok(Page { rows, number, total, registers })
}

/// The next cases of one kind, newest opening first: those opened at a moment or before it, but the first few of that
/// very moment. So whoever reads all of them steps over none, and nothing that is opened meanwhile moves the others.
#[boxed::future]
pub async fn behind(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    query: CasoQuery,
    (until, skip): (Option<Moment>, i64),
) -> Result<(Vec<Item>, Arc<Registers>), Error> {
    let place = Place { skip, limit: PAGE };
    let now = app.now();
    let asked = |registers: &Registers| {
        let mut asked = understood(registers, &caller.scope, kind, &query, now);
        if let (Some(asked), Some(until)) = (&mut asked, until) {
            let before = until.plus(Duration::from_millis(1));
            let known = asked.criteria.opened_before;
            asked.criteria.opened_before = Some(known.map_or(before, |known| known.min(before)));
        }
        (kind, asked, place)
    };
    let tenant = caller.scope.tenant();
    let (rows, registers) = read_by_registers(app, tenant, asked, |tx, (kind, asked, place)| {
        Box::pin(async move {
            let Some(Asked { scope, criteria, filter }) = asked else { return Ok(Vec::new()) };
            let mut criteria = criteria.clone();
            if let Some(filter) = filter
                && !narrow(tx, scope, filter, &mut criteria).await?
            {
                return Ok(Vec::new());
            }
            let codes = cases::codes(&mut *tx, scope, *kind, &criteria, *place).await?;
            Ok::<_, Error>(cases::some(tx, scope, *kind, &codes).await?)
        })
    })
    .await?;
    saw(app, caller, operations(kind).list, rows.iter().map(|row| row.case.head().person))?;
    Ok((rows, registers))
}

async fn read_list(
    tx: &mut Tx,
    kind: CaseKind,
    asked: Option<&Asked>,
    place: Place,
) -> Result<(Vec<Item>, i64), Error> {
    let nothing = (Vec::new(), 0);
    let Some(Asked { scope, criteria, filter }) = asked else { return Ok(nothing) };
    let mut criteria = criteria.clone();
    if let Some(filter) = filter
        && !narrow(tx, scope, filter, &mut criteria).await?
    {
        return Ok(nothing);
    }
    let codes = cases::codes(&mut *tx, scope, kind, &criteria, place).await?;
    let found = codes.len() as i64;
    let total = match found < place.limit && (found > 0 || place.skip == 0) {
        true => place.skip + found,
        false => cases::count(&mut *tx, scope, kind, &criteria).await?,
    };
    Ok((cases::some(tx, scope, kind, &codes).await?, total))
}

/// Narrows a search to what the filter speaks of; false where that is nothing.
async fn narrow(tx: &mut Tx, scope: &Scope, filter: &Filter, criteria: &mut Criteria) -> Result<bool, Error> {
    let tenant = scope.tenant();
    match filter {
        Filter::Protocol(number) => {
            let fits = criteria.protocol.is_none_or(|protocol| protocol == *number);
            criteria.protocol = Some(*number);
            Ok(fits)
        }
        Filter::Document(document) => {
            let found = people::by_document(&mut *tx, tenant, document).await?;
            Ok(among(&mut criteria.people, found.map(|(code, _)| code).into_iter().collect()))
        }
        Filter::Plate(plate) => {
            let found = benefits::with_plate(&mut *tx, tenant, plate).await?;
            Ok(among(&mut criteria.benefits, found))
        }
        Filter::Words(words) => {
            let found = named(tx, scope, words).await?;
            Ok(among(&mut criteria.people, found))
        }
    }
}

/// Leaves of what was asked for only what was found; false where that is nothing.
fn among<C: PartialEq>(asked: &mut Option<Vec<C>>, mut found: Vec<C>) -> bool {
    if let Some(asked) = asked {
        found.retain(|one| asked.contains(one));
    }
    let is_something = !found.is_empty();
    *asked = Some(found);
    is_something
}

/// The members of a name whom the scope sees; refused where they are more than a search goes through.
async fn named(tx: &mut Tx, scope: &Scope, words: &[String]) -> Result<Vec<PersonCode>, Error> {
    let criteria = MemberCriteria { words: words.to_vec(), ..MemberCriteria::default() };
    let Some(led) = Led::find(tx, scope, &criteria).await? else { return Ok(Vec::new()) };
    let (mut all, mut after) = (Vec::new(), 0);
    for _ in 0..PAGES_OF_NAMES {
        let slots = led.slots(tx, after, 0).await?;
        all.extend(searches::at(tx, scope, &slots).await?.into_iter().map(|row| row.person.code));
        if (slots.len() as i64) < searches::PAGE {
            all.sort_unstable();
            all.dedup();
            return Ok(all);
        }
        after = slots.last().copied().unwrap_or(after);
    }
    Err(Rejection::TooManyNamed.into())
}

/// A page of what is past its time, of all kinds, longest first.
#[boxed::future]
pub async fn overdue(app: &App, caller: &Session, number: i32) -> Result<Page<Item>, Error> {
    let place = Place { skip: i64::from(number - 1) * PAGE, limit: PAGE };
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let asked = |registers: &Registers| (caller.scope.clone(), limits(registers), now, place);
    let ((rows, total), registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, limits, now, place)| {
            Box::pin(read_overdue(tx, scope, limits, *now, *place))
        })
        .await?;
    saw(app, caller, OVERDUE, rows.iter().map(|row| row.case.head().person))?;
    Ok(Page { rows, number, total, registers })
}

/// How many of each kind are past their time.
#[boxed::future]
pub async fn overdue_counts(app: &App, caller: &Session) -> Result<[(CaseKind, i64); 4], Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let asked = |registers: &Registers| (caller.scope.clone(), limits(registers), now);
    let (counts, _) = read_by_registers(app, tenant, asked, |tx, (scope, limits, now)| {
        Box::pin(async move {
            let mut counts = CaseKind::ALL.map(|kind| (kind, 0));
            for (kind, count) in &mut counts {
                let own: Vec<Late> = limits.iter().filter(|one| one.kind == *kind).copied().collect();
                *count = cases::late_count(&mut *tx, scope, &own, *now).await?;
            }
            Ok::<_, Error>(counts)
        })
    })
    .await?;
    Ok(counts)
}

/// The situations that may last only so long.
fn limits(registers: &Registers) -> Vec<Late> {
    let lasting = registers.situations.iter().filter(|one| !one.kind.closes());
    let late = |one: &storage::situations::Situation| {
        let limit = i64::try_from(hours_long(one.limit_hours?).as_millis()).ok()?;
        Some(Late { kind: CaseKind::of(one.entity)?, situation: one.code, limit })
    };
    lasting.filter_map(late).collect()
}

async fn read_overdue(
    tx: &mut Tx,
    scope: &Scope,
    limits: &[Late],
    now: Moment,
    place: Place,
) -> Result<(Vec<Item>, i64), Error> {
    let late = cases::late(&mut *tx, scope, limits, now, place).await?;
    let found = late.len() as i64;
    let total = match found < place.limit && (found > 0 || place.skip == 0) {
        true => place.skip + found,
        false => cases::late_count(&mut *tx, scope, limits, now).await?,
    };
    let mut told: HashMap<(CaseKind, i32), Item> = HashMap::new();
    for kind in CaseKind::ALL {
        let codes: Vec<i32> = late.iter().filter(|one| one.kind == kind).map(|one| one.code).collect();
        let some = cases::some(&mut *tx, scope, kind, &codes).await?;
        told.extend(some.into_iter().map(|one| ((kind, one.code), one)));
    }
    let in_order = |one: &Overdue| told.remove(&(one.kind, one.code));
    Ok((late.iter().filter_map(in_order).collect(), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_taken_for_what_it_looks_like() {
        assert_eq!(filter("4711"), Some(Filter::Protocol(4711)));
        assert_eq!(filter("529.982.247-25"), Document::parse("52998224725").ok().map(Filter::Document));
        assert_eq!(filter("abc-1d23"), plate_key("ABC1D23").map(Filter::Plate));
        assert_eq!(filter("João sil"), Some(Filter::Words(vec!["joao".to_owned(), "sil".to_owned()])));
        assert_eq!(filter("99999999999"), None, "neither a CPF nor a protocol");
        assert_eq!(filter("--"), None);
    }
}
