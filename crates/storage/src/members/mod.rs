//! The people known to a tenant, members or not.

pub mod credit_cards;
pub mod dependents;
pub mod panel;
pub mod phones;
pub mod saved_filters;

mod import_undo;

pub use import_undo::{delete_person, encode_person_snapshot, find_person_reference, parse_person_snapshot};

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, benefits, sql};
use domain::{
    Cep, Cnpj, Document, Email, PersonCode, PersonProfile, Phone, PostalAddress, Rejection, Scope, TenantId,
};

/// Rows per statement: enough to amortize its cost, within the parameter limit of both engines.
const ROWS: usize = 100;
const COLUMNS: usize = 46;

/// Inserts people with consecutive codes from `first` on.
#[boxed::future]
pub async fn insert_people_from<'p>(
    tx: &mut Tx,
    tenant: TenantId,
    first: PersonCode,
    people: impl IntoIterator<Item = &'p PersonProfile>,
) -> Result<(), Error> {
    let rows = (first.get()..).zip(people).map(|(code, person)| encode_person_values(tenant, code, person));
    tx.execute_batch(build_inserts(INSERT, ROWS, rows)).await
}

/// Inserts people with the given codes.
pub fn insert_people<'p>(
    tenant: TenantId,
    people: impl IntoIterator<Item = (PersonCode, &'p PersonProfile)>,
) -> Vec<Statement> {
    build_inserts(
        INSERT,
        ROWS,
        people.into_iter().map(|(code, person)| encode_person_values(tenant, code.get(), person)),
    )
}

/// The people with these documents, regardless of scope.
#[boxed::future]
pub async fn list_people_by_document(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    documents: impl IntoIterator<Item = &Document>,
) -> Result<Vec<(PersonCode, PersonProfile)>, Error> {
    let documents = documents.into_iter().map(Document::as_str);
    let statement = sql(SELECT).append_text("WHERE tenant = $1").arg(tenant).filter_in("document", documents);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_profile_row(row)?))).collect()
}

/// The codes of the people with these documents, given in their stored form.
#[boxed::future]
pub async fn list_person_codes_by_document<'d>(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    documents: impl IntoIterator<Item = &'d Document>,
) -> Result<Vec<(String, PersonCode)>, Error> {
    let statement = sql("SELECT document, code FROM people WHERE tenant = $1")
        .arg(tenant)
        .filter_in("document", documents.into_iter().map(Document::as_str));
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("document")?, row.get("code")?))).collect()
}

/// The person with this document, regardless of scope.
#[boxed::future]
pub async fn find_person_by_document(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    document: &Document,
) -> Result<Option<(PersonCode, PersonProfile)>, Error> {
    let statement = select_person_by_document(tenant, document);
    source
        .fetch_optional(statement)
        .await?
        .map(|row| Ok((row.get("code")?, parse_profile_row(&row)?)))
        .transpose()
}

/// The query of [`find_person_by_document`].
pub fn select_person_by_document(tenant: TenantId, document: &Document) -> Statement {
    sql(SELECT).append_text("WHERE tenant = $1 AND document = $2").arg(tenant).arg(document.as_str())
}

/// The person of this code, regardless of scope.
#[boxed::future]
pub async fn find_person(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: PersonCode,
) -> Result<Option<PersonProfile>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_profile_row(&row)).transpose()
}

/// The people of these codes, regardless of scope.
#[boxed::future]
pub async fn list_people_by_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<(PersonCode, PersonProfile)>, Error> {
    let statement = sql(SELECT).append_text("WHERE tenant = $1").arg(tenant).filter_in("code", codes);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_profile_row(row)?))).collect()
}

