//! Credit cards of people; a payment gateway stores the rest under its token. The token is encrypted among the
//! secrets; the column `gateway_token` is empty except in rows of versions that stored it unencrypted.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{CreditCard, CreditCardCode, Moment, PersonCode, TenantId};

/// The cards of a person, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_credit_cards(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    person: PersonCode,
) -> Result<Vec<CreditCard>, Error> {
    let statement =
        sql("SELECT code, brand, last_digits, holder, valid_until, is_main, active FROM credit_cards
         WHERE tenant = $1 AND person = $2 ORDER BY code")
        .arg(tenant)
        .arg(person);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_credit_card_row).collect()
}

/// The cards of several people, ordered by person and code.
#[boxed::future]
pub async fn list_credit_cards_of_people(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<(PersonCode, CreditCard)>, Error> {
    let statement = sql("SELECT person, code, brand, last_digits, holder, valid_until, is_main, active
         FROM credit_cards WHERE tenant = $1")
    .arg(tenant)
    .filter_in("person", people)
    .append_text("ORDER BY person, code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("person")?, parse_credit_card_row(row)?))).collect()
}

fn parse_credit_card_row(row: &Row) -> Result<CreditCard, Error> {
    Ok(CreditCard {
        code: row.get("code")?,
        brand: row.get("brand")?,
        last_digits: row.get("last_digits")?,
        holder: row.get("holder")?,
        valid_until: row.get("valid_until")?,
        is_main: row.get("is_main")?,
        active: row.get("active")?,
    })
}

/// Updates the displayed data of a card.
pub fn update_credit_card(tenant: TenantId, person: PersonCode, card: &CreditCard, now: Moment) -> Statement {
    sql("UPDATE credit_cards SET brand = $4, last_digits = $5, holder = $6, valid_until = $7, is_main = $8, active = $9,
             version = version + 1, updated_at = $10
         WHERE tenant = $1 AND person = $2 AND code = $3")
    .arg(tenant)
    .arg(person)
    .arg(card.code)
    .arg(card.brand.as_str())
    .arg(card.last_digits.as_str())
    .arg(card.holder.as_str())
    .arg(card.valid_until.as_str())
    .arg(card.is_main)
    .arg(card.active)
    .arg(now)
}

/// Some tokens that are stored unencrypted.
#[boxed::future]
pub async fn list_unsealed_tokens(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    limit: i64,
) -> Result<Vec<(PersonCode, CreditCardCode, String)>, Error> {
    let statement =
        sql("SELECT person, code, gateway_token FROM credit_cards WHERE tenant = $1 AND gateway_token <> ''
         ORDER BY person, code LIMIT $2")
        .arg(tenant)
        .arg(limit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("person")?, row.get("code")?, row.get("gateway_token")?))).collect()
}

/// Clears the column of a token that has been encrypted.
#[boxed::future]
pub async fn clear_unsealed_token(
    tx: &mut Tx,
    tenant: TenantId,
    (person, code): (PersonCode, CreditCardCode),
) -> Result<(), Error> {
    let statement =
        sql("UPDATE credit_cards SET gateway_token = '' WHERE tenant = $1 AND person = $2 AND code = $3");
    tx.execute(statement.arg(tenant).arg(person).arg(code)).await.map(drop)
}

/// A new card, without a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCreditCardRow {
    pub card: CreditCard,
    pub created_at: Moment,
}

const ROWS_PER_STATEMENT: usize = 100;

pub fn insert_credit_cards<'c>(
    tenant: TenantId,
    cards: impl IntoIterator<Item = (PersonCode, &'c NewCreditCardRow)>,
) -> Vec<Statement> {
    let rows = cards.into_iter().map(|(person, new)| -> [SqlScalar; 13] {
        let card = &new.card;
        [
            tenant.into(),
            person.into(),
            card.code.into(),
            card.brand.as_str().into(),
            card.last_digits.as_str().into(),
            card.holder.as_str().into(),
            card.valid_until.as_str().into(),
            "".into(),
            card.is_main.into(),
            card.active.into(),
            1.into(),
            new.created_at.into(),
            new.created_at.into(),
        ]
    });
    let head = "INSERT INTO credit_cards (tenant, person, code, brand, last_digits, holder, valid_until, gateway_token,
         is_main, active, version, created_at, updated_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}
