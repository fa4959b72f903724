//! The number of rows that a search finds.

use super::conditions::{append_other_criteria, filter_by_leading_criterion};
use super::leading_criterion::LeadingMemberCriterion;
use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{MemberCriteria, Scope};

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

pub(super) fn parse_count(rows: Vec<crate::Row>, column: &'static str) -> Result<i64, Error> {
    rows.first().ok_or_else(|| Error::Broken("a count gave nothing".to_owned()))?.get(column)
}
