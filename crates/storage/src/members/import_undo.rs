//! What is needed to undo the import of a person.

use super::person_row::{INSERT, encode_person_values, parse_profile_row};
use super::phones;
use crate::exchange::imports::removed_codes;
use crate::exchange::record_snapshot;
use crate::{Error, Statement, Tx, sql};
use domain::{ContactPhone, PersonCode, PersonProfile, ReferenceKind, TenantId};
use serde_json::{Value as Json, json};

/// Encodes a person and their telephones as a text snapshot.
pub fn encode_person_snapshot(person: &PersonProfile, phones: &[ContactPhone]) -> String {
    let phones: Vec<Json> = phones
        .iter()
        .map(|one| json!([one.kind.number(), one.country.as_str(), one.number.as_str()]))
        .collect();
    json!({
        "person": record_snapshot::encode_snapshot(INSERT, encode_person_values(TenantId::SERVER, 0, person)),
        "phones": phones,
    })
    .to_string()
}

/// Parses a snapshot; its version must not be used.
pub fn parse_person_snapshot(text: &str) -> Result<(PersonProfile, Vec<ContactPhone>), Error> {
    let broken = || Error::Broken("a person is kept that cannot be read".to_owned());
    let all: Json = serde_json::from_str(text).map_err(|_| broken())?;
    let person =
        parse_profile_row(&record_snapshot::parse_snapshot_row(all["person"].as_str().ok_or_else(broken)?)?)?;
    let phones = all["phones"].as_array().ok_or_else(broken)?.iter();
    let one = |one: &Json| {
        let kind = one[0].as_i64().and_then(domain::PhoneKind::from_number)?;
        phones::parse_stored_phone(kind, one[1].as_str()?, one[2].as_str()?)
    };
    Ok((person, phones.map(|phone| one(phone).ok_or_else(broken)).collect::<Result<_, _>>()?))
}

/// The first reference to a person that is found, if any.
#[boxed::future]
pub async fn find_person_reference(
    tx: &mut Tx,
    tenant: TenantId,
    code: PersonCode,
) -> Result<Option<ReferenceKind>, Error> {
    let query = |text: &'static str| sql(text).arg(tenant).arg(code);
    let found = tx
        .fetch_several([
            query("SELECT 1 AS one FROM benefits WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM leads WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM claims WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM inspections WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM tickets WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM appointments WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM credit_cards WHERE tenant = $1 AND person = $2 LIMIT 1"),
            query("SELECT 1 AS one FROM titles WHERE tenant = $1 AND person = $2 LIMIT 1"),
            // Ledger account 7 is a member's credit. A reversed one stays in the books, under the person's code.
            query("SELECT 1 AS one FROM ledger_accounts WHERE tenant = $1 AND kind = 7 AND reference = $2 LIMIT 1"),
            // Owner 4 is a member.
            query("SELECT 1 AS one FROM files WHERE tenant = $1 AND owner = 4 AND record = $2 LIMIT 1"),
        ])
        .await?;
    let kinds = [
        ReferenceKind::Benefits,
        ReferenceKind::Lead,
        ReferenceKind::Claims,
        ReferenceKind::Inspections,
        ReferenceKind::Tickets,
        ReferenceKind::Appointments,
        ReferenceKind::CreditCards,
        ReferenceKind::Titles,
        ReferenceKind::Credit,
        ReferenceKind::Files,
    ];
    Ok(found.iter().zip(kinds).find(|(rows, _)| !rows.is_empty()).map(|(_, kind)| kind))
}

/// Deletes a person whom nothing references. The caller removes the search row.
pub fn delete_person(tenant: TenantId, code: PersonCode) -> Vec<Statement> {
    vec![
        sql("DELETE FROM phones WHERE tenant = $1 AND person = $2").arg(tenant).arg(code),
        sql("DELETE FROM people WHERE tenant = $1 AND code = $2").arg(tenant).arg(code),
        removed_codes::insert_removed_code(tenant, "person", code.get()),
    ]
}
