//! A record as a row of its table.

use crate::{Error, Row, SqlScalar};
use domain::{Date, Moment, Money};
use registers::{FieldContent, FieldSpec, FieldType, Register};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    pub code: i32,
    /// In the order of the description.
    pub values: Vec<FieldContent>,
    pub active: bool,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

pub(super) fn encode_field_value(value: &FieldContent) -> SqlScalar {
    match value {
        FieldContent::Nothing | FieldContent::Codes(_) => SqlScalar::Null,
        FieldContent::Number(number) => (*number).into(),
        FieldContent::Money(money) => (*money).into(),
        FieldContent::Flag(flag) => (*flag).into(),
        FieldContent::Text(text) => text.as_str().into(),
        FieldContent::Date(date) => (*date).into(),
        FieldContent::Lines(lines) if lines.is_empty() => SqlScalar::Null,
        FieldContent::Lines(lines) => lines.join("\n").into(),
    }
}

pub(super) fn parse_record_row(register: &Register, row: &Row) -> Result<StoredRecord, Error> {
    let values = register
        .fields
        .iter()
        .map(|field| parse_field_value(field, row))
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(StoredRecord {
        code: row.get(register.key)?,
        values,
        active: row.get("active")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

fn parse_field_value(field: &FieldSpec, row: &Row) -> Result<FieldContent, Error> {
    if !field.is_column() {
        return Ok(FieldContent::Nothing);
    }
    let column = field.column;
    let read = match field.kind {
        FieldType::Flag => row.get::<Option<bool>>(column)?.map(FieldContent::Flag),
        FieldType::Integer { .. }
        | FieldType::Percent
        | FieldType::Choice(_)
        | FieldType::Reference(_)
        | FieldType::Benefit
        | FieldType::Person => row.get::<Option<i64>>(column)?.map(FieldContent::Number),
        FieldType::Money => row.get::<Option<Money>>(column)?.map(FieldContent::Money),
        FieldType::Date => row.get::<Option<Date>>(column)?.map(FieldContent::Date),
        FieldType::Lines { .. } => {
            let text: Option<String> = row.get(column)?;
            text.map(|text| FieldContent::Lines(text.lines().map(str::to_owned).collect()))
        }
        _ => row.get::<Option<String>>(column)?.map(FieldContent::Text),
    };
    Ok(read.unwrap_or(FieldContent::Nothing))
}
