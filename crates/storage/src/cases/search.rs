//! The search for cases, newest opening first, and what is past its time. Like the search for members it is led by one
//! criterion, and the others are looked at row by row (`searches.rs`). Situations and branches have orders of their own: the
//! first rows of each are put together, so that whoever sees little never waits while everybody else's are stepped over.

use super::kept;
use crate::{Error, Source, Statement, Value, Weight, sql};
use domain::{
    BenefitCode, BranchCode, Branches, CaseKind, Moment, PersonCode, Priority, Scope, SituationCode, UserCode,
};

/// What somebody asks of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria {
    pub protocol: Option<i32>,
    /// Of any of these; `None` is of anybody.
    pub people: Option<Vec<PersonCode>>,
    pub benefits: Option<Vec<BenefitCode>>,
    pub responsible: Option<UserCode>,
    /// The type of a claim, inspection or ticket, the specialty of an appointment.
    pub kind: Option<i32>,
    pub priority: Option<Priority>,
    /// In any of these, and how long in each.
    pub situations: Option<Vec<(SituationCode, Since)>>,
    pub opened_from: Option<Moment>,
    pub opened_before: Option<Moment>,
}

/// Since when something is in its situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    Ever,
    Before(Moment),
    NotBefore(Moment),
}

/// What leads a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Protocol,
    People,
    Benefits,
    Responsible,
    Situations,
    Kind,
    /// The order itself.
    Order,
}

/// Which part of what a search finds.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub skip: i64,
    pub limit: i64,
}

/// Orders that one statement puts together.
pub(super) const APART: usize = 64;

/// What leads this search.
pub fn driver(criteria: &Criteria) -> Driver {
    let candidates = [
        (Driver::Protocol, criteria.protocol.is_some()),
        (Driver::Benefits, criteria.benefits.is_some()),
        (Driver::People, criteria.people.is_some()),
        (Driver::Responsible, criteria.responsible.is_some()),
        (Driver::Situations, criteria.situations.is_some()),
        (Driver::Kind, criteria.kind.is_some()),
    ];
    candidates.into_iter().find(|(_, given)| *given).map_or(Driver::Order, |(driver, _)| driver)
}

/// A column, so that no index serves it where another criterion leads.
fn column(name: &str, leads: bool) -> String {
    if leads { name.to_owned() } else { format!("{name} + 0") }
}

/// Everything that is asked for but situation and branch.
fn asked(head: Statement, kind: CaseKind, scope: &Scope, criteria: &Criteria, driver: Driver) -> Statement {
    let kept = kept(kind);
    let leads = |own: Driver| driver == own;
    let mut led = head.ending("FROM").ending(kept.table).then("WHERE tenant = ?", [scope.tenant()]);
    if let Some(people) = &criteria.people {
        led = led.within(&column("person", leads(Driver::People)), people.iter().copied());
    }
    if let Some(benefits) = &criteria.benefits {
        led = led.within(&column("benefit", leads(Driver::Benefits)), benefits.iter().copied());
    }
    let equals = |name: &str, own: Driver| format!("AND {} = ?", column(name, leads(own)));
    led.when(&equals("protocol", Driver::Protocol), criteria.protocol)
        .when(&equals("responsible", Driver::Responsible), criteria.responsible)
        .when(&equals(kept.typed_by, Driver::Kind), criteria.kind)
        .when("AND priority + 0 = ?", criteria.priority)
        .when("AND opened_at >= ?", criteria.opened_from)
        .when("AND opened_at < ?", criteria.opened_before)
}

fn since(statement: Statement, since: Since) -> Statement {
    match since {
        Since::Ever => statement,
        Since::Before(moment) => statement.then("AND situation_since + 0 < ?", [moment]),
        Since::NotBefore(moment) => statement.then("AND situation_since + 0 >= ?", [moment]),
    }
}

/// Where situations do not lead.
fn in_situations(statement: Statement, situations: &[(SituationCode, Since)], leads: bool) -> Statement {
    let name = column("situation", leads);
    if situations.iter().all(|(_, since)| *since == Since::Ever) {
        return statement.within(&name, situations.iter().map(|(code, _)| *code));
    }
    let begun = statement.ending("AND (1 = 0");
    let each = |statement: Statement, (code, limit): &(SituationCode, Since)| {
        since(statement.then(&format!("OR {name} = ?"), [*code]), *limit)
    };
    situations.iter().fold(begun, each).ending(")")
}

/// How many cases a search has.
#[boxed::future]
pub async fn count(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    criteria: &Criteria,
) -> Result<i64, Error> {
    let driver = driver(criteria);
    let mut statement = asked(sql("SELECT COUNT(*) AS rows"), kind, scope, criteria, driver);
    if let Some(situations) = &criteria.situations {
        statement = in_situations(statement, situations, driver == Driver::Situations);
    }
    let is_free = matches!(driver, Driver::Situations | Driver::Order);
    let statement = statement.scoped(&column("branch", is_free), scope.branches());
    let rows = from.all(Weight::Search, statement).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}

const ORDER: &str = "ORDER BY opened_at DESC, code DESC";

/// One of the orders that a search goes through: of a situation, of a branch, of both.
type Lane = (Option<(SituationCode, Since)>, Option<BranchCode>);

