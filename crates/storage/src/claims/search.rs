//! The search for claims, newest opening first. Like the search for members it is led by one criterion, and the others are
//! looked at row by row (`searches.rs`). What is found is given in steps, each behind the place where the last one ended, so
//! that a search of everything never holds more than a step.

use crate::{Error, Row, Source, Statement, Tx, Value, Weight, sql};
use domain::{
    Branches, ClaimCode, ClaimCriteria, ClaimTypeCode, Involved, Moment, PersonCode, Priority, Scope,
    SituationCode,
};

/// What leads a search of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Protocol,
    Person,
    /// The day on which it happened, where few happened within those days.
    Day,
    /// The order itself.
    Order,
}

/// Where a step ends: the next one is of what was opened before it.
pub type Place = (Moment, ClaimCode);

/// A claim as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub code: ClaimCode,
    pub protocol: i32,
    pub branch: domain::BranchCode,
    pub kind: ClaimTypeCode,
    pub situation: SituationCode,
    pub involved: Involved,
    pub priority: Priority,
    pub happened_on: Option<String>,
    pub opened_at: Moment,
    pub person: PersonCode,
    pub name: String,
    pub responsible: Option<String>,
}

/// Days with more claims than this lead nobody: their order costs more than stepping over others.
const FEW: i64 = 5_000;
/// Branches that are asked one by one; whoever has more sees most of the rows anyway.
const APART: usize = 16;

/// What leads this search.
#[boxed::future]
pub async fn driver(tx: &mut Tx, scope: &Scope, criteria: &ClaimCriteria) -> Result<Driver, Error> {
    if criteria.protocol.is_some() {
        return Ok(Driver::Protocol);
    }
    if criteria.person.is_some() {
        return Ok(Driver::Person);
    }
    if criteria.happened_from.is_none() && criteria.happened_to.is_none() {
        return Ok(Driver::Order);
    }
    let head = sql("SELECT COUNT(*) AS rows FROM (SELECT 1 AS one");
    let days = on_days(of_tenant(head, scope), criteria).then("LIMIT ?) AS few", [FEW + 1]);
    let few = tx.all(days).await?.first().map_or(Ok(0), |row| row.get::<i64>("rows"))? <= FEW;
    Ok(if few { Driver::Day } else { Driver::Order })
}

fn of_tenant(head: Statement, scope: &Scope) -> Statement {
    head.then("FROM claims WHERE tenant = ?", [scope.tenant()])
}

fn on_days(head: Statement, criteria: &ClaimCriteria) -> Statement {
    head.when("AND happened_on >= ?", criteria.happened_from.map(domain::Date::to_iso))
        .when("AND happened_on <= ?", criteria.happened_to.map(domain::Date::to_iso))
}

/// The driver with its value, and every other criterion so that it leads nowhere.
fn asked(head: Statement, driver: Driver, scope: &Scope, criteria: &ClaimCriteria) -> Statement {
    let head = of_tenant(head, scope);
    let led = match driver {
        Driver::Protocol => head.when("AND protocol = ?", criteria.protocol),
        Driver::Person => head.when("AND person = ?", criteria.person),
        Driver::Day => on_days(head, criteria),
        Driver::Order => head,
    };
    let day = |day: Option<domain::Date>| day.filter(|_| driver != Driver::Day).map(domain::Date::to_iso);
    led.when("AND protocol + 0 = ?", criteria.protocol.filter(|_| driver != Driver::Protocol))
        .when("AND person + 0 = ?", criteria.person.filter(|_| driver != Driver::Person))
        .when("AND happened_on || '' >= ?", day(criteria.happened_from))
        .when("AND happened_on || '' <= ?", day(criteria.happened_to))
        .when("AND involved + 0 = ?", criteria.involved)
        .when("AND opened_at >= ?", criteria.opened_from)
        .when("AND opened_at < ?", criteria.opened_before)
}

/// How many claims a search has.
#[boxed::future]
pub async fn count(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    criteria: &ClaimCriteria,
    driver: Driver,
) -> Result<i64, Error> {
    let head = sql("SELECT COUNT(*) AS rows");
    let statement = asked(head, driver, scope, criteria).scoped("branch", scope.branches());
    let rows = from.all(Weight::Search, statement).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}

/// Which part of what a search finds.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Only what was opened before this.
    pub behind: Option<Place>,
    pub skip: i64,
    pub limit: i64,
}

const ORDER: &str = "ORDER BY opened_at DESC, code DESC";

/// The claims of a part of a search, in their order.
#[boxed::future]
pub async fn codes(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    criteria: &ClaimCriteria,
    driver: Driver,
    part: Part,
) -> Result<Vec<ClaimCode>, Error> {
    let one = |head: Statement| {
        let led = asked(head.ending("SELECT code, opened_at"), driver, scope, criteria);
        match part.behind {
            Some((at, code)) => led.then("AND (opened_at, code) < (?, ?)", [Value::from(at), code.into()]),
            None => led,
        }
    };
    let head = sql("SELECT code FROM (");
    let found = match scope.branches() {
        // Each branch has an order of its own; the first rows of each are put together.
        Branches::Only(some) if driver == Driver::Order && (1..=APART).contains(&some.len()) => {
            some.iter().enumerate().fold(head, |head, (number, branch)| {
                let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
                one(head.ending(union))
                    .then("AND branch = ?", [*branch])
                    .ending(ORDER)
                    .then("LIMIT ?) AS one", [part.skip + part.limit])
            })
        }
        branches => one(head).scoped("branch + 0", branches),
    };
    let ordered = found.ending(") AS every").ending(ORDER).then("LIMIT ? OFFSET ?", [part.limit, part.skip]);
    let rows = from.all(Weight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// What the list shows of these claims, in the order of the search.
#[boxed::future]
pub async fn at(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    codes: &[ClaimCode],
) -> Result<Vec<Found>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql(
        "SELECT c.code, c.protocol, c.branch, c.kind, c.situation, c.involved, c.priority, c.happened_on,
             c.opened_at, c.person, p.name, u.name AS responsible_name
         FROM claims c JOIN people p ON p.tenant = c.tenant AND p.code = c.person
         LEFT JOIN users u ON u.tenant = c.tenant AND u.code = c.responsible
         WHERE c.tenant = $1",
    )
    .arg(scope.tenant())
    .within("c.code", codes.iter().copied())
    .scoped("c.branch + 0", scope.branches())
    .ending("ORDER BY c.opened_at DESC, c.code DESC");
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter().map(found).collect()
}

fn found(row: &Row) -> Result<Found, Error> {
    Ok(Found {
        code: row.get("code")?,
        protocol: row.get("protocol")?,
        branch: row.get("branch")?,
        kind: row.get("kind")?,
        situation: row.get("situation")?,
        involved: row.get("involved")?,
        priority: row.get("priority")?,
        happened_on: row.get("happened_on")?,
        opened_at: row.get("opened_at")?,
        person: row.get("person")?,
        name: row.get("name")?,
        responsible: row.get("responsible_name")?,
    })
}