/// Whether the person is in the scope: by their own branch, or by that of one of their benefits.
#[boxed::future]
pub async fn is_person_visible(tx: &mut Tx, scope: &Scope, code: PersonCode) -> Result<bool, Error> {
    let statement = sql("SELECT branch FROM people WHERE tenant = $1 AND code = $2");
    match tx.fetch_optional(statement.arg(scope.tenant()).arg(code)).await? {
        None => Ok(false),
        Some(row) if scope.can_see(row.get("branch")?) => Ok(true),
        Some(_) => benefits::has_visible_benefit(tx, scope, code).await,
    }
}

const SELECT: &str = "SELECT code, branch, is_member, document, nature, name, integration_code, email,
     receives_email, receives_whatsapp, sex, born_on, identity_number, identity_issuer, identity_issued_on,
     mother, civil_state, cnh_number, cnh_category, cnh_valid_until, trade_name, state_registration,
     municipal_registration, legal_representative, company, company_document, consultant, representative,
     address_kind, street_kind, street, street_number, complement, district, city, state, cep,
     mobile, landline, spouse, payer_document, payer_address, version, created_at, updated_at FROM people";

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

/// Stored values were validated on input; one that no longer parses is a bug and is reported as an error.
fn parse_stored_text<T>(
    text: Option<String>,
    parse: impl Fn(&str) -> Result<T, Rejection>,
) -> Result<Option<T>, Error> {
    text.map(|text| {
        parse(&text)
            .map_err(|_| Error::Broken("a person is kept with a value that no longer fits".to_owned()))
    })
    .transpose()
}

