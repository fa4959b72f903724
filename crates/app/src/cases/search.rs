//! Case lists and overdue cases. A query is parsed once and read on one snapshot.

use super::time_limit::{find_time_limit, list_time_limits};
use crate::audit::access_log::record_access;
use crate::members::search::criteria::parse_name_words;
use crate::register_snapshot::{TenantRegisters, read_with_registers};
use crate::search_page::SearchPage;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, CaseKind, CaseOperation, Document, MemberCriteria, Moment, PAGE_SIZE, PersonCode,
    Rejection, Scope, SituationKind, parse_plate_key,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::cases::ResolvedCase;
use storage::cases::{self, CaseCriteria, OverdueCase, ResultWindow, SituationAge, SituationTimeLimit};
use storage::search::members::{self, MemberSearch};
use storage::{Tx, benefits};
use wire::read::{BoundedInt, FieldPatch, LenientMember, QueryDate};
use wire::records::CasoQuery;

/// Pages of the member search that a name filter may read.
const PAGES_OF_NAMES: i64 = 5;
const OVERDUE: AuditedOperation = AuditedOperation::ListOverdueCases;

/// The search text, by what it looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CaseTextFilter {
    Protocol(i32),
    Document(Document),
    Plate(String),
    Words(Vec<String>),
}

/// Digits are a document if they are a valid one, else a protocol; other text is a plate or a name. `None` if it can be
/// none of these.
fn parse_filter(text: &str) -> Option<CaseTextFilter> {
    if let Ok(document) = Document::parse(text) {
        return Some(CaseTextFilter::Document(document));
    }
    if text.trim().bytes().all(|byte| byte.is_ascii_digit()) {
        return text.trim().parse().ok().map(CaseTextFilter::Protocol);
    }
    if let Some(plate) = parse_plate_key(text) {
        return Some(CaseTextFilter::Plate(plate));
    }
    parse_name_words(text).map(CaseTextFilter::Words)
}

/// The narrowed scope, the criteria and the parsed search text.
struct ParsedCaseQuery {
    scope: Scope,
    criteria: CaseCriteria,
    filter: Option<CaseTextFilter>,
}

fn parse_case_query(
    registers: &TenantRegisters,
    scope: &Scope,
    kind: CaseKind,
    query: &CasoQuery,
    now: Moment,
) -> Option<ParsedCaseQuery> {
    let scope = match query.branch {
        FieldPatch::Set(branch) => scope.narrow_to(branch)?,
        FieldPatch::Keep | FieldPatch::Clear => scope.clone(),
    };
    let day = |patch: &FieldPatch<QueryDate>| patch.clone().into_set().map(QueryDate::get);
    let protocol = match query.protocol.clone().into_set() {
        // Compared literally: a protocol has no leading zeros.
        Some(text) => Some(text.parse().ok().filter(|number: &i32| number.to_string() == text)?),
        None => None,
    };
    let filter = match query.filter.clone().into_set() {
        Some(text) => Some(parse_filter(&text)?),
        None => None,
    };
    let priority = query.priority.clone().into_set().map(|LenientMember(priority)| priority);
    if priority.is_some() && !matches!(kind, CaseKind::Claim | CaseKind::Ticket) {
        return None;
    }
    let criteria = CaseCriteria {
        protocol,
        people: query.person.clone().into_set().map(|code| vec![code]),
        benefits: query.benefit.clone().into_set().map(|code| vec![code]),
        responsible: query.responsible.clone().into_set(),
        kind: query.kind.clone().into_set(),
        priority,
        situations: select_situations(registers, kind, query, now)?,
        opened_from: day(&query.opened_from).map(|day| day.start_in(&registers.zone)),
        opened_before: day(&query.opened_to).map(|day| day.next().start_in(&registers.zone)),
    };
    Some(ParsedCaseQuery { scope, criteria, filter })
}

