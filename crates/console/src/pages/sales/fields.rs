//! The fields of the deal forms, their values and choices.

use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormValues, InputKind, InputSpec};
use crate::widgets::money_input::{format_money_input, normalize_money};
use app::register_snapshot::TenantRegisters;
use domain::{Date, Deal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const fn define_field(
    name: &'static str,
    label: &'static str,
    kind: InputKind,
    longest: usize,
) -> InputSpec {
    InputSpec { name, label, kind, longest, hint: "" }
}

pub const CONTACT: &[InputSpec] = &[
    define_field("nomePessoa", "Nome", InputKind::Text, 200),
    define_field("telefone", "Telefone", InputKind::Masked("telefone"), 20),
    define_field("email", "E-mail", InputKind::Email, 254),
    define_field("cpfCnpj", "CPF ou CNPJ", InputKind::Masked("documento"), 20),
    define_field("origem", "De onde veio", InputKind::Text, 100),
    define_field("cidade", "Cidade", InputKind::Text, 100),
    define_field("mensagem", "O que escreveu ou disse", InputKind::Area, 4_000),
];

pub const DEAL: &[InputSpec] = &[
    define_field("titulo", "Título", InputKind::Text, 200),
    define_field("codEtapa", "Etapa", InputKind::Choice, 100),
    define_field("codLoja", "Loja", InputKind::Choice, 100),
    define_field("codUsuarioResponsavel", "Quem cuida", InputKind::Choice, 100),
    define_field("tipoBeneficio", "Tipo de benefício", InputKind::Choice, 100),
    define_field("valor", "Valor por mês", InputKind::Money, 20),
    define_field("dataPrevisao", "Deve fechar em", InputKind::Masked("data"), 10),
    define_field("planos", "Planos", InputKind::Many, 100),
    define_field("observacao", "Observação", InputKind::Area, 4_000),
];

pub const VEHICLE: &[InputSpec] = &[
    define_field("veiculo.placa", "Placa", InputKind::Text, 10),
    define_field("veiculo.marca", "Marca", InputKind::Text, 100),
    define_field("veiculo.modelo", "Modelo", InputKind::Text, 200),
    define_field("veiculo.anoFabricacao", "Ano de fabricação", InputKind::Number, 4),
    define_field("veiculo.anoModelo", "Ano do modelo", InputKind::Number, 4),
    define_field("veiculo.cor", "Cor", InputKind::Text, 50),
    define_field("veiculo.chassi", "Chassi", InputKind::Text, 17),
    define_field("veiculo.renavam", "Renavam", InputKind::Text, 20),
    define_field("veiculo.valorVeiculo", "Valor do veículo", InputKind::Money, 20),
];

pub fn find_deal_label(name: &str) -> Option<&'static str> {
    let all = CONTACT.iter().chain(DEAL).chain(VEHICLE);
    let found = all.clone().find(|spec| spec.name == name);
    found.or_else(|| all.clone().find(|spec| spec.name.ends_with(&format!(".{name}")))).map(|spec| spec.label)
}

/// Form values of a stored deal.
pub fn fill_deal_values(deal: &Deal) -> FormValues {
    let text_or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let mut values = FormValues::from([
        ("titulo", text_or_empty(&deal.title)),
        ("codEtapa", deal.stage.to_string()),
        ("codLoja", deal.branch.to_string()),
        ("codUsuarioResponsavel", deal.responsible.map(|code| code.to_string()).unwrap_or_default()),
        ("tipoBeneficio", deal.kind.map(wire::set_names::benefit_kind).unwrap_or_default().to_owned()),
        ("valor", deal.price.map(format_money_input).unwrap_or_default()),
        ("dataPrevisao", deal.expected_on.map(Date::to_br).unwrap_or_default()),
        ("planos", plans.join(",")),
        ("observacao", text_or_empty(&deal.note)),
    ]);
    values.extend(fill_vehicle_values(deal));
    values
}

