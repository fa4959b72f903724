//! The fields of a person.

use crate::field_texts::FieldTexts;
use crate::set_names;
use domain::{ContactPhone, Date, Document, Email, PersonProfile, PostalAddress, display};

pub fn render_person_fields(person: &PersonProfile, phones: &[ContactPhone]) -> FieldTexts {
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let phones: Vec<String> = phones.iter().map(|phone| phone.number.to_string()).collect();
    let mut fields = vec![
        ("codLoja", Some(person.branch.to_string())),
        ("nomePessoa", Some(person.name.clone())),
        ("cpfCnpj", person.document.as_ref().map(Document::to_string)),
        ("codigoIntegracao", person.integration_code.clone()),
        ("email", person.email.as_ref().map(Email::to_string)),
        ("recebeEmail", flag(person.receives_email)),
        ("recebeWhatsApp", flag(person.receives_whatsapp)),
        ("sexo", person.sex.map(|sex| set_names::sex(sex).to_owned())),
        ("dataNascimento", person.born_on.map(Date::to_br)),
        ("telefones", (!phones.is_empty()).then(|| phones.join(", "))),
        ("identidade", person.identity_number.clone()),
        ("orgaoExpedidor", person.identity_issuer.clone()),
        ("dataExpedicao", person.identity_issued_on.map(Date::to_br)),
        ("nomeMae", person.mother.clone()),
        ("estadoCivil", person.civil_state.map(|state| set_names::civil_state(state).to_owned())),
        ("numeroCnh", person.cnh_number.clone()),
        ("categoriaCnh", person.cnh_category.clone()),
        ("validadeCnh", person.cnh_valid_until.map(Date::to_br)),
        ("nomeFantasia", person.trade_name.clone()),
        ("inscricaoEstadual", person.state_registration.clone()),
        ("inscricaoMunicipal", person.municipal_registration.clone()),
        ("representanteLegal", person.legal_representative.clone()),
        ("nomeEmpresa", person.company.clone()),
        ("cnpjEmpresa", person.company_document.as_ref().map(|one| display::format_document(one.as_str()))),
        ("codConsultor", person.consultant.map(|code| code.to_string())),
        ("codRepresentante", person.representative.map(|code| code.to_string())),
        ("conjuge", person.spouse.clone()),
        ("cpfCnpjResponsavelFinanceiro", person.payer_document.as_ref().map(Document::to_string)),
    ];
    fields.push(("endereco", render_address(&person.address)));
    fields.push(("enderecoResponsavelFinanceiro", render_address(&person.payer_address)));
    fields
}

/// An address as one line with all its parts.
fn render_address(address: &PostalAddress) -> Option<String> {
    let street: Vec<&str> =
        [&address.street_kind, &address.street].into_iter().flatten().map(String::as_str).collect();
    let street = (!street.is_empty()).then(|| street.join(" "));
    let cep = address.cep.as_ref().map(ToString::to_string);
    let parts = [
        &address.kind,
        &street,
        &address.number,
        &address.complement,
        &address.district,
        &address.city,
        &address.state,
        &cep,
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
