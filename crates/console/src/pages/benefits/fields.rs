//! The fields of a benefit, in its forms and on its page.

use crate::session::signed_in_user::SignedInUser;
use crate::widgets::form_input::{FormInput, FormValues, InputKind, InputSpec};
use crate::widgets::form_problems::FormProblems;
use crate::widgets::formats::format_reais;
use crate::widgets::labels;
use app::benefits::FullBenefit;
use app::register_snapshot::{StoredAdditionalField, TenantRegisters};
use domain::{
    Benefit, BenefitKind, Date, Entity, FieldKind, Fuel, Money, Scope, SellerKind, VehicleCategory,
};
use serde_json::{Value, json};
use wire::set_names;

/// All form fields in order: those of a new benefit only, those of every benefit, those of vehicles.
pub const SPECS: &[InputSpec] = &[
    InputSpec::choice("codPlano", "Plano"),
    InputSpec::choice("situacao", "Situação").with_hint("Sem escolher, fica pendente até ser ativado."),
    InputSpec::choice("codLoja", "Loja").with_hint("Sem escolher, é a loja do associado."),
    InputSpec::choice("diaVencimento", "Dia de vencimento"),
    InputSpec::masked_text("dataAdesao", "Data de adesão", "data"),
    InputSpec::masked_text("numeroCartaoDesconto", "Número do cartão", "cartao")
        .with_hint("Em branco, o sistema cria um."),
    InputSpec::choice("codConsultor", "Consultor"),
    InputSpec::choice("codRepresentante", "Representante"),
    InputSpec::text("codigoIntegracao", "Código em outro sistema", 100),
    InputSpec::area("observacao", "Observação"),
    InputSpec::masked_text("placa", "Placa", "placa"),
    InputSpec::masked_text("chassi", "Chassi", "maiusculas").with_hint("A placa ou o chassi é preciso."),
    InputSpec::text("renavam", "Renavam", 20),
    InputSpec::text("marca", "Marca", 100),
    InputSpec::text("modelo", "Modelo", 200),
    InputSpec::masked_text("anoFabricacao", "Ano de fabricação", "ano"),
    InputSpec::masked_text("anoModelo", "Ano do modelo", "ano"),
    InputSpec::text("cor", "Cor", 50),
    InputSpec::choice("combustivel", "Combustível"),
    InputSpec::choice("categoria", "Categoria"),
    InputSpec::choice("codTipoVeiculo", "Tipo de veículo"),
    InputSpec::text("numeroPortas", "Portas", 2),
    InputSpec::money("valorVeiculo", "Valor do veículo"),
    InputSpec::money("valorProtegido", "Valor protegido"),
    InputSpec::money("valorParticipacao", "Participação do associado"),
    InputSpec::text("codigoFipe", "Código Fipe", 20),
];
const FIRST_OF_ALL: usize = 2;
const FIRST_OF_VEHICLE: usize = 10;

pub fn list_benefit_specs(kind: BenefitKind, is_new: bool) -> &'static [InputSpec] {
    let first = if is_new { 0 } else { FIRST_OF_ALL };
    let last = if kind == BenefitKind::Vehicle { SPECS.len() } else { FIRST_OF_VEHICLE };
    SPECS.get(first..last).unwrap_or(SPECS)
}

/// Number of specs that belong to the benefit; the vehicle's specs follow them.
pub fn count_benefit_specs(is_new: bool) -> usize {
    if is_new { FIRST_OF_VEHICLE } else { FIRST_OF_VEHICLE - FIRST_OF_ALL }
}

