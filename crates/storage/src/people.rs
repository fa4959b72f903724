//! Everybody that an association knows.

use crate::statement::inserts;
use crate::{Error, Tx, Value};
use domain::{
    BranchCode, Cep, CivilState, Cnpj, Document, Email, Moment, Nature, PersonCode, PostalAddress,
    SellerCode, Sex, TenantId,
};

/// A person as he is written the first time. Days are `yyyy-MM-dd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPerson {
    pub branch: BranchCode,
    pub is_member: bool,
    pub document: Option<Document>,
    pub nature: Nature,
    pub name: String,
    pub integration_code: Option<String>,
    pub email: Option<Email>,
    pub receives_email: Option<bool>,
    pub receives_whatsapp: Option<bool>,
    pub sex: Option<Sex>,
    pub born_on: Option<String>,
    pub identity_number: Option<String>,
    pub identity_issuer: Option<String>,
    pub identity_issued_on: Option<String>,
    pub mother: Option<String>,
    pub civil_state: Option<CivilState>,
    pub cnh_number: Option<String>,
    pub cnh_category: Option<String>,
    pub cnh_valid_until: Option<String>,
    pub trade_name: Option<String>,
    pub state_registration: Option<String>,
    pub municipal_registration: Option<String>,
    pub legal_representative: Option<String>,
    pub company: Option<String>,
    pub company_document: Option<Cnpj>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub address: PostalAddress,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl NewPerson {
    /// A member of whom no more is known than this.
    pub fn member(branch: BranchCode, document: Document, name: String, now: Moment) -> NewPerson {
        NewPerson {
            branch,
            is_member: true,
            nature: document.nature(),
            document: Some(document),
            name,
            integration_code: None,
            email: None,
            receives_email: None,
            receives_whatsapp: None,
            sex: None,
            born_on: None,
            identity_number: None,
            identity_issuer: None,
            identity_issued_on: None,
            mother: None,
            civil_state: None,
            cnh_number: None,
            cnh_category: None,
            cnh_valid_until: None,
            trade_name: None,
            state_registration: None,
            municipal_registration: None,
            legal_representative: None,
            company: None,
            company_document: None,
            consultant: None,
            representative: None,
            address: PostalAddress::default(),
            created_at: now,
            updated_at: now,
        }
    }
}

/// How many rows travel in one statement: enough that its own cost no longer counts, and few enough parameters for
/// either engine.
const ROWS: usize = 100;
const COLUMNS: usize = 41;

/// Writes many people, none of whom is there yet: the first with code `first`, the others behind it.
pub async fn insert_all<'p>(
    tx: &mut Tx,
    tenant: TenantId,
    first: PersonCode,
    people: impl IntoIterator<Item = &'p NewPerson>,
) -> Result<(), Error> {
    let rows = (first.get()..).zip(people).map(|(code, person)| row(tenant, code, person));
    tx.batch(inserts(INSERT, ROWS, rows)).await
}

const INSERT: &str = "INSERT INTO people (tenant, code, branch, is_member, document, nature, name, integration_code, email,
             receives_email, receives_whatsapp, sex, born_on, identity_number, identity_issuer, identity_issued_on,
             mother, civil_state, cnh_number, cnh_category, cnh_valid_until, trade_name, state_registration,
             municipal_registration, legal_representative, company, company_document, consultant, representative,
             address_kind, street_kind, street, street_number, complement, district, city, state, cep, version,
             created_at, updated_at)
         VALUES";

fn row(tenant: TenantId, code: i32, person: &NewPerson) -> [Value; COLUMNS] {
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
        person.born_on.as_deref().into(),
        person.identity_number.as_deref().into(),
        person.identity_issuer.as_deref().into(),
        person.identity_issued_on.as_deref().into(),
        person.mother.as_deref().into(),
        person.civil_state.into(),
        person.cnh_number.as_deref().into(),
        person.cnh_category.as_deref().into(),
        person.cnh_valid_until.as_deref().into(),
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
        1.into(),
        person.created_at.into(),
        person.updated_at.into(),
    ]
}
