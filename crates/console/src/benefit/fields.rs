//! The fields of a benefit, as the forms ask for them and as the page shows them.

use crate::records::{Input, Kind, Problems, Spec, Values};
use crate::show::reais;
use crate::visitor::Guest;
use crate::words;
use app::base::{AdditionalField, Registers};
use app::benefits::{Benefit, View};
use domain::{BenefitKind, Entity, FieldKind, Fuel, Scope, SellerKind, VehicleCategory, shown};
use serde_json::{Value, json};
use wire::names;

/// Everything that the forms ask, in its order: what only a new one is asked, what all have, what a vehicle has.
pub const SPECS: &[Spec] = &[
    Spec::choice("codPlano", "Plano"),
    Spec::choice("situacao", "Situação").hinted("Sem escolher, fica pendente até ser ativado."),
    Spec::choice("codLoja", "Loja").hinted("Sem escolher, é a loja do associado."),
    Spec::choice("diaVencimento", "Dia de vencimento"),
    Spec::masked("dataAdesao", "Data de adesão", "data"),
    Spec::masked("numeroCartaoDesconto", "Número do cartão", "cartao")
        .hinted("Em branco, o sistema cria um."),
    Spec::choice("codConsultor", "Consultor"),
    Spec::choice("codRepresentante", "Representante"),
    Spec::text("codigoIntegracao", "Código em outro sistema", 100),
    Spec::area("observacao", "Observação"),
    Spec::masked("placa", "Placa", "placa"),
    Spec::masked("chassi", "Chassi", "maiusculas").hinted("A placa ou o chassi é preciso."),
    Spec::text("renavam", "Renavam", 20),
    Spec::text("marca", "Marca", 100),
    Spec::text("modelo", "Modelo", 200),
    Spec::masked("anoFabricacao", "Ano de fabricação", "ano"),
    Spec::masked("anoModelo", "Ano do modelo", "ano"),
    Spec::text("cor", "Cor", 50),
    Spec::choice("combustivel", "Combustível"),
    Spec::choice("categoria", "Categoria"),
    Spec::choice("codTipoVeiculo", "Tipo de veículo"),
    Spec::text("numeroPortas", "Portas", 2),
    Spec::money("valorVeiculo", "Valor do veículo"),
    Spec::money("valorProtegido", "Valor protegido"),
    Spec::money("valorParticipacao", "Participação do associado"),
    Spec::text("codigoFipe", "Código Fipe", 20),
];
const FIRST_OF_ALL: usize = 2;
const FIRST_OF_VEHICLE: usize = 10;

/// The fields of one form.
pub fn specs(kind: BenefitKind, is_new: bool) -> &'static [Spec] {
    let first = if is_new { 0 } else { FIRST_OF_ALL };
    let last = if kind == BenefitKind::Vehicle { SPECS.len() } else { FIRST_OF_VEHICLE };
    SPECS.get(first..last).unwrap_or(SPECS)
}

/// How many of those are the benefit's; behind them are the vehicle's.
pub fn of_benefit(is_new: bool) -> usize {
    if is_new { FIRST_OF_VEHICLE } else { FIRST_OF_VEHICLE - FIRST_OF_ALL }
}

