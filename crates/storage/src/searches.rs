//! The searches for members and benefits.
//!
//! A search is led by one criterion, its driver: the most selective of those given that has an index, or the order of the
//! rows itself. All others are looked at row by row, and written so that neither engine takes one of them for a better
//! driver: `l.branch + 0`, `l.state || ''`. What has no criterion but branch and situation needs no driver: the tally
//! says where its pages begin (`tally.rs`).

mod found;
mod shapes;
mod slots;
mod validated;
mod words;

pub use found::{Found, FoundBenefit, FoundPerson, OfBenefit};
pub use validated::validated;

use crate::tally::Stretch;
use crate::{Error, Source, Statement, Tx, Value, Weight, names, sql};
use domain::{BenefitCode, BenefitCriteria, BenefitKey, MemberCriteria, Scope, SituationCode};
use words::Words;

/// Rows in a page.
pub const PAGE: i64 = 100;
/// A range of days with more rows than this leads nobody: their order costs more than stepping over others.
const FEW: i64 = 5_000;

/// What leads a search of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Driver {
    Person,
    Plate,
    Chassis,
    Document,
    Words,
    Birth,
    Company,
    Consultant,
    Representative,
    Plan,
    State,
    Changed,
    Registered,
    /// No criterion: the order of the rows.
    Order,
}

impl Driver {
    /// Whether it leads to so few rows that they are read at once.
    pub fn is_point(self) -> bool {
        matches!(self, Driver::Person | Driver::Plate | Driver::Chassis | Driver::Document)
    }

    fn is_range(self) -> bool {
        matches!(self, Driver::Changed | Driver::Registered)
    }
}

/// A search that knows what leads it.
pub struct Led<'s> {
    scope: &'s Scope,
    criteria: &'s MemberCriteria,
    driver: Driver,
    /// What the words of a name come to, where they lead.
    words: Option<Words>,
}

impl<'s> Led<'s> {
    /// `None` where only branch and situation are asked for.
    #[boxed::future]
    pub async fn find(
        tx: &mut Tx,
        scope: &'s Scope,
        criteria: &'s MemberCriteria,
    ) -> Result<Option<Led<'s>>, Error> {
        let Some(driver) = driver(tx, scope, criteria).await? else { return Ok(None) };
        let words = match driver {
            Driver::Words => Some(Words::look_up(tx, scope, criteria).await?),
            _ => None,
        };
        Ok(Some(Led { scope, criteria, driver, words }))
    }

    /// The slots of a page: those behind `after`, but for the first `skip`.
    #[boxed::future]
    pub async fn slots(&self, tx: &mut Tx, after: i32, skip: i64) -> Result<Vec<i32>, Error> {
        slots::slots(tx, self, after, skip).await
    }

    /// How many rows there are.
    #[boxed::future]
    pub async fn count(&self, tx: &mut Tx) -> Result<i64, Error> {
        let statement = match &self.words {
            Some(Words::These(slots)) => return Ok(slots.len() as i64),
            Some(Words::Like(query)) => words::counted(self.scope, self.criteria, query),
            None => return count(tx, self.scope, self.criteria, self.driver).await,
        };
        only(tx.all(statement).await?, "rows")
    }
}

async fn driver(from: &mut Tx, scope: &Scope, criteria: &MemberCriteria) -> Result<Option<Driver>, Error> {
    // No row can be asked for its words, so they lead whatever else was given.
    let words = (!criteria.words.is_empty()).then_some(Driver::Words);
    if let Some(sure) = words.or_else(|| sure_driver(criteria)) {
        return Ok(Some(sure));
    }
    let ranges = [
        (Driver::Changed, criteria.changed_from.is_some()),
        (Driver::Registered, criteria.registered_from.is_some() || criteria.registered_to.is_some()),
    ];
    let mut given = ranges.into_iter().filter(|(_, given)| *given).map(|(driver, _)| driver).peekable();
    if given.peek().is_none() {
        return Ok(criteria.state.is_some().then_some(Driver::State));
    }
    for driver in given {
        let some = drive(sql("SELECT COUNT(*) AS rows FROM (SELECT 1 AS one"), driver, scope, criteria)
            .then("LIMIT ?) AS few", [FEW + 1]);
        let rows: i64 = only(from.all(some).await?, "rows")?;
        if rows <= FEW {
            return Ok(Some(driver));
        }
    }
    Ok(Some(if criteria.state.is_some() { Driver::State } else { Driver::Order }))
}

