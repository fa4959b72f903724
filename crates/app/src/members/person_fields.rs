//! The fields of a person as they are sent: applied to the person, and checked against the registers.

use crate::register_snapshot::TenantRegisters;
use domain::{
    BranchCode, ContactPhone, Document, InputField, PersonProfile, PhoneKind, PostalAddress, Rejection,
    Scope, SellerKind, keep_complete_numbers,
};
use storage::members::phones::HOME_COUNTRY_CODE;
use wire::read::FieldPatch;
use wire::records::{EnderecoInput, PessoaCampos, TelefoneInput};

/// Every given code must be usable by the caller, and the nature must match the document. References that a person
/// visible to the caller already has may be inactive.
pub(super) fn find_bad_references(
    scope: &Scope,
    registers: &TenantRegisters,
    input: &PessoaCampos,
    (document, before): (Option<&Document>, Option<&PersonProfile>),
) -> Vec<Rejection> {
    let mut problems = Vec::new();
    let before = before.filter(|before| scope.can_see(before.branch));
    if let (FieldPatch::Set(nature), Some(document)) = (&input.nature, document)
        && *nature != document.nature()
    {
        problems.push(Rejection::NatureMismatch);
    }
    if let FieldPatch::Set(Document::Cpf(_)) = input.employer_document {
        problems.push(Rejection::NotACnpj);
    }
    if let FieldPatch::Set(branch) = input.branch
        && before.is_none_or(|before| before.branch != branch)
        && !registers.is_usable_branch(scope, branch)
    {
        problems.push(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() });
    }
    let (consultant, representative) =
        before.map_or((None, None), |before| (before.consultant, before.representative));
    for (requested, current, kind, field) in [
        (&input.consultant, consultant, SellerKind::Consultant, InputField::Consultant),
        (&input.representative, representative, SellerKind::Representative, InputField::Representative),
    ] {
        if let FieldPatch::Set(seller) = requested
            && current != Some(*seller)
            && !registers.is_active_seller(scope, *seller, kind)
        {
            problems.push(Rejection::UnknownCode { field, code: seller.get() });
        }
    }
    problems
}

/// The branch of a new person: the given one, else the caller's only one.
pub(super) fn resolve_person_branch(
    scope: &Scope,
    registers: &TenantRegisters,
    fields: &PessoaCampos,
    problems: &mut Vec<Rejection>,
) -> Option<BranchCode> {
    if let FieldPatch::Set(branch) = fields.branch {
        return Some(branch);
    }
    let mut usable = registers.usable_branches(scope);
    let only = usable.next().filter(|_| usable.next().is_none());
    if only.is_none() {
        problems.push(Rejection::Missing(InputField::Branch));
    }
    only.map(|one| one.code)
}

/// Applies the given fields; the first phone of each kind is copied to the person.
pub(super) fn apply_person_fields(
    input: &PessoaCampos,
    person: &mut PersonProfile,
    phones: &mut Vec<ContactPhone>,
) {
    input.integration_code.apply_to(&mut person.integration_code, |code| code.as_str().to_owned());
    input.email.apply_to(&mut person.email, Clone::clone);
    input.sex.apply_to(&mut person.sex, |sex| *sex);
    input.birth.apply_to(&mut person.born_on, |day| *day);
    input.takes_email.apply_to(&mut person.receives_email, |flag| *flag);
    input.takes_whatsapp.apply_to(&mut person.receives_whatsapp, |flag| *flag);
    input.identity.apply_to(&mut person.identity_number, ToString::to_string);
    input.identity_issuer.apply_to(&mut person.identity_issuer, ToString::to_string);
    input.identity_issued.apply_to(&mut person.identity_issued_on, |day| *day);
    input.mother.apply_to(&mut person.mother, ToString::to_string);
    input.civil_state.apply_to(&mut person.civil_state, |state| *state);
    input.cnh.apply_to(&mut person.cnh_number, ToString::to_string);
    input.cnh_category.apply_to(&mut person.cnh_category, ToString::to_string);
    input.cnh_valid_until.apply_to(&mut person.cnh_valid_until, |day| *day);
    input.trade_name.apply_to(&mut person.trade_name, ToString::to_string);
    input.state_registration.apply_to(&mut person.state_registration, ToString::to_string);
    input.city_registration.apply_to(&mut person.municipal_registration, ToString::to_string);
    input.legal_representative.apply_to(&mut person.legal_representative, ToString::to_string);
    input.employer.apply_to(&mut person.company, ToString::to_string);
    match &input.employer_document {
        FieldPatch::Set(Document::Cnpj(cnpj)) => person.company_document = Some(cnpj.clone()),
        FieldPatch::Clear => person.company_document = None,
        FieldPatch::Set(Document::Cpf(_)) | FieldPatch::Keep => {}
    }
    input.consultant.apply_to(&mut person.consultant, |code| *code);
    input.representative.apply_to(&mut person.representative, |code| *code);
    match &input.address {
        FieldPatch::Set(address) => apply_address(address, &mut person.address),
        FieldPatch::Clear => person.address = PostalAddress::default(),
        FieldPatch::Keep => {}
    }
    match &input.phones {
        FieldPatch::Set(inputs) => {
            let given: Vec<ContactPhone> = inputs.iter().filter_map(parse_telephone).collect();
            *phones = keep_complete_numbers(&given, phones);
        }
        FieldPatch::Clear => phones.clear(),
        FieldPatch::Keep => {}
    }
    let first = |kind| phones.iter().find(|phone| phone.kind == kind).map(|phone| phone.number.clone());
    (person.mobile, person.landline) = (first(PhoneKind::Mobile), first(PhoneKind::Landline));
}

pub(crate) fn apply_address(input: &EnderecoInput, address: &mut PostalAddress) {
    input.kind.apply_to(&mut address.kind, ToString::to_string);
    input.street_kind.apply_to(&mut address.street_kind, ToString::to_string);
    // The full street counts only if the street itself is absent.
    match &input.street {
        FieldPatch::Keep => input.full_street.apply_to(&mut address.street, ToString::to_string),
        street => street.apply_to(&mut address.street, ToString::to_string),
    }
    input.number.apply_to(&mut address.number, |number| number.as_str().to_owned());
    input.complement.apply_to(&mut address.complement, ToString::to_string);
    input.district.apply_to(&mut address.district, ToString::to_string);
    input.city.apply_to(&mut address.city, ToString::to_string);
    input.state.apply_to(&mut address.state, |state| state.as_str().to_owned());
    input.cep.apply_to(&mut address.cep, Clone::clone);
}

/// A phone without a number is ignored.
pub(crate) fn parse_telephone(input: &TelefoneInput) -> Option<ContactPhone> {
    let FieldPatch::Set(number) = &input.number else { return None };
    let kind = match input.kind {
        FieldPatch::Set(kind) => kind,
        FieldPatch::Keep | FieldPatch::Clear => number.kind(),
    };
    let country = match &input.country {
        FieldPatch::Set(country) => country.as_str().trim_start_matches('+').to_owned(),
        FieldPatch::Keep | FieldPatch::Clear => HOME_COUNTRY_CODE.to_owned(),
    };
    Some(ContactPhone { kind, country, number: number.clone() })
}