/// The situations that satisfy all given conditions: `Some(None)` without any condition, `None` if none is left.
fn select_situations(
    registers: &TenantRegisters,
    kind: CaseKind,
    query: &CasoQuery,
    now: Moment,
) -> Option<Option<Vec<(domain::SituationCode, SituationAge)>>> {
    let (code, name) = (query.situation.clone().into_set(), query.situation_name.clone().into_set());
    let requested_kind: Option<SituationKind> =
        query.situation_kind.clone().into_set().map(|LenientMember(kind)| kind);
    let (open, late) = (query.open.clone().into_set(), query.late.clone().into_set());
    if code.is_none() && name.is_none() && requested_kind.is_none() && open.is_none() && late.is_none() {
        return Some(None);
    }
    let named = match name {
        Some(name) => Some(registers.find_situation_by_name(kind.entity(), &name)?.code),
        None => None,
    };
    let matching = registers.situations.iter().filter(|one| {
        one.entity == kind.entity()
            && code.is_none_or(|code| one.code == code)
            && named.is_none_or(|code| one.code == code)
            && requested_kind.is_none_or(|kind| one.kind == kind)
            && open.is_none_or(|open| one.kind.is_final() != open)
    });
    let with_age = |one: &storage::registers::situations::StoredSituation| {
        let limit = find_time_limit(one).map(|limit| now.minus(limit));
        match (late, limit) {
            (None, _) | (Some(false), None) => Some((one.code, SituationAge::Ever)),
            (Some(true), Some(limit)) => Some((one.code, SituationAge::Before(limit))),
            (Some(false), Some(limit)) => Some((one.code, SituationAge::NotBefore(limit))),
            (Some(true), None) => None,
        }
    };
    let selected: Vec<_> = matching.filter_map(with_age).collect();
    (!selected.is_empty()).then_some(Some(selected))
}

/// A page of cases of one kind, most recently opened first.
#[boxed::future]
pub async fn list_cases(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    query: CasoQuery,
) -> Result<SearchPage<ResolvedCase>, Error> {
    let number = query.page.clone().into_set().map_or(1, BoundedInt::get);
    let window = ResultWindow { skip: i64::from(number - 1) * PAGE_SIZE, limit: PAGE_SIZE };
    let now = app.now();
    let input = |registers: &TenantRegisters| {
        (kind, parse_case_query(registers, &caller.scope, kind, &query, now), window)
    };
    let tenant = caller.scope.tenant();
    let ((rows, total), registers) = read_with_registers(app, tenant, input, |tx, (kind, parsed, window)| {
        Box::pin(read_case_list(tx, *kind, parsed.as_ref(), *window))
    })
    .await?;
    record_access(
        app,
        caller,
        AuditedOperation::Case(kind, CaseOperation::List),
        rows.iter().map(|row| row.case.head().person),
    )?;
    Ok(SearchPage { rows, number, total, registers })
}

/// The next cases of one kind, most recently opened first: those opened at or before `until`, skipping the first `skip`
/// of them. Cases opened meanwhile do not shift the others, so a full read misses none.
#[boxed::future]
pub async fn list_cases_behind(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    query: CasoQuery,
    (until, skip): (Option<Moment>, i64),
) -> Result<(Vec<ResolvedCase>, Arc<TenantRegisters>), Error> {
    let window = ResultWindow { skip, limit: PAGE_SIZE };
    let now = app.now();
    let input = |registers: &TenantRegisters| {
        let mut parsed = parse_case_query(registers, &caller.scope, kind, &query, now);
        if let (Some(parsed), Some(until)) = (&mut parsed, until) {
            let before = until.plus(Duration::from_millis(1));
            let known = parsed.criteria.opened_before;
            parsed.criteria.opened_before = Some(known.map_or(before, |known| known.min(before)));
        }
        (kind, parsed, window)
    };
    let tenant = caller.scope.tenant();
    let (rows, registers) = read_with_registers(app, tenant, input, |tx, (kind, parsed, window)| {
        Box::pin(async move {
            let Some(ParsedCaseQuery { scope, criteria, filter }) = parsed else { return Ok(Vec::new()) };
            let mut criteria = criteria.clone();
            if let Some(filter) = filter
                && !narrow_criteria(tx, scope, filter, &mut criteria).await?
            {
                return Ok(Vec::new());
            }
            let codes = cases::list_case_codes(&mut *tx, scope, *kind, &criteria, *window).await?;
            Ok::<_, Error>(cases::list_cases_by_codes(tx, scope, *kind, &codes).await?)
        })
    })
    .await?;
    record_access(
        app,
        caller,
        AuditedOperation::Case(kind, CaseOperation::List),
        rows.iter().map(|row| row.case.head().person),
    )?;
    Ok((rows, registers))
}

