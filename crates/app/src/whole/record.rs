//! A row as a line of JSON, and back. Fields bear the names of the columns; one that is not there is null. Moments are
//! written in UTC, bytes in base64, and what was encrypted with the server's key is opened, for the key does not travel.

use crate::vault::{Place, Vault};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use domain::{Chance, Moment, TenantId};
use jiff::Timestamp;
use serde::Serializer;
use serde::ser::{Error as _, SerializeMap};
use serde_json::Value as Json;
use storage::Value;
use storage::secrets;
use storage::whole::{Kind, Table};

/// What opens and seals what is encrypted.
pub struct Safe {
    pub tenant: TenantId,
    pub vault: Vault,
}

impl Safe {
    /// The place of a secret, which is part of its encryption.
    fn place(&self, table: &Table, row: &[Value]) -> Result<Place, String> {
        let at = |name: &str| table.place(name).and_then(|at| row.get(at));
        let (Some(Value::Text(kind)), Some(Value::Int(code))) = (at("kind"), at("code")) else {
            return Err("a secret without kind and code".to_owned());
        };
        let kind = secrets::Kind::from_name(kind).ok_or_else(|| format!("a secret of the kind {kind}"))?;
        let code = i32::try_from(*code).map_err(|_| format!("a secret of {code}"))?;
        Ok(Place { tenant: self.tenant, kind, code })
    }
}

/// Appends a row as one line.
pub fn write(out: &mut Vec<u8>, table: &Table, row: &[Value], safe: &Safe) -> Result<(), String> {
    let mut json = serde_json::Serializer::new(&mut *out);
    fields(&mut json, table, row, safe).map_err(|error| error.to_string())?;
    out.push(b'\n');
    Ok(())
}

fn fields<S: Serializer>(json: S, table: &Table, row: &[Value], safe: &Safe) -> Result<S::Ok, S::Error> {
    let mut map = json.serialize_map(None)?;
    for (column, value) in table.columns.iter().zip(row) {
        match (value, column.kind) {
            (Value::Null, _) => {}
            (Value::Int(number), Kind::Moment) => {
                map.serialize_entry(column.name, &Moment::from_millis(*number).to_iso())?;
            }
            (Value::Int(number), _) => map.serialize_entry(column.name, number)?,
            (Value::Bool(flag), _) => map.serialize_entry(column.name, flag)?,
            (Value::Text(text), _) => map.serialize_entry(column.name, text)?,
            (Value::Bytes(bytes), Kind::Sealed) => {
                let place = safe.place(table, row).map_err(S::Error::custom)?;
                let plain = safe.vault.open(place, bytes).map_err(S::Error::custom)?;
                map.serialize_entry(column.name, &BASE64.encode(plain))?;
            }
            (Value::Bytes(bytes), _) => map.serialize_entry(column.name, &BASE64.encode(bytes))?,
        }
    }
    map.end()
}

/// Reads a line back.
pub fn read(line: &[u8], table: &Table, safe: &Safe, chance: &dyn Chance) -> Result<Vec<Value>, String> {
    let mut fields: serde_json::Map<String, Json> =
        serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let mut row = Vec::with_capacity(table.columns.len() + table.former.len());
    for column in table.columns.iter().chain(&table.former) {
        let value = match fields.remove(column.name) {
            None | Some(Json::Null) => Value::Null,
            Some(json) => {
                value(column.kind, &json).ok_or_else(|| format!("{} cannot be {json}", column.name))?
            }
        };
        row.push(value);
    }
    if let Some(unknown) = fields.keys().next() {
        return Err(format!("{} has no {unknown}", table.name));
    }
    if let Some(at) = table.columns.iter().position(|column| column.kind == Kind::Sealed)
        && let Value::Bytes(plain) = &row[at]
    {
        let sealed = safe.vault.seal(chance, safe.place(table, &row)?, plain);
        row[at] = Value::Bytes(sealed.map_err(|error| error.to_string())?);
    }
    Ok(row)
}

fn value(kind: Kind, json: &Json) -> Option<Value> {
    Some(match (kind, json) {
        (Kind::Int, Json::Number(number)) => number.as_i64()?.into(),
        (Kind::Flag, Json::Bool(flag)) => (*flag).into(),
        (Kind::Text, Json::String(text)) => text.as_str().into(),
        (Kind::Moment, Json::String(text)) => moment(text)?.into(),
        (Kind::Bytes | Kind::Sealed, Json::String(text)) => Value::Bytes(BASE64.decode(text).ok()?),
        _ => return None,
    })
}

/// A moment that the calendar does not know was written as its number.
fn moment(text: &str) -> Option<i64> {
    let parsed = text.parse::<Timestamp>().map(Timestamp::as_millisecond);
    parsed.ok().or_else(|| text.parse().ok())
}

/// The text of a column, where it holds one.
pub fn text<'r>(table: &Table, row: &'r [Value], column: &str) -> Option<&'r str> {
    match table.place(column).and_then(|at| row.get(at))? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::whole::tables;

    struct Fives;
    impl Chance for Fives {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(5);
        }
    }

    fn safe(key: u8) -> Safe {
        Safe { tenant: TenantId::new(1), vault: Vault::new(&[key; 32]).unwrap() }
    }

    fn table(name: &str) -> &'static Table {
        tables().iter().find(|table| table.name == name).unwrap()
    }

    #[test]
    fn a_row_is_a_line_with_names_and_comes_back_the_same() {
        let mails = table("mails");
        let mut row: Vec<Value> = vec![Value::Null; mails.columns.len()];
        let mut set = |name: &str, value: Value| row[mails.place(name).unwrap()] = value;
        set("code", 7.into());
        set("subject", "Olá; \"você\"\n".into());
        set("created_at", 1_794_663_125_250_i64.into());
        set("confidential", true.into());
        let mut line = Vec::new();
        write(&mut line, mails, &row, &safe(1)).unwrap();
        assert_eq!(
            String::from_utf8(line.clone()).unwrap(),
            "{\"code\":7,\"subject\":\"Olá; \\\"você\\\"\\n\",\"created_at\":\"2026-11-14T13:32:05.25Z\",\"confidential\":true}\n"
        );
        assert_eq!(read(&line, mails, &safe(1), &Fives).unwrap(), row);
        assert!(read(b"{\"cor\": 1}", mails, &safe(1), &Fives).unwrap_err().contains("cor"));
        assert!(read(b"{\"code\": \"7\"}", mails, &safe(1), &Fives).unwrap_err().contains("code"));
    }

    #[test]
    fn a_secret_is_sealed_again_for_the_server_that_takes_it() {
        let (secrets, here, there) = (table("secrets"), safe(1), safe(2));
        let place = Place { tenant: here.tenant, kind: secrets::Kind::Receiver, code: 3 };
        let sealed = here.vault.seal(&Fives, place, b"segredo").unwrap();
        let row: Vec<Value> = vec!["receiver".into(), 3.into(), sealed[..].into()];
        let mut line = Vec::new();
        write(&mut line, secrets, &row, &here).unwrap();
        let brought = read(&line, secrets, &there, &Fives).unwrap();
        let Value::Bytes(resealed) = &brought[2] else { panic!("no secret") };
        assert_eq!(there.vault.open(place, resealed).unwrap(), b"segredo");
        assert!(here.vault.open(place, resealed).is_err());
    }
}
