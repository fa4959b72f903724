//! The search for cases, newest opening first, and overdue cases. Like the member search it is driven by one
//! criterion, and the others are checked row by row (`search/members`). Situations and branches have their own index
//! order: the first rows of each are merged, so that a caller with few branches does not wait while other branches'
//! rows are skipped.

use super::table_layout::describe_case_table;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{
    BenefitCode, BranchCode, CaseKind, Moment, PersonCode, Priority, Scope, SituationCode, UserCode,
    VisibleBranches,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseCriteria {
    pub protocol: Option<i32>,
    /// Of any of these people; `None` matches everyone.
    pub people: Option<Vec<PersonCode>>,
    pub benefits: Option<Vec<BenefitCode>>,
    pub responsible: Option<UserCode>,
    /// The type of a claim, inspection or ticket, the specialty of an appointment.
    pub kind: Option<i32>,
    pub priority: Option<Priority>,
    /// In any of these situations, and for how long.
    pub situations: Option<Vec<(SituationCode, SituationAge)>>,
    pub opened_from: Option<Moment>,
    pub opened_before: Option<Moment>,
}

/// How long a case has been in its situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SituationAge {
    Ever,
    Before(Moment),
    NotBefore(Moment),
}

/// The criterion that drives a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivingCaseCriterion {
    Protocol,
    People,
    Benefits,
    Responsible,
    Situations,
    Kind,
    /// No criterion: the order of the results.
    Order,
}

/// The part of the results to read.
#[derive(Clone, Copy, Debug)]
pub struct ResultWindow {
    pub skip: i64,
    pub limit: i64,
}

/// How many index orders one statement merges.
pub(super) const MOST_MERGED_ORDERS: usize = 64;

/// Chooses the driving criterion.
pub fn choose_driver(criteria: &CaseCriteria) -> DrivingCaseCriterion {
    let candidates = [
        (DrivingCaseCriterion::Protocol, criteria.protocol.is_some()),
        (DrivingCaseCriterion::Benefits, criteria.benefits.is_some()),
        (DrivingCaseCriterion::People, criteria.people.is_some()),
        (DrivingCaseCriterion::Responsible, criteria.responsible.is_some()),
        (DrivingCaseCriterion::Situations, criteria.situations.is_some()),
        (DrivingCaseCriterion::Kind, criteria.kind.is_some()),
    ];
    candidates
        .into_iter()
        .find(|(_, is_given)| *is_given)
        .map_or(DrivingCaseCriterion::Order, |(driver, _)| driver)
}

/// The column in a form that no index serves, unless it drives the search.
fn disguise_column(name: &str, is_driver: bool) -> String {
    if is_driver { name.to_owned() } else { format!("{name} + 0") }
}

/// Appends every criterion except situation and branch.
fn append_criteria(
    head: Statement,
    kind: CaseKind,
    scope: &Scope,
    criteria: &CaseCriteria,
    driver: DrivingCaseCriterion,
) -> Statement {
    let layout = describe_case_table(kind);
    let is_driver = |criterion: DrivingCaseCriterion| driver == criterion;
    let mut filtered =
        head.append_text("FROM").append_text(layout.table).append("WHERE tenant = ?", [scope.tenant()]);
    if let Some(people) = &criteria.people {
        filtered = filtered.filter_in(
            &disguise_column("person", is_driver(DrivingCaseCriterion::People)),
            people.iter().copied(),
        );
    }
    if let Some(benefits) = &criteria.benefits {
        filtered = filtered.filter_in(
            &disguise_column("benefit", is_driver(DrivingCaseCriterion::Benefits)),
            benefits.iter().copied(),
        );
    }
    let equals = |name: &str, criterion: DrivingCaseCriterion| {
        format!("AND {} = ?", disguise_column(name, is_driver(criterion)))
    };
    filtered
        .append_if_some(&equals("protocol", DrivingCaseCriterion::Protocol), criteria.protocol)
        .append_if_some(&equals("responsible", DrivingCaseCriterion::Responsible), criteria.responsible)
        .append_if_some(&equals(layout.typed_by, DrivingCaseCriterion::Kind), criteria.kind)
        .append_if_some("AND priority + 0 = ?", criteria.priority)
        .append_if_some("AND opened_at >= ?", criteria.opened_from)
        .append_if_some("AND opened_at < ?", criteria.opened_before)
}

