//! Writes people.

use super::person_row::{INSERT, encode_person_values};
use crate::executor::statement::build_inserts;
use crate::{Error, Statement, Tx, sql};
use domain::{PersonCode, PersonProfile, TenantId};

/// Enough to amortize its cost, within the parameter limit of both engines.
const ROWS_PER_STATEMENT: usize = 100;

/// Inserts people with consecutive codes from `first` on.
#[boxed::future]
pub async fn insert_people_from<'p>(
    tx: &mut Tx,
    tenant: TenantId,
    first: PersonCode,
    people: impl IntoIterator<Item = &'p PersonProfile>,
) -> Result<(), Error> {
    let rows = (first.get()..).zip(people).map(|(code, person)| encode_person_values(tenant, code, person));
    tx.execute_batch(build_inserts(INSERT, ROWS_PER_STATEMENT, rows)).await
}

/// Inserts people with the given codes.
pub fn insert_people<'p>(
    tenant: TenantId,
    people: impl IntoIterator<Item = (PersonCode, &'p PersonProfile)>,
) -> Vec<Statement> {
    build_inserts(
        INSERT,
        ROWS_PER_STATEMENT,
        people.into_iter().map(|(code, person)| encode_person_values(tenant, code.get(), person)),
    )
}

/// Clears the documents of some people, so that they can exchange them.
pub fn clear_documents(tenant: TenantId, codes: impl IntoIterator<Item = PersonCode>) -> Statement {
    sql("UPDATE people SET document = NULL WHERE tenant = $1").arg(tenant).filter_in("code", codes)
}

#[boxed::future]
pub async fn update_person(
    tx: &mut Tx,
    tenant: TenantId,
    code: PersonCode,
    person: &PersonProfile,
) -> Result<(), Error> {
    let values = encode_person_values(tenant, code.get(), person);
    let statement = sql("UPDATE people SET branch = $3, is_member = $4, document = $5, nature = $6, name = $7,
             integration_code = $8, email = $9, receives_email = $10, receives_whatsapp = $11, sex = $12, born_on = $13,
             identity_number = $14, identity_issuer = $15, identity_issued_on = $16, mother = $17, civil_state = $18,
             cnh_number = $19, cnh_category = $20, cnh_valid_until = $21, trade_name = $22, state_registration = $23,
             municipal_registration = $24, legal_representative = $25, company = $26, company_document = $27,
             consultant = $28, representative = $29, address_kind = $30, street_kind = $31, street = $32,
             street_number = $33, complement = $34, district = $35, city = $36, state = $37, cep = $38,
             mobile = $39, landline = $40, spouse = $41, payer_document = $42, payer_address = $43,
             version = version + $44, created_at = $45, updated_at = $46
         WHERE tenant = $1 AND code = $2");
    tx.execute(values.into_iter().fold(statement, Statement::arg)).await.map(drop)
}
