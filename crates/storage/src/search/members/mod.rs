//! The searches for members and benefits.
//!
//! A search is driven by one criterion: the most selective one with an index, or the order of the rows. All others
//! are checked row by row, in a form that no index serves: `l.branch + 0`, `l.chassis || ''`. A search only by branch
//! and situation needs no driver: the tally locates its pages (`search/tally.rs`).

mod found_rows;
mod name_words;
mod shapes;
mod slots;
mod validation;

pub use found_rows::{FoundBenefit, FoundMemberBenefit, FoundMemberRow, FoundPerson};
pub use validation::find_validated_benefit;

use super::tally::PageRange;
use crate::name_index;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, sql};
use domain::{
    BenefitCode, BenefitCriteria, BenefitKey, Date, MemberCriteria, PAGE_SIZE, Scope, SituationCode,
};
use name_words::NameWordMatches;

/// A date range with more rows than this does not drive a search: sorting it costs more than skipping other rows.
const FEW: i64 = 5_000;

/// The criterion that drives a member search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeadingMemberCriterion {
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

impl LeadingMemberCriterion {
    /// Whether it selects so few rows that they are read at once.
    pub fn is_point(self) -> bool {
        matches!(
            self,
            LeadingMemberCriterion::Person
                | LeadingMemberCriterion::Plate
                | LeadingMemberCriterion::Chassis
                | LeadingMemberCriterion::Document
        )
    }

    fn is_range(self) -> bool {
        matches!(self, LeadingMemberCriterion::Changed | LeadingMemberCriterion::Registered)
    }
}

/// A search with its driving criterion.
pub struct MemberSearch<'s> {
    scope: &'s Scope,
    criteria: &'s MemberCriteria,
    driver: LeadingMemberCriterion,
    /// The matches of the name words, if they drive the search.
    words: Option<NameWordMatches>,
}

impl<'s> MemberSearch<'s> {
    /// `None` if the search is only by branch and situation.
    #[boxed::future]
    pub async fn prepare(
        tx: &mut Tx,
        scope: &'s Scope,
        criteria: &'s MemberCriteria,
    ) -> Result<Option<MemberSearch<'s>>, Error> {
        let Some(driver) = choose_leading_criterion(tx, scope, criteria).await? else { return Ok(None) };
        let words = match driver {
            LeadingMemberCriterion::Words => Some(NameWordMatches::look_up(tx, scope, criteria).await?),
            _ => None,
        };
        Ok(Some(MemberSearch { scope, criteria, driver, words }))
    }

    /// The slots of a page: those after `after`, without the first `skip`.
    #[boxed::future]
    pub async fn list_slots(&self, tx: &mut Tx, after: i32, skip: i64) -> Result<Vec<i32>, Error> {
        slots::list_page_slots(tx, self, after, skip).await
    }

    #[boxed::future]
    pub async fn count_rows(&self, tx: &mut Tx) -> Result<i64, Error> {
        let statement = match &self.words {
            Some(NameWordMatches::Slots(slots)) => return Ok(slots.len() as i64),
            Some(NameWordMatches::IndexQuery(query)) => {
                name_words::build_word_count(self.scope, self.criteria, query)
            }
            None => return count_search_rows(tx, self.scope, self.criteria, self.driver).await,
        };
        parse_count(tx.fetch_all(statement).await?, "rows")
    }
}

async fn choose_leading_criterion(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &MemberCriteria,
) -> Result<Option<LeadingMemberCriterion>, Error> {
    // Words can only be looked up in the index, so they drive the search regardless of other criteria.
    let words = (!criteria.words.is_empty()).then_some(LeadingMemberCriterion::Words);
    if let Some(certain) = words.or_else(|| find_certain_criterion(criteria)) {
        return Ok(Some(certain));
    }
    let ranges = [
        (LeadingMemberCriterion::Changed, criteria.changed_from.is_some()),
        (
            LeadingMemberCriterion::Registered,
            criteria.registered_from.is_some() || criteria.registered_to.is_some(),
        ),
    ];
    let mut drivers =
        ranges.into_iter().filter(|(_, is_given)| *is_given).map(|(driver, _)| driver).peekable();
    if drivers.peek().is_none() {
        return Ok(criteria.state.is_some().then_some(LeadingMemberCriterion::State));
    }
    for driver in drivers {
        let count_query = filter_by_leading_criterion(
            sql("SELECT COUNT(*) AS rows FROM (SELECT 1 AS one"),
            driver,
            scope,
            criteria,
        )
        .append("LIMIT ?) AS few", [FEW + 1]);
        let rows: i64 = parse_count(tx.fetch_all(count_query).await?, "rows")?;
        if rows <= FEW {
            return Ok(Some(driver));
        }
    }
    Ok(Some(if criteria.state.is_some() {
        LeadingMemberCriterion::State
    } else {
        LeadingMemberCriterion::Order
    }))
}