/// Form values of a stored benefit.
pub fn fill_benefit_values(view: &FullBenefit) -> FormValues {
    let (benefit, vehicle) = (&view.benefit, &view.benefit.vehicle);
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i32>| value.map(|number| number.to_string()).unwrap_or_default();
    let money = |value: Option<Money>| value.map(format_reais).unwrap_or_default();
    FormValues::from([
        ("codLoja", benefit.branch.to_string()),
        ("diaVencimento", number(benefit.due_day)),
        ("dataAdesao", benefit.joined_on.map(Date::to_br).unwrap_or_default()),
        ("numeroCartaoDesconto", benefit.card.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("codConsultor", benefit.consultant.map(|code| code.to_string()).unwrap_or_default()),
        ("codRepresentante", benefit.representative.map(|code| code.to_string()).unwrap_or_default()),
        ("codigoIntegracao", text(&benefit.integration_code)),
        ("observacao", text(&benefit.note)),
        ("placa", vehicle.plate.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("chassi", vehicle.chassis.as_ref().map(|one| one.as_str().to_owned()).unwrap_or_default()),
        ("renavam", text(&vehicle.renavam)),
        ("marca", text(&vehicle.brand)),
        ("modelo", text(&vehicle.model)),
        ("anoFabricacao", number(vehicle.built)),
        ("anoModelo", number(vehicle.model_year)),
        ("cor", text(&vehicle.colour)),
        ("combustivel", vehicle.fuel.map(set_names::fuel).unwrap_or_default().to_owned()),
        ("categoria", vehicle.category.map(set_names::category).unwrap_or_default().to_owned()),
        ("codTipoVeiculo", vehicle.kind.map(|code| code.to_string()).unwrap_or_default()),
        ("numeroPortas", number(vehicle.doors)),
        ("valorVeiculo", money(vehicle.worth)),
        ("valorProtegido", money(vehicle.protected)),
        ("valorParticipacao", money(vehicle.participation)),
        ("codigoFipe", text(&vehicle.fipe)),
    ])
}

/// Choices of a field. The current seller and vehicle type stay listed even if they are inactive.
pub fn list_benefit_choices(
    registers: &TenantRegisters,
    user: &SignedInUser,
    kind: BenefitKind,
    existing: Option<&Benefit>,
    name: &str,
) -> Vec<(String, String)> {
    let scope = &user.session().scope;
    match name {
        "codPlano" => list_plan_choices(registers, |plan| plan.kind == kind),
        "situacao" => registers
            .active_situations(Entity::Benefit)
            .map(|one| (one.name.clone(), one.name.clone()))
            .collect(),
        "codLoja" => {
            registers.usable_branches(scope).map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        "diaVencimento" => {
            registers.due_days.iter().map(|day| (day.to_string(), format!("dia {day}"))).collect()
        }
        "codConsultor" => list_seller_choices(
            registers,
            scope,
            SellerKind::Consultant,
            existing.and_then(|existing| existing.consultant),
        ),
        "codRepresentante" => list_seller_choices(
            registers,
            scope,
            SellerKind::Representative,
            existing.and_then(|existing| existing.representative),
        ),
        "combustivel" => labels::list_named_choices(Fuel::ALL, set_names::fuel, labels::label_fuel),
        "categoria" => labels::list_named_choices(
            VehicleCategory::ALL,
            set_names::category,
            labels::label_vehicle_category,
        ),
        "codTipoVeiculo" => {
            let current = existing.and_then(|existing| existing.vehicle.kind);
            let usable = registers.vehicle_types.iter().filter(|one| one.active || Some(one.code) == current);
            usable.map(|one| (one.code.to_string(), one.name.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// Active plans with their prices.
pub fn list_plan_choices(
    registers: &TenantRegisters,
    fits: impl Fn(&app::benefits::StoredPlan) -> bool,
) -> Vec<(String, String)> {
    let sold = registers.plans.iter().filter(|plan| plan.active && fits(plan));
    let name = |plan: &app::benefits::StoredPlan| {
        format!("{} ({})", plan.name, crate::widgets::formats::format_money(plan.price))
    };
    sold.map(|plan| (plan.code.to_string(), name(plan))).collect()
}

fn list_seller_choices(
    registers: &TenantRegisters,
    scope: &Scope,
    kind: SellerKind,
    current: Option<domain::SellerCode>,
) -> Vec<(String, String)> {
    let usable = registers
        .sellers
        .values()
        .filter(|one| registers.is_active_seller(scope, one.code, kind) || Some(one.code) == current);
    let mut all: Vec<_> = usable.map(|one| (one.code.to_string(), one.name.clone())).collect();
    all.sort_by_cached_key(|(code, name)| (domain::fold_text(name), code.clone()));
    all
}

/// JSON paths of the custom field values; no tenant has more of them.
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

/// A custom field that the tenant added to benefits of one kind.
pub struct AdditionalFieldInput {
    pub spec: InputSpec,
    code: i32,
    name: String,
    choices: Vec<(String, String)>,
}

/// The tenant's active custom fields of a kind, each with its JSON path.
pub fn list_additional_fields(registers: &TenantRegisters, kind: BenefitKind) -> Vec<AdditionalFieldInput> {
    let applicable = registers.fields.iter().filter(|field| field.active && field.benefit_kind == kind);
    let one = |(place, field): (&&'static str, &StoredAdditionalField)| {
        let longest = field.longest.and_then(|most| usize::try_from(most).ok()).unwrap_or(1000);
        let (spec, choices) = match field.kind {
            FieldKind::Text => (InputSpec::text(place, "", longest), Vec::new()),
            FieldKind::Number => (InputSpec::text(place, "", 30), Vec::new()),
            FieldKind::Date => (InputSpec::masked_text(place, "", "data"), Vec::new()),
            FieldKind::Boolean => {
                let flags = [("true", "Sim"), ("false", "Não")];
                (InputSpec::choice(place, ""), flags.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec())
            }
            FieldKind::List => {
                let options = field.options.iter().map(|one| (one.clone(), one.clone()));
                (InputSpec::choice(place, ""), options.collect())
            }
        };
        AdditionalFieldInput { spec, code: field.code.get(), name: field.name.clone(), choices }
    };
    PLACES.iter().zip(applicable).map(one).collect()
}

pub fn fill_additional_values(added: &[AdditionalFieldInput], benefit: &Benefit) -> FormValues {
    let value = |one: &AdditionalFieldInput| benefit.fields.get(&domain::FieldCode::new(one.code)).cloned();
    added.iter().map(|one| (one.spec.name, value(one).unwrap_or_default())).collect()
}

pub fn build_additional_inputs(
    added: &[AdditionalFieldInput],
    values: &FormValues,
    problems: &FormProblems,
) -> Vec<FormInput> {
    let input = |one: &AdditionalFieldInput| FormInput {
        spec: one.spec,
        own_label: Some(one.name.clone()),
        value: values.get(one.spec.name).cloned().unwrap_or_default(),
        problem: problems.of(one.spec.name).map(str::to_owned),
        choices: if one.spec.kind == InputKind::Choice { one.choices.clone() } else { Vec::new() },
    };
    added.iter().map(input).collect()
}

/// JSON of the custom fields; empty values are cleared.
pub fn build_additional_values(added: &[AdditionalFieldInput], values: &FormValues) -> Value {
    let one = |one: &AdditionalFieldInput| {
        let text = values.get(one.spec.name).filter(|text| !text.is_empty());
        json!({"codCampo": one.code, "valor": text})
    };
    added.iter().map(one).collect()
}
