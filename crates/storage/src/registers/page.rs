//! Pages of the records of a register.

use super::conditions::{FieldCondition, filter_by_conditions, filter_by_scope, select_records};
use super::row::{StoredRecord, parse_record_row};
use crate::{Error, Statement, Tx, sql};
use domain::Scope;
use registers::{FieldSpec, Register};

/// A page of the records whose field starts with a text, ordered by that field; without a text, of all records,
/// ordered by code.
#[boxed::future]
pub async fn list_record_page(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (conditions, active): (&[FieldCondition<'_>], Option<bool>),
    (limit, offset): (i64, i64),
) -> Result<Vec<StoredRecord>, Error> {
    let statement = filter_by_conditions(select_records(register, scope), conditions, active);
    let key = register.key;
    let statement = match beginning {
        Some((field, text)) => filter_by_prefix(statement, field, text)
            .append(&format!("ORDER BY {}, {key} LIMIT ? OFFSET ?", field.column), [limit, offset]),
        None => statement.append(&format!("ORDER BY {key} LIMIT ? OFFSET ?"), [limit, offset]),
    };
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| parse_record_row(register, row)).collect()
}

/// The total of [`list_record_page`].
#[boxed::future]
pub async fn count_records(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    beginning: Option<(&FieldSpec, &str)>,
    (conditions, active): (&[FieldCondition<'_>], Option<bool>),
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM").append_text(register.table);
    let statement = filter_by_conditions(filter_by_scope(statement, register, scope), conditions, active);
    let statement = match beginning {
        Some((field, text)) => filter_by_prefix(statement, field, text),
        None => statement,
    };
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// How many active records are in the scope, counted up to `most`.
#[boxed::future]
pub async fn count_active_records_up_to(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    most: i64,
) -> Result<i64, Error> {
    let query = sql("SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM").append_text(register.table);
    let query = filter_by_conditions(filter_by_scope(query, register, scope), &[], Some(true));
    let row = tx.fetch_optional(query.append("LIMIT ?) AS few", [most])).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// Texts compare by bytes, and no stored text contains this character, which sorts last.
fn filter_by_prefix(statement: Statement, field: &FieldSpec, text: &str) -> Statement {
    let column = field.column;
    let ends = [text.to_owned(), format!("{text}\u{10FFFF}")];
    statement.append(&format!("AND {column} >= ? AND {column} < ?"), ends)
}
