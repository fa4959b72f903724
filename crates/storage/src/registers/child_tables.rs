//! Parts of a record that are stored in child tables: lists of codes and of texts.

use super::row::StoredRecord;
use crate::{Error, SqlScalar, Statement, Tx, sql};
use domain::TenantId;
use registers::{FieldContent, FieldType, PartTable, Register};
use std::collections::HashMap;

/// The statements that insert the parts of records.
pub(super) fn build_part_inserts<'v>(
    register: &'static Register,
    tenant: TenantId,
    code: i32,
    values: &'v [FieldContent],
) -> impl Iterator<Item = Statement> + 'v {
    let part_fields =
        register.fields.iter().zip(values).filter_map(|(field, value)| Some((field.part_table()?, value)));
    part_fields.flat_map(move |(rows, value)| {
        let parts: Vec<SqlScalar> = match value {
            FieldContent::Codes(codes) => codes.iter().map(|code| (*code).into()).collect(),
            FieldContent::Lines(lines) => lines.iter().map(|line| line.as_str().into()).collect(),
            _ => Vec::new(),
        };
        (1_i64..).zip(parts).map(move |(at, part)| build_part_insert(rows, (tenant, code), at, part))
    })
}

fn build_part_insert(
    rows: &PartTable,
    (tenant, code): (TenantId, i32),
    at: i64,
    part: SqlScalar,
) -> Statement {
    let position = rows.position.map(|column| format!(", {column}")).unwrap_or_default();
    let head =
        format!("{} (tenant, {}, {}{position}) VALUES", rows.table, rows.record_column, rows.item_column);
    let mut row: Vec<SqlScalar> = vec![tenant.into(), code.into(), part];
    row.extend(rows.position.map(|_| at.into()));
    sql("INSERT INTO").append_text(&head).append_rows([row])
}

/// Loads the parts of one record, or of all.
pub(super) async fn load_record_parts(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    mut records: Vec<StoredRecord>,
    only: Option<i32>,
) -> Result<Vec<StoredRecord>, Error> {
    for (at, field) in register.fields.iter().enumerate() {
        let Some(rows) = field.part_table().filter(|_| !records.is_empty()) else { continue };
        let select = format!("{}, {} FROM {}", rows.record_column, rows.item_column, rows.table);
        let statement = sql("SELECT").append_text(&select).append("WHERE tenant = ?", [tenant]);
        let statement = statement.append_if_some(&format!("AND {} = ?", rows.record_column), only);
        let order = rows.position.unwrap_or(rows.item_column);
        let mut by_record: HashMap<i32, FieldContent> = HashMap::new();
        for row in
            tx.fetch_all(statement.append_text(&format!("ORDER BY {}, {order}", rows.record_column))).await?
        {
            let content = by_record.entry(row.get(rows.record_column)?).or_insert_with(|| match field.kind {
                FieldType::References { .. } => FieldContent::Codes(Vec::new()),
                _ => FieldContent::Lines(Vec::new()),
            });
            match content {
                FieldContent::Codes(codes) => codes.push(row.get(rows.item_column)?),
                FieldContent::Lines(lines) => lines.push(row.get(rows.item_column)?),
                _ => {}
            }
        }
        for record in &mut records {
            record.values[at] = by_record.remove(&record.code).unwrap_or(FieldContent::Nothing);
        }
    }
    Ok(records)
}