/// What is kept, as the form shows it.
pub fn values(view: &View) -> Values {
    let (benefit, vehicle) = (&view.benefit, &view.benefit.vehicle);
    let own = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i32>| value.map(|number| number.to_string()).unwrap_or_default();
    let cents = |value: Option<i64>| value.map(reais).unwrap_or_default();
    Values::from([
        ("codLoja", benefit.branch.to_string()),
        ("diaVencimento", number(benefit.due_day)),
        ("dataAdesao", benefit.joined_on.as_deref().map(shown::day).unwrap_or_default()),
        ("numeroCartaoDesconto", benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("codConsultor", benefit.consultant.map(|code| code.to_string()).unwrap_or_default()),
        ("codRepresentante", benefit.representative.map(|code| code.to_string()).unwrap_or_default()),
        ("codigoIntegracao", own(&benefit.integration_code)),
        ("observacao", own(&benefit.note)),
        ("placa", vehicle.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("chassi", vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default()),
        ("renavam", own(&vehicle.renavam)),
        ("marca", own(&vehicle.brand)),
        ("modelo", own(&vehicle.model)),
        ("anoFabricacao", number(vehicle.built)),
        ("anoModelo", number(vehicle.model_year)),
        ("cor", own(&vehicle.colour)),
        ("combustivel", vehicle.fuel.map(names::fuel).unwrap_or_default().to_owned()),
        ("categoria", vehicle.category.map(names::category).unwrap_or_default().to_owned()),
        ("codTipoVeiculo", vehicle.kind.map(|code| code.to_string()).unwrap_or_default()),
        ("numeroPortas", number(vehicle.doors)),
        ("valorVeiculo", cents(vehicle.worth)),
        ("valorProtegido", cents(vehicle.protected)),
        ("valorParticipacao", cents(vehicle.participation)),
        ("codigoFipe", own(&vehicle.fipe)),
    ])
}

/// What may be chosen for a field. Whoever it has already stays among them, also after he left.
pub fn choices(
    registers: &Registers,
    guest: &Guest,
    kind: BenefitKind,
    had: Option<&Benefit>,
    name: &str,
) -> Vec<(String, String)> {
    let scope = &guest.session().scope;
    match name {
        "codPlano" => plans(registers, |plan| plan.kind == kind),
        "situacao" => {
            registers.situations_of(Entity::Benefit).map(|one| (one.name.clone(), one.name.clone())).collect()
        }
        "codLoja" => {
            registers.branches_of(scope).map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "diaVencimento" => {
            registers.due_days.iter().map(|day| (day.to_string(), format!("dia {day}"))).collect()
        }
        "codConsultor" => {
            sellers(registers, scope, SellerKind::Consultant, had.and_then(|had| had.consultant))
        }
        "codRepresentante" => {
            sellers(registers, scope, SellerKind::Representative, had.and_then(|had| had.representative))
        }
        "combustivel" => named(Fuel::ALL, names::fuel, words::fuel),
        "categoria" => named(VehicleCategory::ALL, names::category, words::category),
        "codTipoVeiculo" => {
            let kept = had.and_then(|had| had.vehicle.kind);
            let usable = registers.vehicle_types.iter().filter(|one| one.active || Some(one.code) == kept);
            usable.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The members of a fixed set: what they are called in records, and what people call them.
pub fn named<T: Copy>(
    all: &[T],
    name: impl Fn(T) -> &'static str,
    word: impl Fn(T) -> &'static str,
) -> Vec<(String, String)> {
    all.iter().map(|one| (name(*one).to_owned(), word(*one).to_owned())).collect()
}

/// Plans that are sold, with their prices.
pub fn plans(registers: &Registers, fits: impl Fn(&app::benefits::Plan) -> bool) -> Vec<(String, String)> {
    let sold = registers.plans.iter().filter(|plan| plan.active && fits(plan));
    let name = |plan: &app::benefits::Plan| format!("{} ({})", plan.name, crate::show::money(plan.price));
    sold.map(|plan| (plan.code.to_string(), name(plan))).collect()
}

fn sellers(
    registers: &Registers,
    scope: &Scope,
    kind: SellerKind,
    kept: Option<domain::SellerCode>,
) -> Vec<(String, String)> {
    let usable = registers
        .sellers
        .values()
        .filter(|one| registers.sells(scope, one.code, kind) || Some(one.code) == kept);
    let mut all: Vec<_> = usable.map(|one| (one.code.to_string(), one.name.clone())).collect();
    all.sort_by_cached_key(|(code, name)| (domain::fold(name), code.clone()));
    all
}

/// Where the values of additional fields stand in a record; nobody has more of them.
const PLACES: [&str; 20] = [
    "dadosAdicionais.0.valor",
    "dadosAdicionais.1.valor",
    "dadosAdicionais.2.valor",
    "dadosAdicionais.3.valor",
    "dadosAdicionais.4.valor",
    "dadosAdicionais.5.valor",
    "dadosAdicionais.6.valor",
    "dadosAdicionais.7.valor",
    "dadosAdicionais.8.valor",
    "dadosAdicionais.9.valor",
    "dadosAdicionais.10.valor",
    "dadosAdicionais.11.valor",
    "dadosAdicionais.12.valor",
    "dadosAdicionais.13.valor",
    "dadosAdicionais.14.valor",
    "dadosAdicionais.15.valor",
    "dadosAdicionais.16.valor",
    "dadosAdicionais.17.valor",
    "dadosAdicionais.18.valor",
    "dadosAdicionais.19.valor",
];

/// A field that the association added to benefits of a kind.
pub struct Added {
    pub spec: Spec,
    code: i32,
    name: String,
    choices: Vec<(String, String)>,
}

/// The added fields of a kind, each in its place.
pub fn added(registers: &Registers, kind: BenefitKind) -> Vec<Added> {
    let own = registers.fields.iter().filter(|field| field.active && field.benefit_kind == kind);
    let one = |(place, field): (&&'static str, &AdditionalField)| {
        let longest = field.longest.and_then(|most| usize::try_from(most).ok()).unwrap_or(1000);
        let (spec, choices) = match field.kind {
            FieldKind::Text => (Spec::text(place, "", longest), Vec::new()),
            FieldKind::Number => (Spec::text(place, "", 30), Vec::new()),
            FieldKind::Date => (Spec::masked(place, "", "data"), Vec::new()),
            FieldKind::Boolean => {
                let flags = [("true", "Sim"), ("false", "Não")];
                (Spec::choice(place, ""), flags.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec())
            }
            FieldKind::List => {
                let options = field.options.iter().map(|one| (one.clone(), one.clone()));
                (Spec::choice(place, ""), options.collect())
            }
        };
        Added { spec, code: field.code.get(), name: field.name.clone(), choices }
    };
    PLACES.iter().zip(own).map(one).collect()
}

/// The values of added fields that a benefit has.
pub fn added_values(added: &[Added], benefit: &Benefit) -> Values {
    let value = |one: &Added| benefit.fields.get(&domain::FieldCode::new(one.code)).cloned();
    added.iter().map(|one| (one.spec.name, value(one).unwrap_or_default())).collect()
}

pub fn added_inputs(added: &[Added], values: &Values, problems: &Problems) -> Vec<Input> {
    let input = |one: &Added| Input {
        spec: one.spec,
        own_label: Some(one.name.clone()),
        value: values.get(one.spec.name).cloned().unwrap_or_default(),
        problem: problems.of(one.spec.name).map(str::to_owned),
        choices: if one.spec.kind == Kind::Choice { one.choices.clone() } else { Vec::new() },
    };
    added.iter().map(input).collect()
}

/// The record of the added fields; what is empty is cleared.
pub fn added_record(added: &[Added], values: &Values) -> Value {
    let one = |one: &Added| {
        let text = values.get(one.spec.name).filter(|text| !text.is_empty());
        json!({"codCampo": one.code, "valor": text})
    };
    added.iter().map(one).collect()
}
