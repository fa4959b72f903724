//! What of a record stands in a table of its own: lists of codes and of texts.

use super::Record;
use crate::{Error, Statement, Tx, Value as Kept, sql};
use domain::TenantId;
use registers::{Kind, Register, Rows, Value};
use std::collections::HashMap;

/// The statements that write what stands in tables of its own.
pub(super) fn parts<'v>(
    register: &'static Register,
    tenant: TenantId,
    code: i32,
    values: &'v [Value],
) -> impl Iterator<Item = Statement> + 'v {
    let own = register.fields.iter().zip(values).filter_map(|(field, value)| Some((field.rows()?, value)));
    own.flat_map(move |(rows, value)| {
        let parts: Vec<Kept> = match value {
            Value::Codes(codes) => codes.iter().map(|code| (*code).into()).collect(),
            Value::Lines(lines) => lines.iter().map(|line| line.as_str().into()).collect(),
            _ => Vec::new(),
        };
        (1_i64..).zip(parts).map(move |(at, part)| one_part(rows, (tenant, code), at, part))
    })
}

fn one_part(rows: &Rows, (tenant, code): (TenantId, i32), at: i64, part: Kept) -> Statement {
    let position = rows.position.map(|column| format!(", {column}")).unwrap_or_default();
    let head = format!("{} (tenant, {}, {}{position}) VALUES", rows.table, rows.own, rows.part);
    let mut row: Vec<Kept> = vec![tenant.into(), code.into(), part];
    row.extend(rows.position.map(|_| at.into()));
    sql("INSERT INTO").ending(&head).rows([row])
}

/// The records with what stands in tables of its own: of one of them, or of all.
pub(super) async fn with_parts(
    tx: &mut Tx,
    register: &Register,
    tenant: TenantId,
    mut records: Vec<Record>,
    only: Option<i32>,
) -> Result<Vec<Record>, Error> {
    for (at, field) in register.fields.iter().enumerate() {
        let Some(rows) = field.rows().filter(|_| !records.is_empty()) else { continue };
        let select = format!("{}, {} FROM {}", rows.own, rows.part, rows.table);
        let statement = sql("SELECT").ending(&select).then("WHERE tenant = ?", [tenant]);
        let statement = statement.when(&format!("AND {} = ?", rows.own), only);
        let order = rows.position.unwrap_or(rows.part);
        let mut of: HashMap<i32, Value> = HashMap::new();
        for row in tx.all(statement.ending(&format!("ORDER BY {}, {order}", rows.own))).await? {
            let own = of.entry(row.get(rows.own)?).or_insert_with(|| match field.kind {
                Kind::References { .. } => Value::Codes(Vec::new()),
                _ => Value::Lines(Vec::new()),
            });
            match own {
                Value::Codes(codes) => codes.push(row.get(rows.part)?),
                Value::Lines(lines) => lines.push(row.get(rows.part)?),
                _ => {}
            }
        }
        for record in &mut records {
            record.values[at] = of.remove(&record.code).unwrap_or(Value::Nothing);
        }
    }
    Ok(records)
}
