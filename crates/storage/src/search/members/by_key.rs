//! Searches driven by a key, such as a plate or a document: they find few rows, which are read at once.

use super::conditions::{append_other_criteria, filter_by_leading_criterion};
use super::found_rows;
use super::found_rows::FoundMemberRow;
use super::leading_criterion::LeadingMemberCriterion;
use super::shapes;
use crate::{Error, QueryWeight, ReadSource, Statement};
use domain::{MemberCriteria, PAGE_SIZE, Scope};

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
