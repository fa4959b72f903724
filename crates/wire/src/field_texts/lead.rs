//! The fields of a lead.

use crate::field_texts::FieldTexts;
use domain::Lead;

pub fn render_lead_fields(lead: &Lead) -> FieldTexts {
    vec![
        ("codLoja", Some(lead.branch.to_string())),
        ("nomePessoa", Some(lead.name.clone())),
        ("cpfCnpj", lead.document.as_ref().map(ToString::to_string)),
        ("email", lead.email.as_ref().map(ToString::to_string)),
        ("telefoneCelular", lead.mobile.as_ref().map(ToString::to_string)),
        ("telefoneFixo", lead.landline.as_ref().map(ToString::to_string)),
        ("empresa", lead.company.clone()),
        ("cidade", lead.city.clone()),
        ("uf", lead.state.clone()),
        ("mensagem", lead.message.clone()),
        ("origem", lead.origin.clone()),
        ("codConsultor", lead.consultant.map(|code| code.to_string())),
        ("ativo", Some(lead.active.to_string())),
    ]
}