/// What leads this search, where the criteria alone say so.
pub fn sure_driver(criteria: &MemberCriteria) -> Option<Driver> {
    let candidates = [
        (Driver::Person, criteria.person.is_some()),
        (Driver::Plate, criteria.plate_key.is_some()),
        (Driver::Chassis, criteria.chassis.is_some()),
        (Driver::Document, !criteria.documents.is_empty()),
        (Driver::Words, !criteria.words.is_empty()),
        (Driver::Birth, criteria.born_on.is_some()),
        (Driver::Company, criteria.company_document.is_some()),
        (Driver::Consultant, criteria.consultant.is_some()),
        (Driver::Representative, criteria.representative.is_some()),
        (Driver::Plan, criteria.plan.is_some()),
    ];
    candidates.into_iter().find(|(_, given)| *given).map(|(driver, _)| driver)
}

/// The rows of a search that a key leads, at most a page of them, behind the first `skip`, whatever their people are called.
#[boxed::future]
pub async fn few(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: Driver,
    skip: i64,
) -> Result<Vec<Found>, Error> {
    let statement = few_statement(scope, criteria, driver, skip);
    found::read(from.all(Weight::Point, statement).await?)
}

/// What [`few`] asks the database; by itself for those who measure what asking costs.
pub fn few_statement(scope: &Scope, criteria: &MemberCriteria, driver: Driver, skip: i64) -> Statement {
    let made = |head| {
        check(drive(head, driver, scope, criteria), driver, scope, criteria)
            .then("ORDER BY l.slot LIMIT ? OFFSET ?", [PAGE, skip])
    };
    shapes::made_once(shapes::Shape::of(scope, criteria, driver), made)
}

/// How many rows a search has.
#[boxed::future]
pub async fn count(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: Driver,
) -> Result<i64, Error> {
    let head = sql("SELECT COUNT(*) AS rows");
    let statement = check(drive(head, driver, scope, criteria), driver, scope, criteria);
    only(from.all(Weight::Search, statement).await?, "rows")
}

/// The slots of a page that the tally found, of these situations and the branches of the scope; `None` is everything.
#[boxed::future]
pub async fn stretch_slots(
    tx: &mut Tx,
    scope: &Scope,
    situations: Option<&[SituationCode]>,
    stretch: Stretch,
) -> Result<Vec<i32>, Error> {
    let stretched = sql("SELECT slot FROM listing WHERE tenant = $1 AND slot >= $2 AND slot <= $3")
        .arg(scope.tenant())
        .arg(stretch.first)
        .arg(stretch.last);
    let limits = [PAGE, stretch.skip];
    let statement = match situations {
        None => stretched.then("ORDER BY slot LIMIT ? OFFSET ?", limits),
        // Disguised, or the whole stretch would be walked for the few rows of some branches.
        Some(some) => stretched
            .scoped("branch", scope.branches())
            .within("situation", some.iter().copied())
            .then("ORDER BY slot + 0 LIMIT ? OFFSET ?", limits),
    };
    let rows = tx.all(statement).await?;
    rows.iter().map(|row| row.get("slot")).collect()
}

/// The benefits of these slots, in their order.
#[boxed::future]
pub async fn benefits_of(
    tx: &mut Tx,
    tenant: domain::TenantId,
    slots: &[i32],
) -> Result<Vec<BenefitCode>, Error> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT benefit FROM listing WHERE tenant = $1")
        .arg(tenant)
        .within("slot", slots.iter().copied())
        .ending("AND benefit IS NOT NULL ORDER BY slot");
    let rows = tx.all(statement).await?;
    rows.iter().map(|row| row.get("benefit")).collect()
}

/// The rows of these slots, in their order.
#[boxed::future]
pub async fn at(tx: &mut Tx, scope: &Scope, slots: &[i32]) -> Result<Vec<Found>, Error> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let statement = found::members(|head| {
        head.ending("WHERE l.tenant = $1").arg(scope.tenant()).within("l.slot", slots.iter().copied())
    });
    found::read(tx.all(statement.ending("ORDER BY l.slot")).await?)
}

