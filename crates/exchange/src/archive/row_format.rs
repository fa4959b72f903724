//! Converts rows to lines of JSON and back. Fields have the column names; null fields are omitted. Timestamps are in
//! UTC, bytes in base64, and secrets are decrypted, because the server's key is not part of the archive.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use domain::{Moment, RandomSource, SecretOwnerKind, TenantId};
use jiff::Timestamp;
use serde::Serializer;
use serde::ser::{Error as _, SerializeMap};
use serde_json::Value as Json;
use storage::SqlScalar;
use storage::exchange::archive::{ArchiveColumnKind, ArchiveTable};
use vault::{SecretLocation, Vault};

/// Encrypts and decrypts the tenant's secrets.
pub struct TenantVault {
    pub tenant: TenantId,
    pub vault: Vault,
}

impl TenantVault {
    /// The location of a secret, which is part of its encryption.
    fn secret_place(&self, table: &ArchiveTable, row: &[SqlScalar]) -> Result<SecretLocation, String> {
        let at = |name: &str| table.column_position(name).and_then(|at| row.get(at));
        let (Some(SqlScalar::Text(kind)), Some(SqlScalar::Int(code))) = (at("kind"), at("code")) else {
            return Err("a secret without kind and code".to_owned());
        };
        let kind = SecretOwnerKind::from_name(kind).ok_or_else(|| format!("a secret of the kind {kind}"))?;
        let code = i32::try_from(*code).map_err(|_| format!("a secret of {code}"))?;
        Ok(SecretLocation { tenant: self.tenant, kind, code })
    }
}

/// Appends a row as one line.
pub fn write_record(
    out: &mut Vec<u8>,
    table: &ArchiveTable,
    row: &[SqlScalar],
    tenant_vault: &TenantVault,
) -> Result<(), String> {
    let mut json = serde_json::Serializer::new(&mut *out);
    serialize_fields(&mut json, table, row, tenant_vault).map_err(|error| error.to_string())?;
    out.push(b'\n');
    Ok(())
}

fn serialize_fields<S: Serializer>(
    json: S,
    table: &ArchiveTable,
    row: &[SqlScalar],
    tenant_vault: &TenantVault,
) -> Result<S::Ok, S::Error> {
    let mut map = json.serialize_map(None)?;
    for (column, value) in table.columns.iter().zip(row) {
        match (value, column.kind) {
            (SqlScalar::Null, _) => {}
            (SqlScalar::Int(number), ArchiveColumnKind::Moment) => {
                map.serialize_entry(column.name, &Moment::from_millis(*number).to_iso())?;
            }
            (SqlScalar::Int(number), _) => map.serialize_entry(column.name, number)?,
            (SqlScalar::Bool(flag), _) => map.serialize_entry(column.name, flag)?,
            (SqlScalar::Text(text), _) => map.serialize_entry(column.name, text)?,
            (SqlScalar::Bytes(bytes), ArchiveColumnKind::Sealed) => {
                let place = tenant_vault.secret_place(table, row).map_err(S::Error::custom)?;
                let plain = tenant_vault.vault.open(place, bytes).map_err(S::Error::custom)?;
                map.serialize_entry(column.name, &BASE64.encode(plain))?;
            }
            (SqlScalar::Bytes(bytes), _) => map.serialize_entry(column.name, &BASE64.encode(bytes))?,
        }
    }
    map.end()
}

pub fn parse_record(
    line: &[u8],
    table: &ArchiveTable,
    tenant_vault: &TenantVault,
    chance: &dyn RandomSource,
) -> Result<Vec<SqlScalar>, String> {
    let mut fields: serde_json::Map<String, Json> =
        serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let mut row = Vec::with_capacity(table.columns.len() + table.former.len());
    for column in table.columns.iter().chain(&table.former) {
        let value = match fields.remove(column.name) {
            None | Some(Json::Null) => SqlScalar::Null,
            Some(json) => {
                parse_value(column.kind, &json).ok_or_else(|| format!("{} cannot be {json}", column.name))?
            }
        };
        row.push(value);
    }
    if let Some(unknown) = fields.keys().next() {
        return Err(format!("{} has no {unknown}", table.name));
    }
    if let Some(at) = table.columns.iter().position(|column| column.kind == ArchiveColumnKind::Sealed)
        && let SqlScalar::Bytes(plain) = &row[at]
    {
        let sealed = tenant_vault.vault.seal(chance, tenant_vault.secret_place(table, &row)?, plain);
        row[at] = SqlScalar::Bytes(sealed.map_err(|error| error.to_string())?.bytes);
    }
    Ok(row)
}

