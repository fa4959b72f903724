//! A text snapshot of a record, from which it can be restored.

use crate::executor::row::ResultBuffer;
use crate::{Error, Row, SqlScalar, SqlScalarRef};
use serde_json::{Map, Value as Json};

/// Encodes the columns of an `INSERT INTO table (columns) VALUES` with their values.
pub(crate) fn encode_snapshot(insert: &str, values: impl IntoIterator<Item = SqlScalar>) -> String {
    let columns = insert.split_once('(').map_or("", |(_, rest)| rest);
    let columns = columns.split_once(')').map_or(columns, |(inside, _)| inside);
    let names = columns.split(',').map(|name| name.trim().to_owned());
    let object: Map<String, Json> = names.zip(values.into_iter().map(convert_to_json)).collect();
    Json::Object(object).to_string()
}

fn convert_to_json(value: SqlScalar) -> Json {
    match value {
        SqlScalar::Null | SqlScalar::Bytes(_) => Json::Null,
        SqlScalar::Int(number) => number.into(),
        SqlScalar::Bool(flag) => flag.into(),
        SqlScalar::Text(text) => text.into(),
    }
}

/// Parses a snapshot into a database row.
pub(crate) fn parse_snapshot_row(text: &str) -> Result<Row, Error> {
    let broken = || Error::Broken("a record is kept that cannot be read".to_owned());
    let object: Map<String, Json> = serde_json::from_str(text).map_err(|_| broken())?;
    let columns: Vec<_> = object.keys().map(|name| name.as_str().into()).collect();
    let mut page = ResultBuffer::new(columns.into(), (object.len(), text.len()));
    for value in object.values() {
        page.push(match value {
            Json::Null => SqlScalarRef::Null,
            Json::Bool(flag) => SqlScalarRef::Bool(*flag),
            Json::Number(number) => SqlScalarRef::Int(number.as_i64().ok_or_else(broken)?),
            Json::String(text) => SqlScalarRef::Text(text),
            _ => return Err(broken()),
        })?;
    }
    page.into_rows().pop().ok_or_else(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let values = [SqlScalar::Int(7), "Zé \"D'Ávila\"".into(), SqlScalar::Null, true.into()];
        let snapshot = encode_snapshot("INSERT INTO t (code, name,\n  email, active) VALUES", values);
        let row = parse_snapshot_row(&snapshot).unwrap();
        assert_eq!(row.get::<i32>("code").unwrap(), 7);
        assert_eq!(row.get::<String>("name").unwrap(), "Zé \"D'Ávila\"");
        assert_eq!(row.get::<Option<String>>("email").unwrap(), None);
        assert!(row.get::<bool>("active").unwrap());
        assert!(parse_snapshot_row("[]").is_err());
    }
}