pub fn fill_vehicle_values(deal: &Deal) -> FormValues {
    let one = &deal.vehicle;
    let text_or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
    let year = |year: Option<i32>| year.map(|year| year.to_string()).unwrap_or_default();
    FormValues::from([
        ("veiculo.placa", one.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("veiculo.marca", text_or_empty(&one.brand)),
        ("veiculo.modelo", text_or_empty(&one.model)),
        ("veiculo.anoFabricacao", year(one.built)),
        ("veiculo.anoModelo", year(one.model_year)),
        ("veiculo.cor", text_or_empty(&one.colour)),
        ("veiculo.chassi", one.chassis.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default()),
        ("veiculo.renavam", text_or_empty(&one.renavam)),
        ("veiculo.valorVeiculo", one.worth.map(format_money_input).unwrap_or_default()),
    ])
}

/// Choices of a field. Stages are listed with their funnel if there are several funnels.
pub fn list_deal_choices(
    registers: &TenantRegisters,
    user: &SignedInUser,
    users: &BTreeMap<i32, String>,
    values: &FormValues,
    name: &str,
) -> Vec<(String, String)> {
    let typed = values.get(name).map_or("", String::as_str);
    match name {
        "codLoja" => {
            let all = registers.usable_branches(&user.session().scope);
            all.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "codUsuarioResponsavel" => {
            users.iter().map(|(code, name)| (code.to_string(), name.clone())).collect()
        }
        "tipoBeneficio" => {
            let kinds = domain::BenefitKind::ALL.iter().map(|kind| wire::set_names::benefit_kind(*kind));
            kinds.map(|name| (name.to_owned(), registers::find_choice_label(name).to_owned())).collect()
        }
        "planos" => {
            let is_chosen = |code: &str| typed.split(',').any(|one| one == code);
            let all = registers.plans.iter().map(|one| (one.code.to_string(), one));
            let open = all.filter(|(code, one)| one.active || is_chosen(code));
            open.map(|(code, one)| {
                (code, format!("{} ({})", one.name, crate::widgets::formats::format_money(one.price)))
            })
            .collect()
        }
        "codEtapa" => {
            let used: Vec<_> = registers.funnels.iter().filter(|one| one.active).collect();
            let label = |funnel: &app::register_snapshot::StoredFunnel,
                         stage: &app::register_snapshot::StoredStage| match used.len()
            {
                1 => stage.name.clone(),
                _ => format!("{} · {}", funnel.name, stage.name),
            };
            let stages = used.iter().flat_map(|funnel| {
                let open = funnel.stages.iter().filter(|one| one.active || one.code.to_string() == typed);
                open.map(|stage| (stage.code.to_string(), label(funnel, stage))).collect::<Vec<_>>()
            });
            stages.collect()
        }
        _ => Vec::new(),
    }
}

/// Builds the record. The stage determines the funnel.
pub fn build_deal_record(
    registers: &TenantRegisters,
    values: &FormValues,
    lead: Option<&str>,
    is_new: bool,
) -> Value {
    let mut values = values.clone();
    let plans = values.remove("planos").unwrap_or_default();
    let plans: Vec<&str> = plans.split(',').filter(|code| !code.is_empty()).collect();
    for name in ["valor", "veiculo.valorVeiculo"] {
        if let Some(text) = values.get_mut(name) {
            *text = normalize_money(text);
        }
    }
    let mut more: Vec<(&str, Value)> = vec![("planos", json!(plans))];
    let stage = values.get("codEtapa").map_or("", String::as_str);
    let funnel = registers
        .funnels
        .iter()
        .find(|one| one.stages.iter().any(|candidate| candidate.code.to_string() == stage));
    more.extend(funnel.map(|funnel| ("codFunil", json!(funnel.code.get()))));
    more.extend(lead.map(|lead| ("codLead", json!(lead))));
    if is_new {
        values.retain(|_, text| !text.is_empty());
    }
    crate::widgets::record_form::build_record(&values, &more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_deal_are_told_as_the_page_calls_them() {
        assert_eq!(find_deal_label("titulo"), Some("Título"));
        assert_eq!(find_deal_label("placa"), Some("Placa"));
        assert_eq!(find_deal_label("codFunil"), None);
    }
}
