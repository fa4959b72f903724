//! The telephones of people, each person's in the order in which they were given.

use crate::statement::inserts;
use crate::{Error, Tx, Value};
use domain::{PersonCode, Phone, TenantId};

/// Brazil, the country of every number without one.
pub const HOME: &str = "55";

/// How many rows travel in one statement.
const ROWS: usize = 200;

/// Writes the telephones of many people who have none yet: of the person with code `first`, and of those behind him.
pub async fn insert_all<'p>(
    tx: &mut Tx,
    tenant: TenantId,
    first: PersonCode,
    people: impl IntoIterator<Item = &'p [Phone]>,
) -> Result<(), Error> {
    let rows = (first.get()..).zip(people).flat_map(|(person, phones)| rows(tenant, person, phones));
    tx.batch(inserts(INSERT, ROWS, rows)).await
}

const INSERT: &str = "INSERT INTO phones (tenant, person, position, kind, country, number) VALUES";

fn rows(tenant: TenantId, person: i32, phones: &[Phone]) -> impl Iterator<Item = [Value; 6]> {
    (1..).zip(phones).map(move |(position, phone): (i32, _)| {
        [
            tenant.into(),
            person.into(),
            position.into(),
            phone.kind().into(),
            HOME.into(),
            phone.as_str().into(),
        ]
    })
}