/// The driving criterion, if the criteria alone determine it.
pub fn find_certain_criterion(criteria: &MemberCriteria) -> Option<LeadingMemberCriterion> {
    let candidates = [
        (LeadingMemberCriterion::Person, criteria.person.is_some()),
        (LeadingMemberCriterion::Plate, criteria.plate_key.is_some()),
        (LeadingMemberCriterion::Chassis, criteria.chassis.is_some()),
        (LeadingMemberCriterion::Document, !criteria.documents.is_empty()),
        (LeadingMemberCriterion::Words, !criteria.words.is_empty()),
        (LeadingMemberCriterion::Birth, criteria.born_on.is_some()),
        (LeadingMemberCriterion::Company, criteria.company_document.is_some()),
        (LeadingMemberCriterion::Consultant, criteria.consultant.is_some()),
        (LeadingMemberCriterion::Representative, criteria.representative.is_some()),
        (LeadingMemberCriterion::Plan, criteria.plan.is_some()),
    ];
    candidates.into_iter().find(|(_, is_given)| *is_given).map(|(driver, _)| driver)
}

/// A page of the rows of a search driven by a key, after the first `skip`. Name words are not checked.
#[boxed::future]
pub async fn list_rows_by_key(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: LeadingMemberCriterion,
    skip: i64,
) -> Result<Vec<FoundMemberRow>, Error> {
    let statement = build_key_search(scope, criteria, driver, skip);
    found_rows::parse_found_members(source.fetch_all(QueryWeight::Point, statement).await?)
}

/// The query of [`list_rows_by_key`]; public for benchmarks.
pub fn build_key_search(
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: LeadingMemberCriterion,
    skip: i64,
) -> Statement {
    let append_conditions = |head| {
        append_other_criteria(
            filter_by_leading_criterion(head, driver, scope, criteria),
            driver,
            scope,
            criteria,
        )
        .append("ORDER BY l.slot LIMIT ? OFFSET ?", [PAGE_SIZE, skip])
    };
    shapes::build_cached_statement(
        shapes::SearchShape::from_criteria(scope, criteria, driver),
        append_conditions,
    )
}

#[boxed::future]
pub async fn count_search_rows(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: LeadingMemberCriterion,
) -> Result<i64, Error> {
    let head = sql("SELECT COUNT(*) AS rows");
    let statement = append_other_criteria(
        filter_by_leading_criterion(head, driver, scope, criteria),
        driver,
        scope,
        criteria,
    );
    parse_count(source.fetch_all(QueryWeight::Search, statement).await?, "rows")
}

/// The slots of a page located by the tally, in these situations and the branches of the scope; `None` is no filter.
#[boxed::future]
pub async fn list_slots_in_range(
    tx: &mut Tx,
    scope: &Scope,
    situations: Option<&[SituationCode]>,
    range: PageRange,
) -> Result<Vec<i32>, Error> {
    let in_range = sql("SELECT slot FROM listing WHERE tenant = $1 AND slot >= $2 AND slot <= $3")
        .arg(scope.tenant())
        .arg(range.first)
        .arg(range.last);
    let limits = [PAGE_SIZE, range.skip];
    let statement = match situations {
        None => in_range.append("ORDER BY slot LIMIT ? OFFSET ?", limits),
        // Disguised, so that the engines do not scan the entire range for the few rows of some branches.
        Some(requested) => in_range
            .filter_branches("branch", scope.branches())
            .filter_in("situation", requested.iter().copied())
            .append("ORDER BY slot + 0 LIMIT ? OFFSET ?", limits),
    };
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| row.get("slot")).collect()
}

/// The benefits of these slots, in order.
#[boxed::future]
pub async fn list_benefits_of_slots(
    tx: &mut Tx,
    tenant: domain::TenantId,
    slots: &[i32],
) -> Result<Vec<BenefitCode>, Error> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT benefit FROM listing WHERE tenant = $1")
        .arg(tenant)
        .filter_in("slot", slots.iter().copied())
        .append_text("AND benefit IS NOT NULL ORDER BY slot");
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| row.get("benefit")).collect()
}

/// The rows of these slots, in order.
#[boxed::future]
pub async fn list_rows_of_slots(
    tx: &mut Tx,
    scope: &Scope,
    slots: &[i32],
) -> Result<Vec<FoundMemberRow>, Error> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let statement = found_rows::build_member_search(|head| {
        head.append_text("WHERE l.tenant = $1").arg(scope.tenant()).filter_in("l.slot", slots.iter().copied())
    });
    found_rows::parse_found_members(tx.fetch_all(statement.append_text("ORDER BY l.slot")).await?)
}