async fn read_case_list(
    tx: &mut Tx,
    kind: CaseKind,
    parsed: Option<&ParsedCaseQuery>,
    window: ResultWindow,
) -> Result<(Vec<ResolvedCase>, i64), Error> {
    let empty = (Vec::new(), 0);
    let Some(ParsedCaseQuery { scope, criteria, filter }) = parsed else { return Ok(empty) };
    let mut criteria = criteria.clone();
    if let Some(filter) = filter
        && !narrow_criteria(tx, scope, filter, &mut criteria).await?
    {
        return Ok(empty);
    }
    let codes = cases::list_case_codes(&mut *tx, scope, kind, &criteria, window).await?;
    let found = codes.len() as i64;
    let total = match found < window.limit && (found > 0 || window.skip == 0) {
        true => window.skip + found,
        false => cases::count_cases(&mut *tx, scope, kind, &criteria).await?,
    };
    Ok((cases::list_cases_by_codes(tx, scope, kind, &codes).await?, total))
}

/// Narrows the criteria by the search text; false if nothing can match.
async fn narrow_criteria(
    tx: &mut Tx,
    scope: &Scope,
    filter: &CaseTextFilter,
    criteria: &mut CaseCriteria,
) -> Result<bool, Error> {
    let tenant = scope.tenant();
    match filter {
        CaseTextFilter::Protocol(number) => {
            let fits = criteria.protocol.is_none_or(|protocol| protocol == *number);
            criteria.protocol = Some(*number);
            Ok(fits)
        }
        CaseTextFilter::Document(document) => {
            let found = storage::members::find_person_by_document(&mut *tx, tenant, document).await?;
            Ok(intersect_codes(&mut criteria.people, found.map(|(code, _)| code).into_iter().collect()))
        }
        CaseTextFilter::Plate(plate) => {
            let found = benefits::list_benefits_by_plate(&mut *tx, tenant, plate).await?;
            Ok(intersect_codes(&mut criteria.benefits, found))
        }
        CaseTextFilter::Words(words) => {
            let found = find_members_by_name(tx, scope, words).await?;
            Ok(intersect_codes(&mut criteria.people, found))
        }
    }
}

/// Intersects the requested codes with those found; false if none is left.
fn intersect_codes<C: PartialEq>(requested: &mut Option<Vec<C>>, mut found: Vec<C>) -> bool {
    if let Some(requested) = requested {
        found.retain(|one| requested.contains(one));
    }
    let any_left = !found.is_empty();
    *requested = Some(found);
    any_left
}

/// The visible members with this name; refused if there are more than [`PAGES_OF_NAMES`] pages.
async fn find_members_by_name(
    tx: &mut Tx,
    scope: &Scope,
    words: &[String],
) -> Result<Vec<PersonCode>, Error> {
    let criteria = MemberCriteria { words: words.to_vec(), ..MemberCriteria::default() };
    let Some(member_search) = MemberSearch::prepare(tx, scope, &criteria).await? else {
        return Ok(Vec::new());
    };
    let (mut all, mut after) = (Vec::new(), 0);
    for _ in 0..PAGES_OF_NAMES {
        let slots = member_search.list_slots(tx, after, 0).await?;
        all.extend(
            members::list_rows_of_slots(tx, scope, &slots).await?.into_iter().map(|row| row.person.code),
        );
        if (slots.len() as i64) < PAGE_SIZE {
            all.sort_unstable();
            all.dedup();
            return Ok(all);
        }
        after = slots.last().copied().unwrap_or(after);
    }
    Err(Rejection::TooManyNamed.into())
}

