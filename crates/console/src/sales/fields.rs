//! The fields of a deal's forms, and what stands in them.

use crate::records::{Kind, Spec, Values, plain_money, typed_money};
use crate::visitor::Guest;
use app::base::Registers;
use app::deals::Deal;
use domain::shown;
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub const fn field(name: &'static str, label: &'static str, kind: Kind, longest: usize) -> Spec {
    Spec { name, label, kind, longest, hint: "" }
}

/// With whom.
pub const CONTACT: &[Spec] = &[
    field("nomePessoa", "Nome", Kind::Text, 200),
    field("telefone", "Telefone", Kind::Masked("telefone"), 20),
    field("email", "E-mail", Kind::Email, 254),
    field("cpfCnpj", "CPF ou CNPJ", Kind::Masked("documento"), 20),
    field("origem", "De onde veio", Kind::Text, 100),
    field("cidade", "Cidade", Kind::Text, 100),
    field("mensagem", "O que escreveu ou disse", Kind::Area, 4_000),
];

/// What about.
pub const DEAL: &[Spec] = &[
    field("titulo", "Título", Kind::Text, 200),
    field("codEtapa", "Etapa", Kind::Choice, 100),
    field("codLoja", "Loja", Kind::Choice, 100),
    field("codUsuarioResponsavel", "Quem cuida", Kind::Choice, 100),
    field("tipoBeneficio", "Tipo de benefício", Kind::Choice, 100),
    field("valor", "Valor por mês", Kind::Money, 20),
    field("dataPrevisao", "Deve fechar em", Kind::Masked("data"), 10),
    field("planos", "Planos", Kind::Many, 100),
    field("observacao", "Observação", Kind::Area, 4_000),
];

pub const VEHICLE: &[Spec] = &[
    field("veiculo.placa", "Placa", Kind::Text, 10),
    field("veiculo.marca", "Marca", Kind::Text, 100),
    field("veiculo.modelo", "Modelo", Kind::Text, 200),
    field("veiculo.anoFabricacao", "Ano de fabricação", Kind::Number, 4),
    field("veiculo.anoModelo", "Ano do modelo", Kind::Number, 4),
    field("veiculo.cor", "Cor", Kind::Text, 50),
    field("veiculo.chassi", "Chassi", Kind::Text, 17),
    field("veiculo.renavam", "Renavam", Kind::Text, 20),
    field("veiculo.valorVeiculo", "Valor do veículo", Kind::Money, 20),
];

pub fn label(name: &str) -> Option<&'static str> {
    let all = CONTACT.iter().chain(DEAL).chain(VEHICLE);
    let found = all.clone().find(|spec| spec.name == name);
    found.or_else(|| all.clone().find(|spec| spec.name.ends_with(&format!(".{name}")))).map(|spec| spec.label)
}

/// What is kept of a deal, as its form shows it.
pub fn values(deal: &Deal) -> Values {
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let mut values = Values::from([
        ("titulo", own(&deal.title)),
        ("codEtapa", deal.stage.to_string()),
        ("codLoja", deal.branch.to_string()),
        ("codUsuarioResponsavel", deal.responsible.map(|code| code.to_string()).unwrap_or_default()),
        ("tipoBeneficio", deal.kind.map(wire::names::benefit_kind).unwrap_or_default().to_owned()),
        ("valor", deal.price.map(typed_money).unwrap_or_default()),
        ("dataPrevisao", deal.expected_on.as_deref().map(shown::day).unwrap_or_default()),
        ("planos", plans.join(",")),
        ("observacao", own(&deal.note)),
    ]);
    values.extend(vehicle(deal));
    values
}

pub fn vehicle(deal: &Deal) -> Values {
    let one = &deal.vehicle;
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let year = |year: Option<i32>| year.map(|year| year.to_string()).unwrap_or_default();
    Values::from([
        ("veiculo.placa", one.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("veiculo.marca", own(&one.brand)),
        ("veiculo.modelo", own(&one.model)),
        ("veiculo.anoFabricacao", year(one.built)),
        ("veiculo.anoModelo", year(one.model_year)),
        ("veiculo.cor", own(&one.colour)),
        ("veiculo.chassi", one.chassis.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default()),
        ("veiculo.renavam", own(&one.renavam)),
        ("veiculo.valorVeiculo", one.worth.map(typed_money).unwrap_or_default()),
    ])
}

/// What may be chosen in a field. Stages are told with their funnel where there are several.
pub fn choices(
    registers: &Registers,
    guest: &Guest,
    users: &BTreeMap<i32, String>,
    values: &Values,
    name: &str,
) -> Vec<(String, String)> {
    let typed = values.get(name).map_or("", String::as_str);
    match name {
        "codLoja" => {
            let all = registers.branches_of(&guest.session().scope);
            all.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "codUsuarioResponsavel" => {
            users.iter().map(|(code, name)| (code.to_string(), name.clone())).collect()
        }
        "tipoBeneficio" => {
            let kinds = domain::BenefitKind::ALL.iter().map(|kind| wire::names::benefit_kind(*kind));
            kinds.map(|name| (name.to_owned(), registers::label(name).to_owned())).collect()
        }
        "planos" => {
            let is_chosen = |code: &str| typed.split(',').any(|one| one == code);
            let all = registers.plans.iter().map(|one| (one.code.to_string(), one));
            let open = all.filter(|(code, one)| one.active || is_chosen(code));
            open.map(|(code, one)| (code, format!("{} ({})", one.name, crate::show::money(one.price))))
                .collect()
        }
        "codEtapa" => {
            let used: Vec<_> = registers.funnels.iter().filter(|one| one.active).collect();
            let named = |funnel: &app::base::Funnel, stage: &app::base::Stage| match used.len() {
                1 => stage.name.clone(),
                _ => format!("{} · {}", funnel.name, stage.name),
            };
            let stages = used.iter().flat_map(|funnel| {
                let open = funnel.stages.iter().filter(|one| one.active || one.code.to_string() == typed);
                open.map(|stage| (stage.code.to_string(), named(funnel, stage))).collect::<Vec<_>>()
            });
            stages.collect()
        }
        _ => Vec::new(),
    }
}

/// The record that the fields make. The stage says the funnel.
pub fn record(registers: &Registers, values: &Values, lead: Option<&str>, is_new: bool) -> Vec<u8> {
    let mut values = values.clone();
    let plans = values.remove("planos").unwrap_or_default();
    let plans: Vec<&str> = plans.split(',').filter(|code| !code.is_empty()).collect();
    for name in ["valor", "veiculo.valorVeiculo"] {
        if let Some(text) = values.get_mut(name) {
            *text = plain_money(text);
        }
    }
    let mut more: Vec<(&str, Value)> = vec![("planos", json!(plans))];
    let stage = values.get("codEtapa").map_or("", String::as_str);
    let funnel =
        registers.funnels.iter().find(|one| one.stages.iter().any(|own| own.code.to_string() == stage));
    more.extend(funnel.map(|funnel| ("codFunil", json!(funnel.code.get()))));
    more.extend(lead.map(|lead| ("codLead", json!(lead))));
    if is_new {
        values.retain(|_, text| !text.is_empty());
    }
    crate::records::json(&values, &more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_deal_are_told_as_the_page_calls_them() {
        assert_eq!(label("titulo"), Some("Título"));
        assert_eq!(label("placa"), Some("Placa"));
        assert_eq!(label("codFunil"), None);
    }
}
