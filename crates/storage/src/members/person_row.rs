//! A person as a row of `people`.

use super::addresses::{parse_address_with_kind, parse_payer_address, render_payer_address};
use crate::executor::stored_text::parse_stored_text;
use crate::{Error, Row, SqlScalar};
use domain::{Cep, Cnpj, Document, Email, PersonProfile, Phone, TenantId};

pub(super) const COLUMNS: usize = 46;

pub(super) const SELECT: &str =
    "SELECT code, branch, is_member, document, nature, name, integration_code, email,
     receives_email, receives_whatsapp, sex, born_on, identity_number, identity_issuer, identity_issued_on,
     mother, civil_state, cnh_number, cnh_category, cnh_valid_until, trade_name, state_registration,
     municipal_registration, legal_representative, company, company_document, consultant, representative,
     address_kind, street_kind, street, street_number, complement, district, city, state, cep,
     mobile, landline, spouse, payer_document, payer_address, version, created_at, updated_at FROM people";

pub(super) fn parse_profile_row(row: &Row) -> Result<PersonProfile, Error> {
    Ok(PersonProfile {
        branch: row.get("branch")?,
        is_member: row.get("is_member")?,
        document: parse_stored_text("person", row.get_text("document")?, Document::parse)?,
        nature: row.get("nature")?,
        name: row.get("name")?,
        integration_code: row.get("integration_code")?,
        email: parse_stored_text("person", row.get_text("email")?, Email::parse)?,
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
        company_document: parse_stored_text("person", row.get_text("company_document")?, Cnpj::parse)?,
        consultant: row.get("consultant")?,
        representative: row.get("representative")?,
        address: parse_address_with_kind(row)?,
        mobile: parse_stored_text("person", row.get_text("mobile")?, Phone::parse)?,
        landline: parse_stored_text("person", row.get_text("landline")?, Phone::parse)?,
        spouse: row.get("spouse")?,
        payer_document: parse_stored_text("person", row.get_text("payer_document")?, Document::parse)?,
        payer_address: parse_payer_address(row.get("payer_address")?)?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

pub(super) const INSERT: &str = "INSERT INTO people (tenant, code, branch, is_member, document, nature, name, integration_code, email,
             receives_email, receives_whatsapp, sex, born_on, identity_number, identity_issuer, identity_issued_on,
             mother, civil_state, cnh_number, cnh_category, cnh_valid_until, trade_name, state_registration,
             municipal_registration, legal_representative, company, company_document, consultant, representative,
             address_kind, street_kind, street, street_number, complement, district, city, state, cep, mobile,
             landline, spouse, payer_document, payer_address, version, created_at, updated_at)
         VALUES";

pub(super) fn encode_person_values(
    tenant: TenantId,
    code: i32,
    person: &PersonProfile,
) -> [SqlScalar; COLUMNS] {
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
