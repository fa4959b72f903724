//! A benefit, field by field, as it is called outside: what differs between two states of it. Its situation has a history of
//! its own.

use crate::base::Registers;
use crate::differences::{self, Difference, Fields};
use domain::{CardNumber, Money, shown};
use storage::benefits::{Benefit, Vehicle};
use wire::names;

pub(crate) fn between(registers: &Registers, before: &Benefit, after: &Benefit) -> Vec<Difference> {
    differences::between(fields(registers, before), fields(registers, after))
}

fn fields(registers: &Registers, benefit: &Benefit) -> Fields {
    let mut fields = vec![
        ("codLoja", Some(benefit.branch.to_string())),
        ("planos", plans(benefit)),
        ("diaVencimento", benefit.due_day.map(|day| day.to_string())),
        ("numeroCartaoDesconto", benefit.card.as_ref().map(CardNumber::to_string)),
        ("codConsultor", benefit.consultant.map(|code| code.to_string())),
        ("codRepresentante", benefit.representative.map(|code| code.to_string())),
        ("dataAdesao", benefit.joined_on.as_deref().map(shown::day)),
        ("codigoIntegracao", benefit.integration_code.clone()),
        ("observacao", benefit.note.clone()),
        ("dadosAdicionais", additional(registers, benefit)),
    ];
    fields.extend(vehicle(&benefit.vehicle));
    fields
}

pub(crate) fn vehicle(vehicle: &Vehicle) -> Fields {
    vec![
        ("placa", vehicle.plate.as_ref().map(ToString::to_string)),
        ("chassi", vehicle.chassis.as_ref().map(ToString::to_string)),
        ("renavam", vehicle.renavam.clone()),
        ("marca", vehicle.brand.clone()),
        ("modelo", vehicle.model.clone()),
        ("anoFabricacao", vehicle.built.map(|year| year.to_string())),
        ("anoModelo", vehicle.model_year.map(|year| year.to_string())),
        ("cor", vehicle.colour.clone()),
        ("combustivel", vehicle.fuel.map(|fuel| names::fuel(fuel).to_owned())),
        ("categoria", vehicle.category.map(|category| names::category(category).to_owned())),
        ("codTipoVeiculo", vehicle.kind.map(|kind| kind.to_string())),
        ("numeroPortas", vehicle.doors.map(|doors| doors.to_string())),
        ("valorVeiculo", money(vehicle.worth)),
        ("valorProtegido", money(vehicle.protected)),
        ("valorParticipacao", money(vehicle.participation)),
        ("codigoFipe", vehicle.fipe.clone()),
    ]
}

pub(crate) fn money(cents: Option<i64>) -> Option<String> {
    cents.and_then(Money::from_cents).map(|money| money.to_string())
}

/// `10 (150.55), 12 (29.9)`
fn plans(benefit: &Benefit) -> Option<String> {
    let priced = |(plan, price): &(domain::PlanCode, i64)| match money(Some(*price)) {
        Some(price) => format!("{plan} ({price})"),
        None => plan.to_string(),
    };
    let mut plans = benefit.plans.clone();
    plans.sort_unstable();
    (!plans.is_empty()).then(|| plans.iter().map(priced).collect::<Vec<_>>().join(", "))
}

/// `Apelido: Trovão; Quilometragem: 12`
fn additional(registers: &Registers, benefit: &Benefit) -> Option<String> {
    let name = |code| registers.fields.iter().find(|field| field.code == code).map(|field| &field.name);
    let values: Vec<String> = benefit
        .fields
        .iter()
        .map(|(code, value)| match name(*code) {
            Some(name) => format!("{name}: {value}"),
            None => format!("{code}: {value}"),
        })
        .collect();
    (!values.is_empty()).then(|| values.join("; "))
}
