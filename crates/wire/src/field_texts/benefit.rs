//! The fields of a benefit, without its situation, and of a vehicle.

use crate::field_texts::FieldTexts;
use crate::set_names;
use domain::{Benefit, CardNumber, Date, FieldCode, Money, PlanCode, VehicleDetails};

/// `find_name` finds the name of an additional field.
pub fn render_benefit_fields<'n>(
    benefit: &Benefit,
    find_name: impl Fn(FieldCode) -> Option<&'n str>,
) -> FieldTexts {
    let mut fields = vec![
        ("codLoja", Some(benefit.branch.to_string())),
        ("planos", render_plans(benefit)),
        ("diaVencimento", benefit.due_day.map(|day| day.to_string())),
        ("numeroCartaoDesconto", benefit.card.as_ref().map(CardNumber::to_string)),
        ("codConsultor", benefit.consultant.map(|code| code.to_string())),
        ("codRepresentante", benefit.representative.map(|code| code.to_string())),
        ("dataAdesao", benefit.joined_on.map(Date::to_br)),
        ("codigoIntegracao", benefit.integration_code.clone()),
        ("observacao", benefit.note.clone()),
        ("dadosAdicionais", render_additional_fields(benefit, find_name)),
    ];
    fields.extend(render_vehicle_fields(&benefit.vehicle));
    fields
}

pub fn render_vehicle_fields(vehicle: &VehicleDetails) -> FieldTexts {
    vec![
        ("placa", vehicle.plate.as_ref().map(ToString::to_string)),
        ("chassi", vehicle.chassis.as_ref().map(ToString::to_string)),
        ("renavam", vehicle.renavam.clone()),
        ("marca", vehicle.brand.clone()),
        ("modelo", vehicle.model.clone()),
        ("anoFabricacao", vehicle.built.map(|year| year.to_string())),
        ("anoModelo", vehicle.model_year.map(|year| year.to_string())),
        ("cor", vehicle.colour.clone()),
        ("combustivel", vehicle.fuel.map(|fuel| set_names::fuel(fuel).to_owned())),
        ("categoria", vehicle.category.map(|category| set_names::category(category).to_owned())),
        ("codTipoVeiculo", vehicle.kind.map(|kind| kind.to_string())),
        ("numeroPortas", vehicle.doors.map(|doors| doors.to_string())),
        ("valorVeiculo", render_money(vehicle.worth)),
        ("valorProtegido", render_money(vehicle.protected)),
        ("valorParticipacao", render_money(vehicle.participation)),
        ("codigoFipe", vehicle.fipe.clone()),
    ]
}

pub(super) fn render_money(money: Option<Money>) -> Option<String> {
    money.map(|money| money.to_string())
}

/// `10 (150.55), 12 (29.9)`
fn render_plans(benefit: &Benefit) -> Option<String> {
    let priced = |(plan, price): &(PlanCode, Money)| format!("{plan} ({price})");
    let mut plans = benefit.plans.clone();
    plans.sort_unstable();
    (!plans.is_empty()).then(|| plans.iter().map(priced).collect::<Vec<_>>().join(", "))
}

/// `Apelido: Trovão; Quilometragem: 12`
fn render_additional_fields<'n>(
    benefit: &Benefit,
    find_name: impl Fn(FieldCode) -> Option<&'n str>,
) -> Option<String> {
    let values: Vec<String> = benefit
        .fields
        .iter()
        .map(|(code, value)| match find_name(*code) {
            Some(name) => format!("{name}: {value}"),
            None => format!("{code}: {value}"),
        })
        .collect();
    (!values.is_empty()).then(|| values.join("; "))
}
