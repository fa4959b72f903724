//! The fields of a dependent.

use crate::field_texts::FieldTexts;
use crate::set_names;
use domain::{CardNumber, Date, Dependent};

pub fn render_dependent_fields(dependent: &Dependent) -> FieldTexts {
    vec![
        ("nome", Some(dependent.name.clone())),
        ("cpf", dependent.cpf.as_ref().map(ToString::to_string)),
        ("dataNascimento", dependent.born_on.map(Date::to_br)),
        ("parentesco", Some(set_names::kinship(dependent.kinship).to_owned())),
        ("sexo", dependent.sex.map(|sex| set_names::sex(sex).to_owned())),
        ("identidade", dependent.identity_number.clone()),
        ("telefone", dependent.phone.as_ref().map(ToString::to_string)),
        ("email", dependent.email.as_ref().map(ToString::to_string)),
        ("numeroCartaoDesconto", dependent.card.as_ref().map(CardNumber::to_string)),
        ("ativo", Some(set_names::flag(dependent.active).to_owned())),
    ]
}
