//! The values of a record as text, which the undo of an import goes back to.

use super::row::StoredRecord;
use crate::Error;
use domain::{Date, Money};
use registers::{FieldContent, FieldSpec, FieldType, Register};
use serde_json::{Value, json};

pub fn encode_record_snapshot(record: &StoredRecord) -> String {
    let values: Vec<Value> = record
        .values
        .iter()
        .map(|value| match value {
            FieldContent::Nothing => Value::Null,
            FieldContent::Number(number) => (*number).into(),
            FieldContent::Money(money) => money.cents().into(),
            FieldContent::Flag(flag) => (*flag).into(),
            FieldContent::Text(text) => text.as_str().into(),
            FieldContent::Date(date) => date.to_iso().into(),
            FieldContent::Codes(codes) => json!({ "codes": codes }),
            FieldContent::Lines(lines) => json!({ "lines": lines }),
        })
        .collect();
    json!({ "values": values, "active": record.active }).to_string()
}

pub fn parse_record_snapshot(register: &Register, text: &str) -> Result<(Vec<FieldContent>, bool), Error> {
    let broken = || Error::Broken("a record is kept that cannot be read".to_owned());
    parse_snapshot(register, text).ok_or_else(broken)
}

fn parse_snapshot(register: &Register, text: &str) -> Option<(Vec<FieldContent>, bool)> {
    let all: Value = serde_json::from_str(text).ok()?;
    let one = |(field, value): (&FieldSpec, &Value)| {
        Some(match (field.kind, value) {
            (_, Value::Null) => FieldContent::Nothing,
            (FieldType::Money, Value::Number(cents)) => {
                FieldContent::Money(Money::from_stored_cents(cents.as_i64()?)?)
            }
            (_, Value::Number(number)) => FieldContent::Number(number.as_i64()?),
            (_, Value::Bool(flag)) => FieldContent::Flag(*flag),
            (FieldType::Date, Value::String(day)) => FieldContent::Date(Date::from_iso(day)?),
            (_, Value::String(text)) => FieldContent::Text(text.clone()),
            // No register that is imported has list fields.
            (_, Value::Array(_) | Value::Object(_)) => return None,
        })
    };
    let values: Option<Vec<FieldContent>> =
        register.fields.iter().zip(all["values"].as_array()?).map(one).collect();
    Some((values?, all["active"].as_bool()?))
}
