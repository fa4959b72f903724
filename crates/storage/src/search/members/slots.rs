//! The slots of a page. Rows are read in the order of their slots and checked one by one until the page is full, so
//! the cost depends on the page and not on the number of matches.

use super::by_name::{self, NameWordMatches};
use super::conditions::{append_other_criteria, filter_by_leading_criterion, has_other_criteria};
use super::found_rows::{self, FoundMemberRow};
use super::leading_criterion::LeadingMemberCriterion;
use crate::name_index;
use crate::search::tally::PageRange;
use crate::{Error, Statement, Tx, sql};
use domain::{BenefitCode, MemberCriteria, PAGE_SIZE, Scope, SituationCode};

/// The slots after `after`, without the first `skip`.
#[boxed::future]
pub async fn list_page_slots(
    tx: &mut Tx,
    (scope, criteria): (&Scope, &MemberCriteria),
    driver: LeadingMemberCriterion,
    words: Option<&NameWordMatches>,
    (after, skip): (i32, i64),
) -> Result<Vec<i32>, Error> {
    let (statement, place) = match (words, driver) {
        (Some(NameWordMatches::Slots(slots)), _) => return Ok(take_page_slots(slots, after, skip)),
        (Some(NameWordMatches::IndexQuery(query)), _) => {
            by_name::select_slots_after(scope, criteria, query, after)
        }
        (None, LeadingMemberCriterion::Plan) => select_plan_slots(scope, criteria, after),
        (None, _) => select_listing_slots(driver, scope, criteria, after),
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
        // The expression hides the order from the indexes; otherwise the engines would scan the entire range for the
        // few rows of some branches.
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
