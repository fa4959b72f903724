//! The slots of a page. Whatever leads, its rows are met in the order of their slots and looked at one by one until the
//! page is full, and never all of them first: so a page costs what it shows, not what the search finds.

use super::{Driver, PAGE, check, drive, has_checks};
use crate::{Error, Statement, Tx, names, sql};
use domain::{MemberCriteria, Scope};

/// Those behind `after`, but for the first `skip`.
pub async fn slots(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &MemberCriteria,
    driver: Driver,
    after: i32,
    skip: i64,
) -> Result<Vec<i32>, Error> {
    let (statement, place) = match driver {
        Driver::Words => with_words(scope, criteria, after),
        Driver::Plan => with_plan(scope, criteria, after),
        _ => listed(driver, scope, criteria, after),
    };
    let statement = statement.then(&format!("ORDER BY {place} LIMIT ? OFFSET ?"), [PAGE, skip]);
    let rows = tx.all(statement).await?;
    let slot = |place: i64| if driver == Driver::Words { Ok(names::slot(place)) } else { in_range(place) };
    rows.iter().map(|row| row.get("place").and_then(slot)).collect()
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

/// The index of names may know no order, so what it finds is ordered first, and then looked at.
fn with_words(scope: &Scope, criteria: &MemberCriteria, after: i32) -> (Statement, &'static str) {
    let tenant = scope.tenant();
    let (words, after) = (names::query(scope, &criteria.words), names::key(tenant, after));
    if !has_checks(Driver::Words, scope, criteria) {
        let found = sql("SELECT NAME_ORDER AS place FROM name_index n WHERE MATCHES_NAME(CAST($1 AS TEXT))");
        return (found.arg(words).then("AND NAME_ORDER > ?", [after]), "NAME_ORDER");
    }
    let found = sql("SELECT n.place FROM (SELECT NAME_ORDER AS place FROM name_index n
             WHERE MATCHES_NAME(CAST($1 AS TEXT))")
    .arg(words)
    .then("AND NAME_ORDER > ?", [after])
    .ending("ORDER BY NAME_ORDER) AS n CROSS JOIN listing l")
    .then("WHERE l.tenant = ?", [tenant])
    .then("AND l.slot = n.place - ?", [names::key(tenant, 0)]);
    (check(found, Driver::Words, scope, criteria), "n.place")
}
