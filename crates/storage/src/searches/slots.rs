//! The slots of a page. Whatever leads, its rows are met in the order of their slots and looked at one by one until the
//! page is full, and never all of them first: so a page costs what it shows, not what the search finds.

use super::words::{self, Words};
use super::{Driver, Led, PAGE, check, drive, has_checks};
use crate::{Error, Statement, Tx, names, sql};
use domain::{MemberCriteria, Scope};

/// Those behind `after`, but for the first `skip`.
#[boxed::future]
pub async fn slots(tx: &mut Tx, led: &Led<'_>, after: i32, skip: i64) -> Result<Vec<i32>, Error> {
    let Led { scope, criteria, driver, words } = led;
    let (statement, place) = match (words, driver) {
        (Some(Words::These(slots)), _) => return Ok(some_of(slots, after, skip)),
        (Some(Words::Like(query)), _) => words::behind(scope, criteria, query, after),
        (None, Driver::Plan) => with_plan(scope, criteria, after),
        (None, _) => listed(*driver, scope, criteria, after),
    };
    let statement = statement.then(&format!("ORDER BY {place} LIMIT ? OFFSET ?"), [PAGE, skip]);
    let rows = tx.all(statement).await?;
    let slot = |place: i64| if words.is_some() { Ok(names::slot(place)) } else { in_range(place) };
    rows.iter().map(|row| row.get("place").and_then(slot)).collect()
}

fn some_of(slots: &[i32], after: i32, skip: i64) -> Vec<i32> {
    let behind = slots.iter().copied().filter(|slot| *slot > after);
    behind.skip(usize::try_from(skip).unwrap_or(usize::MAX)).take(PAGE as usize).collect()
}

fn in_range(place: i64) -> Result<i32, Error> {
    i32::try_from(place).map_err(|_| Error::Broken(format!("the slot {place} is past int32")))
}

fn listed(driver: Driver, scope: &Scope, criteria: &MemberCriteria, after: i32) -> (Statement, &'static str) {
    // Ordered by its slot a range would be walked by slot, from the first row on.
    let place = if driver.is_range() { "l.slot + 0" } else { "l.slot" };
    let head = drive(sql("SELECT l.slot AS place"), driver, scope, criteria);
    (check(head, driver, scope, criteria).then(&format!("AND {place} > ?"), [after]), place)
}

/// What else is asked for is a question about each item. As a join it would be an invitation to read all rows first.
fn with_plan(scope: &Scope, criteria: &MemberCriteria, after: i32) -> (Statement, &'static str) {
    let items = sql("SELECT i.slot AS place FROM items i WHERE i.tenant = $1")
        .arg(scope.tenant())
        .then("AND i.plan = ? AND i.active", [criteria.plan])
        .then("AND i.slot > ?", [after]);
    if !has_checks(Driver::Plan, scope, criteria) {
        return (items, "i.slot");
    }
    let asked =
        items.ending("AND 1 = (SELECT 1 FROM listing l WHERE l.tenant = i.tenant AND l.slot = i.slot");
    (check(asked, Driver::Plan, scope, criteria).ending(")"), "i.slot")
}
