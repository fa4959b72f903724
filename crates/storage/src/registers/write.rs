//! Writes records of a register.

use super::child_tables::build_part_inserts;
use super::conditions::{FieldCondition, filter_by_conditions};
use super::row::encode_field_value;
use crate::{Error, SqlScalar, Statement, Tx, sql};
use domain::{Moment, TenantId, fold_text};
use registers::{FieldContent, FieldSpec, Register};

#[boxed::future]
pub async fn insert_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Result<(), Error> {
    tx.execute_batch(build_record_inserts(register, tenant, (code, values, active), now)).await
}

/// The statements that insert a record.
pub fn build_record_inserts(
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Vec<Statement> {
    let mut names = vec!["tenant", register.key];
    let mut row: Vec<SqlScalar> = vec![tenant.into(), code.into()];
    for (name, value) in build_record_columns(register, values) {
        names.push(name);
        row.push(value);
    }
    names.extend(["active", "version", "created_at", "updated_at"]);
    row.extend([active.into(), 1.into(), now.into(), now.into()]);
    let head = format!("{} ({}) VALUES", register.table, names.join(", "));
    let insert = sql("INSERT INTO").append_text(&head).append_rows([row]);
    std::iter::once(insert).chain(build_part_inserts(register, tenant, code, values)).collect()
}

/// Updates a record and raises its version.
#[boxed::future]
pub async fn update_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, values, active): (i32, &[FieldContent], bool),
    now: Moment,
) -> Result<(), Error> {
    let mut statement = sql("UPDATE").append_text(&format!("{} SET", register.table));
    for (name, value) in build_record_columns(register, values) {
        statement = statement.append(&format!("{name} = ?,"), [value]);
    }
    let statement = statement
        .append("active = ?, version = version + 1,", [active])
        .append("updated_at = ?", [now])
        .append("WHERE tenant = ?", [tenant])
        .append(&format!("AND {} = ?", register.key), [code]);
    let mut all = vec![statement];
    for rows in register.fields.iter().filter_map(FieldSpec::part_table) {
        let deletion = sql("DELETE FROM").append_text(rows.table).append("WHERE tenant = ?", [tenant]);
        all.push(deletion.append(&format!("AND {} = ?", rows.record_column), [code]));
    }
    all.extend(build_part_inserts(register, tenant, code, values));
    tx.execute_batch(all).await
}

/// The columns of a record with their values.
fn build_record_columns<'v>(
    register: &'static Register,
    values: &'v [FieldContent],
) -> impl Iterator<Item = (&'static str, SqlScalar)> + 'v {
    let column_fields = register.fields.iter().zip(values).filter(|(field, _)| field.is_column());
    column_fields.flat_map(|(field, value)| {
        let folded = field.folded.map(|column| match value {
            FieldContent::Text(text) => (column, fold_text(text).into()),
            _ => (column, SqlScalar::Null),
        });
        std::iter::once((field.column, encode_field_value(value))).chain(folded)
    })
}

/// Deletes a record that nothing references.
#[boxed::future]
pub async fn delete_record(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    code: i32,
) -> Result<(), Error> {
    let statement = sql("DELETE FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    tx.execute(statement.append(&format!("AND {} = ?", register.key), [code])).await.map(drop)
}

/// Clears a flag that only one record may have, on the other records that match these fields.
#[boxed::future]
pub async fn clear_flag_of_others(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (code, flag): (i32, &FieldSpec),
    conditions: &[FieldCondition<'_>],
    now: Moment,
) -> Result<(), Error> {
    let head = format!("{} SET {} = FALSE, version = version + 1,", register.table, flag.column);
    let statement =
        sql("UPDATE").append_text(&head).append("updated_at = ?", [now]).append("WHERE tenant = ?", [tenant]);
    let statement = statement.append(&format!("AND {} <> ?", register.key), [code]);
    let statement =
        filter_by_conditions(statement, conditions, None).append_text(&format!("AND {}", flag.column));
    tx.execute(statement).await.map(drop)
}