/// The orders that lead this search, each complete in itself; none where another criterion leads to few.
fn lanes(scope: &Scope, criteria: &Criteria, driver: Driver) -> Vec<Lane> {
    let situations: Vec<Option<(SituationCode, Since)>> = match (driver, &criteria.situations) {
        (Driver::Situations, Some(some)) => some.iter().copied().map(Some).collect(),
        (Driver::Order, _) => vec![None],
        _ => return Vec::new(),
    };
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        Branches::Only(some) if (1..=APART / situations.len().max(1)).contains(&some.len()) => {
            some.iter().copied().map(Some).collect()
        }
        _ => vec![None],
    };
    situations.iter().flat_map(|situation| branches.iter().map(|branch| (*situation, *branch))).collect()
}

/// The cases of a part of a search, in their order.
#[boxed::future]
pub async fn codes(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    criteria: &Criteria,
    place: Place,
) -> Result<Vec<i32>, Error> {
    if criteria.situations.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let driver = driver(criteria);
    let one = |head: Statement| asked(head.ending("SELECT code, opened_at"), kind, scope, criteria, driver);
    let head = sql("SELECT code FROM (");
    let lanes = lanes(scope, criteria, driver);
    let found = if lanes.is_empty() {
        let all = one(head).scoped("branch + 0", scope.branches());
        match &criteria.situations {
            Some(situations) => in_situations(all, situations, false),
            None => all,
        }
    } else {
        lanes.iter().enumerate().fold(head, |head, (number, (situation, branch))| {
            let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
            let mut part = one(head.ending(union));
            if let Some((code, limit)) = situation {
                part = since(part.then("AND situation = ?", [*code]), *limit);
            }
            let part = match branch {
                Some(branch) => part.then("AND branch = ?", [*branch]),
                None => part.scoped("branch + 0", scope.branches()),
            };
            part.ending(ORDER).then("LIMIT ?) AS one", [place.skip + place.limit])
        })
    };
    let ordered =
        found.ending(") AS every").ending(ORDER).then("LIMIT ? OFFSET ?", [place.limit, place.skip]);
    let rows = from.all(Weight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// A situation that may last so long, of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    pub kind: CaseKind,
    pub situation: SituationCode,
    /// In milliseconds.
    pub limit: i64,
}

/// Something past its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overdue {
    pub kind: CaseKind,
    pub code: i32,
    /// When its time was over.
    pub due: Moment,
}

/// What is past its time, longest first.
#[boxed::future]
pub async fn late(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    limits: &[Late],
    now: Moment,
    place: Place,
) -> Result<Vec<Overdue>, Error> {
    if limits.is_empty() {
        return Ok(Vec::new());
    }
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        Branches::All => vec![None],
        Branches::Only(some) if some.is_empty() => return Ok(Vec::new()),
        Branches::Only(some) if some.len() <= APART / limits.len().min(APART) => {
            some.iter().copied().map(Some).collect()
        }
        Branches::Only(_) => vec![None],
    };
    let lanes = limits.iter().flat_map(|limit| branches.iter().map(move |branch| (limit, *branch)));
    let head = sql("SELECT entity, code, due FROM (");
    let found = lanes.enumerate().fold(head, |head, (number, (limit, branch))| {
        let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
        // Told apart by their numbers, which stand in the text, for a parameter has no type of its own there.
        let select = format!(
            "SELECT CAST({} AS BIGINT) AS entity, code, situation_since + {} AS due",
            limit.kind.entity().number(),
            limit.limit
        );
        let part = past(head.ending(union).ending(&select), scope, limit, now);
        let part = match branch {
            Some(branch) => part.then("AND branch = ?", [branch]),
            None => part.scoped("branch + 0", scope.branches()),
        };
        part.ending("ORDER BY situation_since, code").then("LIMIT ?) AS one", [place.skip + place.limit])
    });
    let ordered = found
        .ending(") AS every ORDER BY due, entity, code")
        .then("LIMIT ? OFFSET ?", [place.limit, place.skip]);
    let rows = from.all(Weight::Search, ordered).await?;
    rows.iter()
        .map(|row| {
            let broken = || Error::Broken("something is late that has no time".to_owned());
            let kind = CaseKind::of(row.get("entity")?).ok_or_else(broken)?;
            Ok(Overdue { kind, code: row.get("code")?, due: row.get("due")? })
        })
        .collect()
}

fn past(head: Statement, scope: &Scope, limit: &Late, now: Moment) -> Statement {
    let values: [Value; 3] =
        [scope.tenant().into(), limit.situation.into(), (now.millis() - limit.limit).into()];
    head.ending("FROM")
        .ending(kept(limit.kind).table)
        .then("WHERE tenant = ? AND situation = ? AND situation_since < ?", values)
}

/// How much is past its time.
#[boxed::future]
pub async fn late_count(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    limits: &[Late],
    now: Moment,
) -> Result<i64, Error> {
    if limits.is_empty() {
        return Ok(0);
    }
    let head = sql("SELECT CAST(SUM(rows) AS BIGINT) AS rows FROM (");
    let found = limits.iter().enumerate().fold(head, |head, (number, limit)| {
        let union = if number == 0 { "SELECT COUNT(*) AS rows" } else { "UNION ALL SELECT COUNT(*) AS rows" };
        past(head.ending(union), scope, limit, now).scoped("branch", scope.branches())
    });
    let rows = from.all(Weight::Search, found.ending(") AS every")).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}