/// The text of the driver, with its value. The first value is always the tenant.
fn drive(head: Statement, driver: Driver, scope: &Scope, criteria: &MemberCriteria) -> Statement {
    // The rows of people and benefits hang on `l`, so a head that has it already is not given it again.
    let has_rows = head.text().contains("listing l");
    let from = if has_rows { "" } else { "FROM listing l" };
    let by = |column: &str, value: Value| {
        let head = head.clone().ending(from).ending("WHERE l.tenant = $1").arg(scope.tenant());
        head.then(&format!("AND l.{column} = ?"), [value])
    };
    let range = |column: &str, first: Option<String>, last: Option<String>| {
        let head = head.clone().ending(from).ending("WHERE l.tenant = $1").arg(scope.tenant());
        head.when(&format!("AND l.{column} >= ?"), first).when(&format!("AND l.{column} <= ?"), last)
    };
    let iso = |day: Option<domain::Date>| day.map(domain::Date::to_iso);
    match driver {
        Driver::Person => by("person", criteria.person.into()),
        Driver::Plate => by("plate_key", criteria.plate_key.as_deref().into()),
        Driver::Chassis => by("chassis", criteria.chassis.as_deref().into()),
        Driver::Document => by("document", criteria.documents.first().map(String::as_str).into()),
        Driver::Birth => by("born_on", iso(criteria.born_on).into()),
        Driver::Company => by("company_document", criteria.company_document.as_deref().into()),
        Driver::Consultant => by("consultant", criteria.consultant.into()),
        Driver::Representative => by("representative", criteria.representative.into()),
        Driver::State => by("state", criteria.state.as_deref().into()),
        Driver::Changed => range("updated_on", iso(criteria.changed_from), None),
        Driver::Registered => {
            range("registered_on", iso(criteria.registered_from), iso(criteria.registered_to))
        }
        Driver::Plan => {
            let rows = match has_checks(driver, scope, criteria) {
                true => "CROSS JOIN listing l WHERE l.tenant = i.tenant AND l.slot = i.slot AND",
                false => "WHERE",
            };
            head.ending("FROM items i")
                .ending(rows)
                .ending("i.tenant = $1")
                .arg(scope.tenant())
                .then("AND i.plan = ? AND i.active", [criteria.plan])
        }
        Driver::Order => head.ending(from).ending("WHERE l.tenant = $1").arg(scope.tenant()),
        // By what was typed, for whoever did not look it up.
        Driver::Words => words::drive(head, scope, criteria, &names::query(scope, &criteria.words)),
    }
}

/// Whether anything is asked for but what drives.
fn has_checks(driver: Driver, scope: &Scope, criteria: &MemberCriteria) -> bool {
    let bare = || Statement::empty();
    check(bare(), driver, scope, criteria) != bare()
}

/// Appends everything that is asked for but what drives, each so that no index serves it.
fn check(statement: Statement, driver: Driver, scope: &Scope, criteria: &MemberCriteria) -> Statement {
    let unless = |own: Driver| driver != own;
    let iso = |day: Option<domain::Date>| day.map(domain::Date::to_iso);
    let mut statement = statement;
    let documents = criteria.documents.iter().skip(usize::from(driver == Driver::Document));
    for document in documents {
        statement = statement.then("AND l.document || '' = ?", [document.as_str()]);
    }
    // The words of a caller with some branches are led by them already.
    if driver != Driver::Words {
        statement = statement.scoped("l.branch + 0", scope.branches());
    }
    statement
        .when("AND l.person + 0 = ?", criteria.person.filter(|_| unless(Driver::Person)))
        .when("AND l.plate_key || '' = ?", criteria.plate_key.as_deref().filter(|_| unless(Driver::Plate)))
        .when("AND l.chassis || '' = ?", criteria.chassis.as_deref().filter(|_| unless(Driver::Chassis)))
        .when("AND l.situation + 0 = ?", criteria.situation)
        .when("AND l.born_on || '' = ?", iso(criteria.born_on).filter(|_| unless(Driver::Birth)))
        .when(
            "AND l.company_document || '' = ?",
            criteria.company_document.as_deref().filter(|_| unless(Driver::Company)),
        )
        .when("AND l.consultant + 0 = ?", criteria.consultant.filter(|_| unless(Driver::Consultant)))
        .when(
            "AND l.representative + 0 = ?",
            criteria.representative.filter(|_| unless(Driver::Representative)),
        )
        .when("AND l.state || '' = ?", criteria.state.as_deref().filter(|_| unless(Driver::State)))
        .when("AND l.updated_on || '' >= ?", iso(criteria.changed_from).filter(|_| unless(Driver::Changed)))
        .when(
            "AND l.registered_on || '' >= ?",
            iso(criteria.registered_from).filter(|_| unless(Driver::Registered)),
        )
        .when(
            "AND l.registered_on || '' <= ?",
            iso(criteria.registered_to).filter(|_| unless(Driver::Registered)),
        )
        .when(
            "AND EXISTS (SELECT 1 FROM items j WHERE j.tenant = l.tenant AND j.benefit = l.benefit
                 AND j.plan + 0 = ? AND j.active)",
            criteria.plan.filter(|_| unless(Driver::Plan)),
        )
}

