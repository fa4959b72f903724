//! Criteria as conditions of a statement: the driving one with an index, the others row by row.

use super::leading_criterion::LeadingMemberCriterion;
use crate::name_index;
use crate::{SqlScalar, Statement};
use domain::{Date, MemberCriteria, Scope};

pub fn filter_by_words(head: Statement, scope: &Scope, criteria: &MemberCriteria, query: &str) -> Statement {
    if !has_other_criteria(LeadingMemberCriterion::Words, scope, criteria) {
        return head.append_text("FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))").arg(query);
    }
    head.append_text("FROM name_index n CROSS JOIN listing l WHERE l.tenant = $1")
        .arg(scope.tenant())
        .append("AND l.slot = n.NAME_KEY - ?", [name_index::build_index_key(scope.tenant(), 0)])
        .append("AND MATCHES_NAME(CAST(? AS TEXT))", [query])
}

/// Appends the driving criterion with its value. The first value is always the tenant.
pub(super) fn filter_by_leading_criterion(
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
        LeadingMemberCriterion::Words => {
            filter_by_words(head, scope, criteria, &name_index::build_prefix_query(scope, &criteria.words))
        }
    }
}

/// Whether there are criteria besides the driving one.
pub(super) fn has_other_criteria(
    driver: LeadingMemberCriterion,
    scope: &Scope,
    criteria: &MemberCriteria,
) -> bool {
    let empty = || Statement::empty();
    append_other_criteria(empty(), driver, scope, criteria) != empty()
}

/// Appends every criterion except the driving one, in a form that no index serves.
pub(super) fn append_other_criteria(
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
