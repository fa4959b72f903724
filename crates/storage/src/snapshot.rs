//! A record as it stood, in one text: what it needs to become that again.

use crate::row::Page;
use crate::{Error, Row, Value, ValueRef};
use serde_json::{Map, Value as Json};

/// The columns and values of an `INSERT INTO table (columns) VALUES`.
pub(crate) fn text(insert: &str, values: impl IntoIterator<Item = Value>) -> String {
    let columns = insert.split_once('(').map_or("", |(_, rest)| rest);
    let columns = columns.split_once(')').map_or(columns, |(inside, _)| inside);
    let names = columns.split(',').map(|name| name.trim().to_owned());
    let object: Map<String, Json> = names.zip(values.into_iter().map(json)).collect();
    Json::Object(object).to_string()
}

fn json(value: Value) -> Json {
    match value {
        Value::Null | Value::Bytes(_) => Json::Null,
        Value::Int(number) => number.into(),
        Value::Bool(flag) => flag.into(),
        Value::Text(text) => text.into(),
    }
}

/// A row as the database would have given it.
pub(crate) fn row(text: &str) -> Result<Row, Error> {
    let broken = || Error::Broken("a record is kept that cannot be read".to_owned());
    let object: Map<String, Json> = serde_json::from_str(text).map_err(|_| broken())?;
    let columns: Vec<_> = object.keys().map(|name| name.as_str().into()).collect();
    let mut page = Page::new(columns.into(), (object.len(), text.len()));
    for value in object.values() {
        page.push(match value {
            Json::Null => ValueRef::Null,
            Json::Bool(flag) => ValueRef::Bool(*flag),
            Json::Number(number) => ValueRef::Int(number.as_i64().ok_or_else(broken)?),
            Json::String(text) => ValueRef::Text(text),
            _ => return Err(broken()),
        })?;
    }
    page.rows().pop().ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let values = [Value::Int(7), "Zé \"D'Ávila\"".into(), Value::Null, true.into()];
        let kept = text("INSERT INTO t (code, name,\n  email, active) VALUES", values);
        let row = row(&kept).unwrap();
        assert_eq!(row.get::<i32>("code").unwrap(), 7);
        assert_eq!(row.get::<String>("name").unwrap(), "Zé \"D'Ávila\"");
        assert_eq!(row.get::<Option<String>>("email").unwrap(), None);
        assert!(row.get::<bool>("active").unwrap());
        assert!(super::row("[]").is_err());
    }
}
