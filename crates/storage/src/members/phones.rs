//! The telephones of people, in the order they were given.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
pub use domain::HOME_COUNTRY_CODE;
use domain::{ContactPhone, PersonCode, Phone, PhoneKind, TenantId};

const ROWS_PER_STATEMENT: usize = 200;

/// Inserts the telephones of people who have none yet, with consecutive person codes from `first` on.
#[boxed::future]
pub async fn insert_phones_from<'p>(
    tx: &mut Tx,
    tenant: TenantId,
    first: PersonCode,
    people: impl IntoIterator<Item = &'p [Phone]>,
) -> Result<(), Error> {
    let rows =
        (first.get()..).zip(people).flat_map(|(person, phones)| encode_phone_rows(tenant, person, phones));
    tx.execute_batch(build_inserts(INSERT, ROWS_PER_STATEMENT, rows)).await
}

const INSERT: &str = "INSERT INTO phones (tenant, person, position, kind, country, number) VALUES";

fn encode_phone_rows(
    tenant: TenantId,
    person: i32,
    phones: &[Phone],
) -> impl Iterator<Item = [SqlScalar; 6]> {
    (1..).zip(phones).map(move |(position, phone): (i32, _)| {
        [
            tenant.into(),
            person.into(),
            position.into(),
            phone.kind().into(),
            HOME_COUNTRY_CODE.into(),
            phone.as_str().into(),
        ]
    })
}

/// Inserts the telephones of people with the given codes.
pub fn insert_phones<'p>(
    tenant: TenantId,
    people: impl IntoIterator<Item = (PersonCode, &'p [ContactPhone])>,
) -> Vec<Statement> {
    let rows = people.into_iter().flat_map(|(person, phones)| {
        (1..).zip(phones).map(move |(position, phone): (i32, _)| -> [SqlScalar; 6] {
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
    build_inserts(INSERT, ROWS_PER_STATEMENT, rows)
}

/// Rebuilds a telephone from its stored parts.
pub(crate) fn parse_stored_phone(kind: PhoneKind, country: &str, number: &str) -> Option<ContactPhone> {
    Some(ContactPhone { kind, country: country.to_owned(), number: Phone::parse(number).ok()? })
}

/// Inserts telephones of people who have none yet, numbered per person.
pub fn insert_phone_list(tenant: TenantId, phones: &[(PersonCode, ContactPhone)]) -> Vec<Statement> {
    let mut position = 0;
    let mut last = None;
    let rows = phones.iter().map(|(person, phone)| -> [SqlScalar; 6] {
        position = if last == Some(*person) { position + 1 } else { 1 };
        last = Some(*person);
        let (kind, country) = (phone.kind.into(), phone.country.as_str().into());
        [tenant.into(), (*person).into(), position.into(), kind, country, phone.number.as_str().into()]
    });
    build_inserts(INSERT, ROWS_PER_STATEMENT, rows)
}

/// The people with any of these numbers, ordered by code.
#[boxed::future]
pub async fn list_holders_of_any_phone(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    numbers: &[Phone],
    limit: i64,
) -> Result<Vec<PersonCode>, Error> {
    let statement = sql("SELECT DISTINCT person FROM phones WHERE tenant = $1")
        .arg(tenant)
        .filter_in("number", numbers.iter().map(Phone::as_str))
        .append("ORDER BY person LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("person")).collect()
}

/// The telephones of a person, in order.
#[boxed::future]
pub async fn list_phones(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    person: PersonCode,
) -> Result<Vec<ContactPhone>, Error> {
    let statement =
        sql("SELECT kind, country, number FROM phones WHERE tenant = $1 AND person = $2 ORDER BY position")
            .arg(tenant)
            .arg(person);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_phone_row).collect()
}

/// The telephones of several people, in order per person.
#[boxed::future]
pub async fn list_phones_of_people(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<(PersonCode, ContactPhone)>, Error> {
    let statement = sql("SELECT person, kind, country, number FROM phones WHERE tenant = $1")
        .arg(tenant)
        .filter_in("person", people)
        .append_text("ORDER BY person, position");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("person")?, parse_phone_row(row)?))).collect()
}

fn parse_phone_row(row: &Row) -> Result<ContactPhone, Error> {
    let number: String = row.get("number")?;
    Ok(ContactPhone {
        kind: row.get("kind")?,
        country: row.get("country")?,
        number: Phone::parse(&number)
            .map_err(|_| Error::Broken("a telephone is kept with a number that is none".to_owned()))?,
    })
}

#[boxed::future]
pub async fn replace_phones(
    tx: &mut Tx,
    tenant: TenantId,
    person: PersonCode,
    phones: &[ContactPhone],
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
    tx.execute_batch(statements).await
}
