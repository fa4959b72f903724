//! The telephones of people, each person's in the order in which they were given.

use crate::statement::inserts;
use crate::{Error, Row, Source, Statement, Tx, Value, Weight, sql};
use domain::{PersonCode, Phone, PhoneKind, TenantId};

/// Brazil, the country of every number without one.
pub const HOME: &str = "55";

/// How many rows travel in one statement.
const ROWS: usize = 200;

/// Writes the telephones of many people who have none yet: of the person with code `first`, and of those behind him.
#[boxed::future]
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

/// The same of people who each have a code of their own.
pub fn insert_each<'p>(
    tenant: TenantId,
    people: impl IntoIterator<Item = (PersonCode, &'p [Telephone])>,
) -> Vec<Statement> {
    let rows = people.into_iter().flat_map(|(person, phones)| {
        (1..).zip(phones).map(move |(position, phone): (i32, _)| -> [Value; 6] {
            [
                tenant.into(),
                person.into(),
                position.into(),
                phone.kind.into(),
                phone.country.as_str().into(),
                phone.number.as_str().into(),
            ]
        })
    });
    inserts(INSERT, ROWS, rows)
}

/// One as it was kept elsewhere.
pub(crate) fn as_kept(kind: PhoneKind, country: &str, number: &str) -> Option<Telephone> {
    Some(Telephone { kind, country: country.to_owned(), number: Phone::parse(number).ok()? })
}

/// A telephone as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telephone {
    pub kind: PhoneKind,
    pub country: String,
    pub number: Phone,
}

/// Writes telephones of people who have none yet, each person's in their order.
pub fn insert_listed(tenant: TenantId, phones: &[(PersonCode, Telephone)]) -> Vec<Statement> {
    let mut position = 0;
    let mut last = None;
    let rows = phones.iter().map(|(person, phone)| -> [Value; 6] {
        position = if last == Some(*person) { position + 1 } else { 1 };
        last = Some(*person);
        let (kind, country) = (phone.kind.into(), phone.country.as_str().into());
        [tenant.into(), (*person).into(), position.into(), kind, country, phone.number.as_str().into()]
    });
    inserts(INSERT, ROWS, rows)
}

/// Who has this number, by code.
#[boxed::future]
pub async fn holders(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    number: &Phone,
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    let statement =
        sql("SELECT DISTINCT person FROM phones WHERE tenant = $1 AND number = $2 ORDER BY person LIMIT $3")
            .arg(tenant)
            .arg(number.as_str())
            .arg(limit);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("person")).collect()
}

/// Who has one of these numbers, by code.
#[boxed::future]
pub async fn holders_of_any(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    numbers: &[Phone],
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    let statement = sql("SELECT DISTINCT person FROM phones WHERE tenant = $1")
        .arg(tenant)
        .within("number", numbers.iter().map(Phone::as_str))
        .then("ORDER BY person LIMIT ?", [limit]);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("person")).collect()
}

/// A person's telephones, in their order.
#[boxed::future]
pub async fn of(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    person: PersonCode,
) -> Result<Vec<Telephone>, Error> {
    let statement =
        sql("SELECT kind, country, number FROM phones WHERE tenant = $1 AND person = $2 ORDER BY position")
            .arg(tenant)
            .arg(person);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(telephone).collect()
}

/// The telephones of several people, each person's in their order.
#[boxed::future]
pub async fn of_some(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<(PersonCode, Telephone)>, Error> {
    let statement = sql("SELECT person, kind, country, number FROM phones WHERE tenant = $1")
        .arg(tenant)
        .within("person", people)
        .ending("ORDER BY person, position");
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("person")?, telephone(row)?))).collect()
}

fn telephone(row: &Row) -> Result<Telephone, Error> {
    let number: String = row.get("number")?;
    Ok(Telephone {
        kind: row.get("kind")?,
        country: row.get("country")?,
        number: Phone::parse(&number)
            .map_err(|_| Error::Broken("a telephone is kept with a number that is none".to_owned()))?,
    })
}

/// These telephones in place of the ones he had.
#[boxed::future]
pub async fn replace(
    tx: &mut Tx,
    tenant: TenantId,
    person: PersonCode,
    phones: &[Telephone],
) -> Result<(), Error> {
    let mut statements =
        vec![sql("DELETE FROM phones WHERE tenant = $1 AND person = $2").arg(tenant).arg(person)];
    statements.extend((1..).zip(phones).map(|(position, phone): (i32, _)| {
        sql("INSERT INTO phones (tenant, person, position, kind, country, number) VALUES ($1, $2, $3, $4, $5, $6)")
            .arg(tenant)
            .arg(person)
            .arg(position)
            .arg(phone.kind)
            .arg(phone.country.as_str())
            .arg(phone.number.as_str())
    }));
    tx.batch(statements).await
}