/// Appends the driving criterion with its value. The first value is always the tenant.
fn filter_by_leading_criterion(
    head: Statement,
    driver: LeadingMemberCriterion,
    scope: &Scope,
    criteria: &MemberCriteria,
) -> Statement {
    // A statement that already has the search rows (`l`) does not get them again.
    let has_rows = head.text().contains("listing l");
    let from_clause = if has_rows { "" } else { "FROM listing l" };
    let equal = |column: &str, value: SqlScalar| {
        let head =
            head.clone().append_text(from_clause).append_text("WHERE l.tenant = $1").arg(scope.tenant());
        head.append(&format!("AND l.{column} = ?"), [value])
    };
    let range = |column: &str, first: Option<Date>, last: Option<Date>| {
        let head =
            head.clone().append_text(from_clause).append_text("WHERE l.tenant = $1").arg(scope.tenant());
        head.append_if_some(&format!("AND l.{column} >= ?"), first)
            .append_if_some(&format!("AND l.{column} <= ?"), last)
    };
    match driver {
        LeadingMemberCriterion::Person => equal("person", criteria.person.into()),
        LeadingMemberCriterion::Plate => equal("plate_key", criteria.plate_key.as_deref().into()),
        LeadingMemberCriterion::Chassis => equal("chassis", criteria.chassis.as_deref().into()),
        LeadingMemberCriterion::Document => {
            equal("document", criteria.documents.first().map(String::as_str).into())
        }
        LeadingMemberCriterion::Birth => equal("born_on", criteria.born_on.into()),
        LeadingMemberCriterion::Company => {
            equal("company_document", criteria.company_document.as_deref().into())
        }
        LeadingMemberCriterion::Consultant => equal("consultant", criteria.consultant.into()),
        LeadingMemberCriterion::Representative => equal("representative", criteria.representative.into()),
        LeadingMemberCriterion::State => equal("state", criteria.state.as_deref().into()),
        LeadingMemberCriterion::Changed => range("updated_on", criteria.changed_from, None),
        LeadingMemberCriterion::Registered => {
            range("registered_on", criteria.registered_from, criteria.registered_to)
        }
        LeadingMemberCriterion::Plan => {
            let rows = match has_other_criteria(driver, scope, criteria) {
                true => "CROSS JOIN listing l WHERE l.tenant = i.tenant AND l.slot = i.slot AND",
                false => "WHERE",
            };
            head.append_text("FROM items i")
                .append_text(rows)
                .append_text("i.tenant = $1")
                .arg(scope.tenant())
                .append("AND i.plan = ? AND i.active", [criteria.plan])
        }
        LeadingMemberCriterion::Order => {
            head.append_text(from_clause).append_text("WHERE l.tenant = $1").arg(scope.tenant())
        }
        // By the words as typed, for callers that did not look them up.
        LeadingMemberCriterion::Words => name_words::filter_by_words(
            head,
            scope,
            criteria,
            &name_index::build_prefix_query(scope, &criteria.words),
        ),
    }
}

/// Whether there are criteria besides the driving one.
fn has_other_criteria(driver: LeadingMemberCriterion, scope: &Scope, criteria: &MemberCriteria) -> bool {
    let empty = || Statement::empty();
    append_other_criteria(empty(), driver, scope, criteria) != empty()
}

/// Appends every criterion except the driving one, in a form that no index serves.
fn append_other_criteria(
    statement: Statement,
    driver: LeadingMemberCriterion,
    scope: &Scope,
    criteria: &MemberCriteria,
) -> Statement {
    let is_not_driver = |criterion: LeadingMemberCriterion| driver != criterion;
    let mut statement = statement;
    let documents = criteria.documents.iter().skip(usize::from(driver == LeadingMemberCriterion::Document));
    for document in documents {
        statement = statement.append("AND l.document || '' = ?", [document.as_str()]);
    }
    // Name words are already restricted to the caller's branches.
    if driver != LeadingMemberCriterion::Words {
        statement = statement.filter_branches("l.branch + 0", scope.branches());
    }
    statement
        .append_if_some(
            "AND l.person + 0 = ?",
            criteria.person.filter(|_| is_not_driver(LeadingMemberCriterion::Person)),
        )
        .append_if_some(
            "AND l.plate_key || '' = ?",
            criteria.plate_key.as_deref().filter(|_| is_not_driver(LeadingMemberCriterion::Plate)),
        )
        .append_if_some(
            "AND l.chassis || '' = ?",
            criteria.chassis.as_deref().filter(|_| is_not_driver(LeadingMemberCriterion::Chassis)),
        )
        .append_if_some("AND l.situation + 0 = ?", criteria.situation)
        .append_if_some(
            "AND l.born_on || '' = ?",
            criteria.born_on.filter(|_| is_not_driver(LeadingMemberCriterion::Birth)),
        )
        .append_if_some(
            "AND l.company_document || '' = ?",
            criteria.company_document.as_deref().filter(|_| is_not_driver(LeadingMemberCriterion::Company)),
        )
        .append_if_some(
            "AND l.consultant + 0 = ?",
            criteria.consultant.filter(|_| is_not_driver(LeadingMemberCriterion::Consultant)),
        )
        .append_if_some(
            "AND l.representative + 0 = ?",
            criteria.representative.filter(|_| is_not_driver(LeadingMemberCriterion::Representative)),
        )
        .append_if_some(
            "AND l.state || '' = ?",
            criteria.state.as_deref().filter(|_| is_not_driver(LeadingMemberCriterion::State)),
        )
        .append_if_some(
            "AND l.updated_on || '' >= ?",
            criteria.changed_from.filter(|_| is_not_driver(LeadingMemberCriterion::Changed)),
        )
        .append_if_some(
            "AND l.registered_on || '' >= ?",
            criteria.registered_from.filter(|_| is_not_driver(LeadingMemberCriterion::Registered)),
        )
        .append_if_some(
            "AND l.registered_on || '' <= ?",
            criteria.registered_to.filter(|_| is_not_driver(LeadingMemberCriterion::Registered)),
        )
        .append_if_some(
            "AND EXISTS (SELECT 1 FROM items j WHERE j.tenant = l.tenant AND j.benefit = l.benefit
                 AND j.plan + 0 = ? AND j.active)",
            criteria.plan.filter(|_| is_not_driver(LeadingMemberCriterion::Plan)),
        )
}