fn append_age_filter(statement: Statement, since: SituationAge) -> Statement {
    match since {
        SituationAge::Ever => statement,
        SituationAge::Before(moment) => statement.append("AND situation_since + 0 < ?", [moment]),
        SituationAge::NotBefore(moment) => statement.append("AND situation_since + 0 >= ?", [moment]),
    }
}

/// Used if situations do not drive the search.
fn append_situation_filter(
    statement: Statement,
    situations: &[(SituationCode, SituationAge)],
    is_driver: bool,
) -> Statement {
    let name = disguise_column("situation", is_driver);
    if situations.iter().all(|(_, since)| *since == SituationAge::Ever) {
        return statement.filter_in(&name, situations.iter().map(|(code, _)| *code));
    }
    let start = statement.append_text("AND (1 = 0");
    let append_situation = |statement: Statement, (code, limit): &(SituationCode, SituationAge)| {
        append_age_filter(statement.append(&format!("OR {name} = ?"), [*code]), *limit)
    };
    situations.iter().fold(start, append_situation).append_text(")")
}

#[boxed::future]
pub async fn count_cases(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    criteria: &CaseCriteria,
) -> Result<i64, Error> {
    let driver = choose_driver(criteria);
    let mut statement = append_criteria(sql("SELECT COUNT(*) AS rows"), kind, scope, criteria, driver);
    if let Some(situations) = &criteria.situations {
        statement =
            append_situation_filter(statement, situations, driver == DrivingCaseCriterion::Situations);
    }
    let is_free = matches!(driver, DrivingCaseCriterion::Situations | DrivingCaseCriterion::Order);
    let statement = statement.filter_branches(&disguise_column("branch", is_free), scope.branches());
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}

const ORDER: &str = "ORDER BY opened_at DESC, code DESC";

/// One index order of a search: of a situation, a branch, or both.
type SituationBranchLane = (Option<(SituationCode, SituationAge)>, Option<BranchCode>);

/// The index orders that a search merges; none if another criterion narrows the search.
fn list_search_lanes(
    scope: &Scope,
    criteria: &CaseCriteria,
    driver: DrivingCaseCriterion,
) -> Vec<SituationBranchLane> {
    let situations: Vec<Option<(SituationCode, SituationAge)>> = match (driver, &criteria.situations) {
        (DrivingCaseCriterion::Situations, Some(requested)) => requested.iter().copied().map(Some).collect(),
        (DrivingCaseCriterion::Order, _) => vec![None],
        _ => return Vec::new(),
    };
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        VisibleBranches::Only(allowed)
            if (1..=MOST_MERGED_ORDERS / situations.len().max(1)).contains(&allowed.len()) =>
        {
            allowed.iter().copied().map(Some).collect()
        }
        _ => vec![None],
    };
    situations.iter().flat_map(|situation| branches.iter().map(|branch| (*situation, *branch))).collect()
}

/// The cases of a part of the results, in order.
#[boxed::future]
pub async fn list_case_codes(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    criteria: &CaseCriteria,
    place: ResultWindow,
) -> Result<Vec<i32>, Error> {
    if criteria.situations.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let driver = choose_driver(criteria);
    let one = |head: Statement| {
        append_criteria(head.append_text("SELECT code, opened_at"), kind, scope, criteria, driver)
    };
    let head = sql("SELECT code FROM (");
    let lanes = list_search_lanes(scope, criteria, driver);
    let found = if lanes.is_empty() {
        let all = one(head).filter_branches("branch + 0", scope.branches());
        match &criteria.situations {
            Some(situations) => append_situation_filter(all, situations, false),
            None => all,
        }
    } else {
        lanes.iter().enumerate().fold(head, |head, (number, (situation, branch))| {
            let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
            let mut part = one(head.append_text(union));
            if let Some((code, limit)) = situation {
                part = append_age_filter(part.append("AND situation = ?", [*code]), *limit);
            }
            let part = match branch {
                Some(branch) => part.append("AND branch = ?", [*branch]),
                None => part.filter_branches("branch + 0", scope.branches()),
            };
            part.append_text(ORDER).append("LIMIT ?) AS one", [place.skip + place.limit])
        })
    };
    let ordered = found
        .append_text(") AS every")
        .append_text(ORDER)
        .append("LIMIT ? OFFSET ?", [place.limit, place.skip]);
    let rows = source.fetch_all(QueryWeight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// How long a case of a kind may stay in a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SituationTimeLimit {
    pub kind: CaseKind,
    pub situation: SituationCode,
    /// In milliseconds.
    pub limit: i64,
}

/// A case past its time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverdueCase {
    pub kind: CaseKind,
    pub code: i32,
    /// When the time limit ended.
    pub due: Moment,
}