/// A page of overdue cases of all kinds, longest overdue first.
#[boxed::future]
pub async fn list_overdue_cases(
    app: &App,
    caller: &Session,
    number: i32,
) -> Result<SearchPage<ResolvedCase>, Error> {
    let window = ResultWindow { skip: i64::from(number - 1) * PAGE_SIZE, limit: PAGE_SIZE };
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let input =
        |registers: &TenantRegisters| (caller.scope.clone(), list_time_limits(registers), now, window);
    let ((rows, total), registers) =
        read_with_registers(app, tenant, input, |tx, (scope, limits, now, window)| {
            Box::pin(read_overdue_cases(tx, scope, limits, *now, *window))
        })
        .await?;
    record_access(app, caller, OVERDUE, rows.iter().map(|row| row.case.head().person))?;
    Ok(SearchPage { rows, number, total, registers })
}

/// Number of overdue cases by kind.
#[boxed::future]
pub async fn count_overdue_cases(app: &App, caller: &Session) -> Result<[(CaseKind, i64); 4], Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let input = |registers: &TenantRegisters| (caller.scope.clone(), list_time_limits(registers), now);
    let (counts, _) = read_with_registers(app, tenant, input, |tx, (scope, limits, now)| {
        Box::pin(async move {
            let mut counts = CaseKind::ALL.map(|kind| (kind, 0));
            for (kind, count) in &mut counts {
                let kind_limits: Vec<SituationTimeLimit> =
                    limits.iter().filter(|one| one.kind == *kind).copied().collect();
                *count = cases::count_overdue_cases(&mut *tx, scope, &kind_limits, *now).await?;
            }
            Ok::<_, Error>(counts)
        })
    })
    .await?;
    Ok(counts)
}

async fn read_overdue_cases(
    tx: &mut Tx,
    scope: &Scope,
    limits: &[SituationTimeLimit],
    now: Moment,
    window: ResultWindow,
) -> Result<(Vec<ResolvedCase>, i64), Error> {
    let overdue = cases::list_overdue_cases(&mut *tx, scope, limits, now, window).await?;
    let found = overdue.len() as i64;
    let total = match found < window.limit && (found > 0 || window.skip == 0) {
        true => window.skip + found,
        false => cases::count_overdue_cases(&mut *tx, scope, limits, now).await?,
    };
    let mut by_code: HashMap<(CaseKind, i32), ResolvedCase> = HashMap::new();
    for kind in CaseKind::ALL {
        let codes: Vec<i32> = overdue.iter().filter(|one| one.kind == kind).map(|one| one.code).collect();
        let loaded = cases::list_cases_by_codes(&mut *tx, scope, kind, &codes).await?;
        by_code.extend(loaded.into_iter().map(|one| ((kind, one.code), one)));
    }
    let in_order = |one: &OverdueCase| by_code.remove(&(one.kind, one.code));
    Ok((overdue.iter().filter_map(in_order).collect(), total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_taken_for_what_it_looks_like() {
        assert_eq!(parse_filter("4711"), Some(CaseTextFilter::Protocol(4711)));
        assert_eq!(
            parse_filter("529.982.247-25"),
            Document::parse("52998224725").ok().map(CaseTextFilter::Document)
        );
        assert_eq!(parse_filter("abc-1d23"), parse_plate_key("ABC1D23").map(CaseTextFilter::Plate));
        assert_eq!(
            parse_filter("João sil"),
            Some(CaseTextFilter::Words(vec!["joao".to_owned(), "sil".to_owned()]))
        );
        assert_eq!(parse_filter("99999999999"), None, "neither a CPF nor a protocol");
        assert_eq!(parse_filter("--"), None);
    }
}