/// The benefits that match the criteria, ordered by code.
#[boxed::future]
pub async fn list_benefits_by_criteria(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &BenefitCriteria,
) -> Result<Vec<FoundBenefit>, Error> {
    let Some((key, others)) = criteria.keys.split_first() else { return Ok(Vec::new()) };
    let by_listing = matches!(key, BenefitKey::Plate(_) | BenefitKey::Chassis(_));
    let head =
        found_rows::build_benefit_search(by_listing).append_text("WHERE b.tenant = $1").arg(scope.tenant());
    let head = if by_listing { head.append_text("AND l.tenant = $1 AND l.benefit = b.code") } else { head };
    let mut statement = match key {
        BenefitKey::Plate(plate) => head.append("AND l.plate_key = ?", [plate.as_str()]),
        BenefitKey::Chassis(chassis) => head.append("AND l.chassis = ?", [chassis.as_str()]),
        BenefitKey::Sequence(number) => head.append("AND b.sequence = ?", [*number]),
        BenefitKey::Card(card) => head.append("AND b.card = ?", [card.as_str()]),
        BenefitKey::Code(code) => head.append("AND b.code = ?", [*code]),
    };
    let row = "SELECT 1 FROM listing k WHERE k.tenant = b.tenant AND k.slot = b.slot AND";
    for other in others {
        statement = match other {
            BenefitKey::Plate(plate) => {
                statement.append(&format!("AND EXISTS ({row} k.plate_key || '' = ?)"), [plate.as_str()])
            }
            BenefitKey::Chassis(chassis) => statement.append("AND b.chassis || '' = ?", [chassis.as_str()]),
            BenefitKey::Sequence(number) => statement.append("AND b.sequence + 0 = ?", [*number]),
            BenefitKey::Card(card) => statement.append("AND b.card || '' = ?", [card.as_str()]),
            BenefitKey::Code(code) => statement.append("AND b.code + 0 = ?", [*code]),
        };
    }
    for document in &criteria.documents {
        statement = statement.append("AND p.document || '' = ?", [document.as_str()]);
    }
    let statement = statement
        .filter_branches("b.branch + 0", scope.branches())
        .append_if_some("AND b.situation + 0 = ?", criteria.situation)
        .append_if_some(
            "AND EXISTS (SELECT 1 FROM items j WHERE j.tenant = b.tenant AND j.benefit = b.code
                 AND j.plan + 0 = ? AND j.active)",
            criteria.plan,
        )
        .append_text("ORDER BY b.code");
    found_rows::parse_found_benefits(source.fetch_all(QueryWeight::Point, statement).await?)
}

/// The benefits of these codes, in order.
#[boxed::future]
pub async fn list_benefits_by_code(
    tx: &mut Tx,
    scope: &Scope,
    codes: &[BenefitCode],
) -> Result<Vec<FoundBenefit>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = found_rows::build_benefit_search(false)
        .append_text("WHERE b.tenant = $1")
        .arg(scope.tenant())
        .filter_in("b.code", codes.iter().copied())
        .append_text("ORDER BY b.code");
    found_rows::parse_found_benefits(tx.fetch_all(statement).await?)
}

fn parse_count(rows: Vec<crate::Row>, column: &'static str) -> Result<i64, Error> {
    rows.first().ok_or_else(|| Error::Broken("a count gave nothing".to_owned()))?.get(column)
}