/// Overdue cases, longest overdue first.
#[boxed::future]
pub async fn list_overdue_cases(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    limits: &[SituationTimeLimit],
    now: Moment,
    place: ResultWindow,
) -> Result<Vec<OverdueCase>, Error> {
    if limits.is_empty() {
        return Ok(Vec::new());
    }
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        VisibleBranches::All => vec![None],
        VisibleBranches::Only(allowed) if allowed.is_empty() => return Ok(Vec::new()),
        VisibleBranches::Only(allowed)
            if allowed.len() <= MOST_MERGED_ORDERS / limits.len().min(MOST_MERGED_ORDERS) =>
        {
            allowed.iter().copied().map(Some).collect()
        }
        VisibleBranches::Only(_) => vec![None],
    };
    let lanes = limits.iter().flat_map(|limit| branches.iter().map(move |branch| (limit, *branch)));
    let head = sql("SELECT entity, code, due FROM (");
    let found = lanes.enumerate().fold(head, |head, (number, (limit, branch))| {
        let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
        // The kind is written into the text, because a parameter would have no type there.
        let select = format!(
            "SELECT CAST({} AS BIGINT) AS entity, code, situation_since + {} AS due",
            limit.kind.entity().number(),
            limit.limit
        );
        let part = append_overdue_filter(head.append_text(union).append_text(&select), scope, limit, now);
        let part = match branch {
            Some(branch) => part.append("AND branch = ?", [branch]),
            None => part.filter_branches("branch + 0", scope.branches()),
        };
        part.append_text("ORDER BY situation_since, code")
            .append("LIMIT ?) AS one", [place.skip + place.limit])
    });
    let ordered = found
        .append_text(") AS every ORDER BY due, entity, code")
        .append("LIMIT ? OFFSET ?", [place.limit, place.skip]);
    let rows = source.fetch_all(QueryWeight::Search, ordered).await?;
    rows.iter()
        .map(|row| {
            let broken = || Error::Broken("something is late that has no time".to_owned());
            let kind = CaseKind::from_entity(row.get("entity")?).ok_or_else(broken)?;
            Ok(OverdueCase { kind, code: row.get("code")?, due: row.get("due")? })
        })
        .collect()
}

fn append_overdue_filter(
    head: Statement,
    scope: &Scope,
    limit: &SituationTimeLimit,
    now: Moment,
) -> Statement {
    let values: [SqlScalar; 3] =
        [scope.tenant().into(), limit.situation.into(), (now.millis() - limit.limit).into()];
    head.append_text("FROM")
        .append_text(describe_case_table(limit.kind).table)
        .append("WHERE tenant = ? AND situation = ? AND situation_since < ?", values)
}

#[boxed::future]
pub async fn count_overdue_cases(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    limits: &[SituationTimeLimit],
    now: Moment,
) -> Result<i64, Error> {
    if limits.is_empty() {
        return Ok(0);
    }
    let head = sql("SELECT CAST(SUM(rows) AS BIGINT) AS rows FROM (");
    let found = limits.iter().enumerate().fold(head, |head, (number, limit)| {
        let union = if number == 0 { "SELECT COUNT(*) AS rows" } else { "UNION ALL SELECT COUNT(*) AS rows" };
        append_overdue_filter(head.append_text(union), scope, limit, now)
            .filter_branches("branch", scope.branches())
    });
    let rows = source.fetch_all(QueryWeight::Search, found.append_text(") AS every")).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}
