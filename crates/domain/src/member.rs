//! A person known to the association, member or not, with dependents, telephones and credit cards.

use crate::{
    BenefitCode, BranchCode, CardNumber, CivilState, Cnpj, Cpf, CreditCardCode, Date, Document, Email,
    Kinship, Moment, Nature, Phone, PhoneKind, PlanCode, PostalAddress, SellerCode, Sex,
};

/// A dependent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    pub benefit: BenefitCode,
    pub name: String,
    pub cpf: Option<Cpf>,
    pub born_on: Option<Date>,
    pub kinship: Kinship,
    pub sex: Option<Sex>,
    pub identity_number: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub card: Option<CardNumber>,
    /// Ordered by code, without duplicates.
    pub plans: Vec<PlanCode>,
    pub active: bool,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactPhone {
    pub kind: PhoneKind,
    pub country: String,
    pub number: Phone,
}

/// A card as displayed. The gateway's token is not part of it; only charging needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditCard {
    pub code: CreditCardCode,
    pub brand: String,
    /// The last four digits.
    pub last_digits: String,
    pub holder: String,
    /// `yyyy-MM`
    pub valid_until: String,
    pub is_main: bool,
    pub active: bool,
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonProfile {
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
    pub born_on: Option<Date>,
    pub identity_number: Option<String>,
    pub identity_issuer: Option<String>,
    pub identity_issued_on: Option<Date>,
    pub mother: Option<String>,
    pub civil_state: Option<CivilState>,
    pub cnh_number: Option<String>,
    pub cnh_category: Option<String>,
    pub cnh_valid_until: Option<Date>,
    pub trade_name: Option<String>,
    pub state_registration: Option<String>,
    pub municipal_registration: Option<String>,
    pub legal_representative: Option<String>,
    pub company: Option<String>,
    pub company_document: Option<Cnpj>,
    pub consultant: Option<SellerCode>,
    pub representative: Option<SellerCode>,
    pub address: PostalAddress,
    /// The first telephone of each kind, copied here for the searches.
    pub mobile: Option<Phone>,
    pub landline: Option<Phone>,
    pub spouse: Option<String>,
    /// The payer, if it is another person.
    pub payer_document: Option<Document>,
    pub payer_address: PostalAddress,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

impl PersonProfile {
    /// A member with only these fields set.
    pub fn new_member(branch: BranchCode, document: Document, name: String, now: Moment) -> PersonProfile {
        PersonProfile { is_member: true, ..PersonProfile::new_non_member(branch, Some(document), name, now) }
    }

    /// A non-member with only these fields set.
    pub fn new_non_member(
        branch: BranchCode,
        document: Option<Document>,
        name: String,
        now: Moment,
    ) -> PersonProfile {
        PersonProfile {
            branch,
            is_member: false,
            nature: document.as_ref().map_or(Nature::Natural, Document::nature),
            document,
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
            mobile: None,
            landline: None,
            spouse: None,
            payer_document: None,
            payer_address: PostalAddress::default(),
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }
}
