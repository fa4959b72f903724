//! Finds records of a register.

use super::child_tables::load_record_parts;
use super::conditions::{FieldCondition, filter_by_conditions, select_records};
use super::row::{StoredRecord, parse_record_row};
use crate::{Error, Tx, sql};
use domain::{Scope, TenantId};
use registers::Register;

/// The records in the scope that match these fields, ordered by code. For records of a benefit or a person, the
/// caller checks whether that one is visible.
#[boxed::future]
pub async fn list_records(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    conditions: &[FieldCondition<'_>],
    active: Option<bool>,
) -> Result<Vec<StoredRecord>, Error> {
    let statement = filter_by_conditions(select_records(register, scope), conditions, active);
    let rows = tx.fetch_all(statement.append_text(&format!("ORDER BY {}", register.key))).await?;
    let records =
        rows.iter().map(|row| parse_record_row(register, row)).collect::<Result<Vec<_>, Error>>()?;
    load_record_parts(tx, register, scope.tenant(), records, None).await
}

#[boxed::future]
pub async fn find_record(
    tx: &mut Tx,
    register: &'static Register,
    scope: &Scope,
    code: i32,
) -> Result<Option<StoredRecord>, Error> {
    let statement = select_records(register, scope).append(&format!("AND {} = ?", register.key), [code]);
    let found =
        tx.fetch_optional(statement).await?.map(|row| parse_record_row(register, &row)).transpose()?;
    let all =
        load_record_parts(tx, register, scope.tenant(), found.into_iter().collect(), Some(code)).await?;
    Ok(all.into_iter().next())
}

/// Whether a record of this code exists, regardless of scope.
#[boxed::future]
pub async fn has_record(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    code: i32,
) -> Result<bool, Error> {
    let statement =
        sql("SELECT 1 AS one FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    Ok(tx.fetch_optional(statement.append(&format!("AND {} = ?", register.key), [code])).await?.is_some())
}