fn parse_profile_row(row: &Row) -> Result<PersonProfile, Error> {
    Ok(PersonProfile {
        branch: row.get("branch")?,
        is_member: row.get("is_member")?,
        document: parse_stored_text(row.get("document")?, Document::parse)?,
        nature: row.get("nature")?,
        name: row.get("name")?,
        integration_code: row.get("integration_code")?,
        email: parse_stored_text(row.get("email")?, Email::parse)?,
        receives_email: row.get("receives_email")?,
        receives_whatsapp: row.get("receives_whatsapp")?,
        sex: row.get("sex")?,
        born_on: row.get("born_on")?,
        identity_number: row.get("identity_number")?,
        identity_issuer: row.get("identity_issuer")?,
        identity_issued_on: row.get("identity_issued_on")?,
        mother: row.get("mother")?,
        civil_state: row.get("civil_state")?,
        cnh_number: row.get("cnh_number")?,
        cnh_category: row.get("cnh_category")?,
        cnh_valid_until: row.get("cnh_valid_until")?,
        trade_name: row.get("trade_name")?,
        state_registration: row.get("state_registration")?,
        municipal_registration: row.get("municipal_registration")?,
        legal_representative: row.get("legal_representative")?,
        company: row.get("company")?,
        company_document: parse_stored_text(row.get("company_document")?, Cnpj::parse)?,
        consultant: row.get("consultant")?,
        representative: row.get("representative")?,
        address: parse_address_with_kind(row)?,
        mobile: parse_stored_text(row.get("mobile")?, Phone::parse)?,
        landline: parse_stored_text(row.get("landline")?, Phone::parse)?,
        spouse: row.get("spouse")?,
        payer_document: parse_stored_text(row.get("payer_document")?, Document::parse)?,
        payer_address: parse_payer_address(row.get("payer_address")?)?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The payer's address, which is rarely set.
pub fn parse_payer_address(text: Option<String>) -> Result<PostalAddress, Error> {
    let Some(text) = text else { return Ok(PostalAddress::default()) };
    let broken = || Error::Broken("a payer's address is kept that cannot be read".to_owned());
    let mut parts: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&text).map_err(|_| broken())?;
    Ok(PostalAddress {
        kind: parts.remove("kind"),
        street_kind: parts.remove("street_kind"),
        street: parts.remove("street"),
        number: parts.remove("number"),
        complement: parts.remove("complement"),
        district: parts.remove("district"),
        city: parts.remove("city"),
        state: parts.remove("state"),
        cep: parse_stored_text(parts.remove("cep"), Cep::parse)?,
    })
}

/// `None` if the address is empty.
fn render_payer_address(address: &PostalAddress) -> Option<String> {
    let parts = [
        ("kind", address.kind.as_deref()),
        ("street_kind", address.street_kind.as_deref()),
        ("street", address.street.as_deref()),
        ("number", address.number.as_deref()),
        ("complement", address.complement.as_deref()),
        ("district", address.district.as_deref()),
        ("city", address.city.as_deref()),
        ("state", address.state.as_deref()),
        ("cep", address.cep.as_ref().map(Cep::as_str)),
    ];
    let known = parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    let object: serde_json::Map<String, serde_json::Value> = known.collect();
    (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())
}

pub(crate) fn parse_address_with_kind(row: &Row) -> Result<PostalAddress, Error> {
    Ok(PostalAddress { kind: row.get("address_kind")?, ..parse_address_columns(row)? })
}

/// An address without a kind.
pub(crate) fn parse_address_columns(row: &Row) -> Result<PostalAddress, Error> {
    Ok(PostalAddress {
        kind: None,
        street_kind: row.get("street_kind")?,
        street: row.get("street")?,
        number: row.get("street_number")?,
        complement: row.get("complement")?,
        district: row.get("district")?,
        city: row.get("city")?,
        state: row.get("state")?,
        cep: parse_stored_text(row.get("cep")?, Cep::parse)?,
    })
}

const INSERT: &str = "INSERT INTO people (tenant, code, branch, is_member, document, nature, name, integration_code, email,
             receives_email, receives_whatsapp, sex, born_on, identity_number, identity_issuer, identity_issued_on,
             mother, civil_state, cnh_number, cnh_category, cnh_valid_until, trade_name, state_registration,
             municipal_registration, legal_representative, company, company_document, consultant, representative,
             address_kind, street_kind, street, street_number, complement, district, city, state, cep, mobile,
             landline, spouse, payer_document, payer_address, version, created_at, updated_at)
         VALUES";

fn encode_person_values(tenant: TenantId, code: i32, person: &PersonProfile) -> [SqlScalar; COLUMNS] {
    let address = &person.address;
    [
        tenant.into(),
        code.into(),
        person.branch.into(),
        person.is_member.into(),
        person.document.as_ref().map(Document::as_str).into(),
        person.nature.into(),
        person.name.as_str().into(),
        person.integration_code.as_deref().into(),
        person.email.as_ref().map(Email::as_str).into(),
        person.receives_email.into(),
        person.receives_whatsapp.into(),
        person.sex.into(),
        person.born_on.into(),
        person.identity_number.as_deref().into(),
        person.identity_issuer.as_deref().into(),
        person.identity_issued_on.into(),
        person.mother.as_deref().into(),
        person.civil_state.into(),
        person.cnh_number.as_deref().into(),
        person.cnh_category.as_deref().into(),
        person.cnh_valid_until.into(),
        person.trade_name.as_deref().into(),
        person.state_registration.as_deref().into(),
        person.municipal_registration.as_deref().into(),
        person.legal_representative.as_deref().into(),
        person.company.as_deref().into(),
        person.company_document.as_ref().map(Cnpj::as_str).into(),
        person.consultant.into(),
        person.representative.into(),
        address.kind.as_deref().into(),
        address.street_kind.as_deref().into(),
        address.street.as_deref().into(),
        address.number.as_deref().into(),
        address.complement.as_deref().into(),
        address.district.as_deref().into(),
        address.city.as_deref().into(),
        address.state.as_deref().into(),
        address.cep.as_ref().map(Cep::as_str).into(),
        person.mobile.as_ref().map(Phone::as_str).into(),
        person.landline.as_ref().map(Phone::as_str).into(),
        person.spouse.as_deref().into(),
        person.payer_document.as_ref().map(Document::as_str).into(),
        render_payer_address(&person.payer_address).into(),
        1.into(),
        person.created_at.into(),
        person.updated_at.into(),
    ]
}
