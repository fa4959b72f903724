//! Chooses the criterion that drives a member search.

use super::conditions::filter_by_leading_criterion;
use super::count::parse_count;
use crate::{Error, Tx, sql};
use domain::{MemberCriteria, Scope};

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

    pub fn is_range(self) -> bool {
        matches!(self, LeadingMemberCriterion::Changed | LeadingMemberCriterion::Registered)
    }
}

/// A date range with more rows than this does not drive a search: sorting it costs more than skipping other rows.
const MOST_ROWS_TO_SORT: i64 = 5_000;

pub(super) async fn choose_leading_criterion(
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
        .append("LIMIT ?) AS few", [MOST_ROWS_TO_SORT + 1]);
        let rows: i64 = parse_count(tx.fetch_all(count_query).await?, "rows")?;
        if rows <= MOST_ROWS_TO_SORT {
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
