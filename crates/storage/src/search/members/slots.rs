//! The slots of a page. Rows are read in the order of their slots and checked one by one until the page is full, so
//! the cost depends on the page and not on the number of matches.

use super::name_words::{self, NameWordMatches};
use super::{
    LeadingMemberCriterion, MemberSearch, append_other_criteria, filter_by_leading_criterion,
    has_other_criteria,
};
use crate::name_index;
use crate::{Error, Statement, Tx, sql};
use domain::{MemberCriteria, PAGE_SIZE, Scope};

/// The slots after `after`, without the first `skip`.
#[boxed::future]
pub async fn list_page_slots(
    tx: &mut Tx,
    member_search: &MemberSearch<'_>,
    after: i32,
    skip: i64,
) -> Result<Vec<i32>, Error> {
    let MemberSearch { scope, criteria, driver, words } = member_search;
    let (statement, place) = match (words, driver) {
        (Some(NameWordMatches::Slots(slots)), _) => return Ok(take_page_slots(slots, after, skip)),
        (Some(NameWordMatches::IndexQuery(query)), _) => {
            name_words::select_slots_after(scope, criteria, query, after)
        }
        (None, LeadingMemberCriterion::Plan) => select_plan_slots(scope, criteria, after),
        (None, _) => select_listing_slots(*driver, scope, criteria, after),
    };
    let statement = statement.append(&format!("ORDER BY {place} LIMIT ? OFFSET ?"), [PAGE_SIZE, skip]);
    let rows = tx.fetch_all(statement).await?;
    let slot =
        |place: i64| if words.is_some() { Ok(name_index::extract_slot(place)) } else { parse_slot(place) };
    rows.iter().map(|row| row.get("place").and_then(slot)).collect()
}

fn take_page_slots(slots: &[i32], after: i32, skip: i64) -> Vec<i32> {
    let later = slots.iter().copied().filter(|slot| *slot > after);
    later.skip(usize::try_from(skip).unwrap_or(usize::MAX)).take(PAGE_SIZE as usize).collect()
}

fn parse_slot(place: i64) -> Result<i32, Error> {
    i32::try_from(place).map_err(|_| Error::Broken(format!("the slot {place} is past int32")))
}

fn select_listing_slots(
    driver: LeadingMemberCriterion,
    scope: &Scope,
    criteria: &MemberCriteria,
    after: i32,
) -> (Statement, &'static str) {
    // Ordered by the plain slot, a range would be scanned by slot from the first row on.
    let place = if driver.is_range() { "l.slot + 0" } else { "l.slot" };
    let head = filter_by_leading_criterion(sql("SELECT l.slot AS place"), driver, scope, criteria);
    (append_other_criteria(head, driver, scope, criteria).append(&format!("AND {place} > ?"), [after]), place)
}

/// Other criteria are a subquery per item. With a join the engines might read all rows first.
fn select_plan_slots(scope: &Scope, criteria: &MemberCriteria, after: i32) -> (Statement, &'static str) {
    let items = sql("SELECT i.slot AS place FROM items i WHERE i.tenant = $1")
        .arg(scope.tenant())
        .append("AND i.plan = ? AND i.active", [criteria.plan])
        .append("AND i.slot > ?", [after]);
    if !has_other_criteria(LeadingMemberCriterion::Plan, scope, criteria) {
        return (items, "i.slot");
    }
    let filtered =
        items.append_text("AND 1 = (SELECT 1 FROM listing l WHERE l.tenant = i.tenant AND l.slot = i.slot");
    (
        append_other_criteria(filtered, LeadingMemberCriterion::Plan, scope, criteria).append_text(")"),
        "i.slot",
    )
}