fn parse_value(kind: ArchiveColumnKind, json: &Json) -> Option<SqlScalar> {
    Some(match (kind, json) {
        (ArchiveColumnKind::Int, Json::Number(number)) => number.as_i64()?.into(),
        (ArchiveColumnKind::Flag, Json::Bool(flag)) => (*flag).into(),
        (ArchiveColumnKind::Text, Json::String(text)) => text.as_str().into(),
        (ArchiveColumnKind::Moment, Json::String(text)) => parse_moment(text)?.into(),
        (ArchiveColumnKind::Bytes | ArchiveColumnKind::Sealed, Json::String(text)) => {
            SqlScalar::Bytes(BASE64.decode(text).ok()?)
        }
        _ => return None,
    })
}

/// Timestamps outside the calendar range are written as numbers.
fn parse_moment(text: &str) -> Option<i64> {
    let parsed = text.parse::<Timestamp>().map(Timestamp::as_millisecond);
    parsed.ok().or_else(|| text.parse().ok())
}

pub fn read_text_column<'r>(table: &ArchiveTable, row: &'r [SqlScalar], column: &str) -> Option<&'r str> {
    match table.column_position(column).and_then(|at| row.get(at))? {
        SqlScalar::Text(text) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::exchange::archive::list_archive_tables;

    struct Fives;
    impl RandomSource for Fives {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(5);
        }
    }

    fn safe(key: u8) -> TenantVault {
        TenantVault { tenant: TenantId::new(1), vault: Vault::new(&[key; 32]).unwrap() }
    }

    fn table(name: &str) -> &'static ArchiveTable {
        list_archive_tables().iter().find(|table| table.name == name).unwrap()
    }

    #[test]
    fn a_row_is_a_line_with_names_and_comes_back_the_same() {
        let mails = table("mails");
        let mut row: Vec<SqlScalar> = vec![SqlScalar::Null; mails.columns.len()];
        let mut set = |name: &str, value: SqlScalar| row[mails.column_position(name).unwrap()] = value;
        set("code", 7.into());
        set("subject", "Olá; \"você\"\n".into());
        set("created_at", 1_794_663_125_250_i64.into());
        set("confidential", true.into());
        let mut line = Vec::new();
        write_record(&mut line, mails, &row, &safe(1)).unwrap();
        assert_eq!(
            String::from_utf8(line.clone()).unwrap(),
            "{\"code\":7,\"subject\":\"Olá; \\\"você\\\"\\n\",\"created_at\":\"2026-11-14T13:32:05.25Z\",\"confidential\":true}\n"
        );
        assert_eq!(parse_record(&line, mails, &safe(1), &Fives).unwrap(), row);
        assert!(parse_record(b"{\"cor\": 1}", mails, &safe(1), &Fives).unwrap_err().contains("cor"));
        assert!(parse_record(b"{\"code\": \"7\"}", mails, &safe(1), &Fives).unwrap_err().contains("code"));
    }

    #[test]
    fn a_secret_is_sealed_again_for_the_server_that_takes_it() {
        let (secrets, here, there) = (table("secrets"), safe(1), safe(2));
        let place = SecretLocation { tenant: here.tenant, kind: SecretOwnerKind::Receiver, code: 3 };
        let sealed = here.vault.seal(&Fives, place, b"segredo").unwrap();
        let row: Vec<SqlScalar> = vec!["receiver".into(), 3.into(), sealed.bytes[..].into()];
        let mut line = Vec::new();
        write_record(&mut line, secrets, &row, &here).unwrap();
        let parsed = parse_record(&line, secrets, &there, &Fives).unwrap();
        let SqlScalar::Bytes(resealed) = &parsed[2] else { panic!("no secret") };
        assert_eq!(there.vault.open(place, resealed).unwrap(), b"segredo");
        assert!(here.vault.open(place, resealed).is_err());
    }
}
