//! Other records that a record may conflict with.

use super::conditions::{FieldCondition, filter_by_conditions};
use crate::{Error, Tx, sql};
use domain::{TenantId, fold_text};
use registers::{FieldContent, Register, UniqueConstraint};

/// How many other active records match these fields.
#[boxed::future]
pub async fn count_other_active_records(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    code: i32,
    conditions: &[FieldCondition<'_>],
) -> Result<i64, Error> {
    let count =
        sql("SELECT COUNT(*) AS count FROM").append_text(register.table).append("WHERE tenant = ?", [tenant]);
    let count = count.append(&format!("AND {} <> ?", register.key), [code]);
    let row = tx.fetch_optional(filter_by_conditions(count, conditions, Some(true))).await?;
    row.map_or(Ok(0), |row| row.get("count"))
}

/// The code of another record that violates a unique constraint with these values.
#[boxed::future]
pub async fn find_duplicate_record(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    unique: &UniqueConstraint,
    values: &[FieldContent],
    except: Option<i32>,
) -> Result<Option<i32>, Error> {
    let find_condition = |name: &&str| register.find_field(name).map(|(at, field)| (field, &values[at]));
    let conditions: Vec<FieldCondition<'_>> = unique.fields.iter().filter_map(find_condition).collect();
    let [(first, value), ..] = conditions[..] else { return Ok(None) };
    // A missing value is never a duplicate.
    let folded = match value {
        FieldContent::Text(text) => fold_text(text),
        FieldContent::Date(_) => String::new(),
        _ => return Ok(None),
    };
    let equal = if unique.folded { &conditions[1..] } else { &conditions[..] };
    let statement = sql("SELECT").append_text(&format!("{} AS code, {} AS name", register.key, first.column));
    let statement =
        statement.append_text(&format!("FROM {}", register.table)).append("WHERE tenant = ?", [tenant]);
    let rows = tx
        .fetch_all(
            filter_by_conditions(statement, equal, None).append_text(&format!("ORDER BY {}", register.key)),
        )
        .await?;
    for row in &rows {
        let (code, name): (i32, String) = (row.get("code")?, row.get("name")?);
        if Some(code) != except && (!unique.folded || fold_text(&name) == folded) {
            return Ok(Some(code));
        }
    }
    Ok(None)
}