/// The benefits that a search finds, by code.
#[boxed::future]
pub async fn benefits(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    criteria: &BenefitCriteria,
) -> Result<Vec<FoundBenefit>, Error> {
    let Some((key, others)) = criteria.keys.split_first() else { return Ok(Vec::new()) };
    let by_listing = matches!(key, BenefitKey::Plate(_) | BenefitKey::Chassis(_));
    let head = found::benefits(by_listing).ending("WHERE b.tenant = $1").arg(scope.tenant());
    let head = if by_listing { head.ending("AND l.tenant = $1 AND l.benefit = b.code") } else { head };
    let mut statement = match key {
        BenefitKey::Plate(plate) => head.then("AND l.plate_key = ?", [plate.as_str()]),
        BenefitKey::Chassis(chassis) => head.then("AND l.chassis = ?", [chassis.as_str()]),
        BenefitKey::Sequence(number) => head.then("AND b.sequence = ?", [*number]),
        BenefitKey::Card(card) => head.then("AND b.card = ?", [card.as_str()]),
        BenefitKey::Code(code) => head.then("AND b.code = ?", [*code]),
    };
    let row = "SELECT 1 FROM listing k WHERE k.tenant = b.tenant AND k.slot = b.slot AND";
    for other in others {
        statement = match other {
            BenefitKey::Plate(plate) => {
                statement.then(&format!("AND EXISTS ({row} k.plate_key || '' = ?)"), [plate.as_str()])
            }
            BenefitKey::Chassis(chassis) => statement.then("AND b.chassis || '' = ?", [chassis.as_str()]),
            BenefitKey::Sequence(number) => statement.then("AND b.sequence + 0 = ?", [*number]),
            BenefitKey::Card(card) => statement.then("AND b.card || '' = ?", [card.as_str()]),
            BenefitKey::Code(code) => statement.then("AND b.code + 0 = ?", [*code]),
        };
    }
    for document in &criteria.documents {
        statement = statement.then("AND p.document || '' = ?", [document.as_str()]);
    }
    let statement = statement
        .scoped("b.branch + 0", scope.branches())
        .when("AND b.situation + 0 = ?", criteria.situation)
        .when(
            "AND EXISTS (SELECT 1 FROM items j WHERE j.tenant = b.tenant AND j.benefit = b.code
                 AND j.plan + 0 = ? AND j.active)",
            criteria.plan,
        )
        .ending("ORDER BY b.code");
    found::read_benefits(from.all(Weight::Point, statement).await?)
}

/// The benefits of these codes, in their order.
#[boxed::future]
pub async fn benefits_at(
    tx: &mut Tx,
    scope: &Scope,
    codes: &[BenefitCode],
) -> Result<Vec<FoundBenefit>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = found::benefits(false)
        .ending("WHERE b.tenant = $1")
        .arg(scope.tenant())
        .within("b.code", codes.iter().copied())
        .ending("ORDER BY b.code");
    found::read_benefits(tx.all(statement).await?)
}

fn only(rows: Vec<crate::Row>, column: &'static str) -> Result<i64, Error> {
    rows.first().ok_or_else(|| Error::Broken("a count gave nothing".to_owned()))?.get(column)
}
