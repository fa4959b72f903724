//! The columns of a benefit and their encoding.

use crate::executor::stored_text::parse_stored_text;
use crate::{Error, Row, SqlScalar};
use domain::{
    AdditionalFieldValues, Benefit, BenefitCode, CardNumber, Chassis, FieldCode, Money, PlanCode, Plate,
    TenantId, VehicleDetails,
};
use std::collections::BTreeMap;

/// The columns read by [`parse_benefit_row`], of a table with the alias `b`.
macro_rules! benefit_columns {
    () => {
        "b.person, b.branch, b.kind, b.situation, b.sequence, b.card, b.due_day, b.consultant, b.representative, b.joined_on,
             b.activated_on, b.cancelled_on, b.integration_code, b.note, b.plans, b.field_values, b.plate, b.chassis,
             b.renavam, b.brand, b.model, b.built, b.model_year, b.colour, b.fuel, b.category, b.vehicle_type, b.doors,
             b.worth, b.protected, b.participation, b.fipe, b.slot, b.version, b.created_at, b.updated_at"
    };
}
pub(crate) use benefit_columns;

const COLUMNS: usize = 38;

/// The columns in the order of [`build_benefit_row`].
pub const INSERT: &str = "INSERT INTO benefits (tenant, code, person, branch, kind, situation, sequence, card, due_day,
     consultant, representative, joined_on, activated_on, cancelled_on, integration_code, note, plans, field_values,
     plate, chassis, renavam, brand, model, built, model_year, colour, fuel, category, vehicle_type, doors, worth,
     protected, participation, fipe, slot, version, created_at, updated_at) VALUES";

/// Format: `10:15055 12:2990`.
pub(crate) fn encode_priced_plans(plans: &[(PlanCode, Money)]) -> String {
    plans.iter().map(|(plan, price)| format!("{plan}:{}", price.cents())).collect::<Vec<_>>().join(" ")
}

pub(crate) fn parse_priced_plans(text: Option<&str>) -> Result<Vec<(PlanCode, Money)>, Error> {
    let one = |part: &str| {
        let (plan, price) = part.split_once(':')?;
        Some((PlanCode::new(plan.parse().ok()?), Money::from_stored_cents(price.parse().ok()?)?))
    };
    let text = text.ok_or_else(|| Error::Broken("a benefit is kept without its plans".to_owned()))?;
    text.split_whitespace()
        .map(|part| one(part).ok_or_else(|| Error::Broken(format!("{part:?} is kept as a plan"))))
        .collect()
}

/// `None` if there are no values, which is the usual case.
fn encode_field_values(fields: &AdditionalFieldValues) -> Option<String> {
    let object: serde_json::Map<String, serde_json::Value> =
        fields.iter().map(|(code, value)| (code.to_string(), value.as_str().into())).collect();
    (!object.is_empty()).then(|| serde_json::Value::Object(object).to_string())
}

pub(crate) fn parse_field_values(text: Option<&str>) -> Result<AdditionalFieldValues, Error> {
    let Some(text) = text else { return Ok(AdditionalFieldValues::new()) };
    let object: BTreeMap<i32, String> = serde_json::from_str(text)
        .map_err(|_| Error::Broken("values of additional fields are kept that cannot be read".to_owned()))?;
    Ok(object.into_iter().map(|(code, value)| (FieldCode::new(code), value)).collect())
}

pub(crate) fn parse_benefit_row(row: &Row) -> Result<Benefit, Error> {
    Ok(Benefit {
        person: row.get("person")?,
        branch: row.get("branch")?,
        kind: row.get("kind")?,
        situation: row.get("situation")?,
        sequence: row.get("sequence")?,
        card: parse_stored_text("benefit", row.get_text("card")?, CardNumber::parse)?,
        due_day: row.get("due_day")?,
        consultant: row.get("consultant")?,
        representative: row.get("representative")?,
        joined_on: row.get("joined_on")?,
        activated_on: row.get("activated_on")?,
        cancelled_on: row.get("cancelled_on")?,
        integration_code: row.get("integration_code")?,
        note: row.get("note")?,
        plans: parse_priced_plans(row.get_text("plans")?)?,
        fields: parse_field_values(row.get_text("field_values")?)?,
        vehicle: parse_vehicle_row(row)?,
        slot: row.get("slot")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The vehicle columns have the same names in every table.
pub(crate) fn parse_vehicle_row(row: &Row) -> Result<VehicleDetails, Error> {
    Ok(VehicleDetails {
        plate: parse_stored_text("benefit", row.get_text("plate")?, Plate::parse)?,
        chassis: parse_stored_text("benefit", row.get_text("chassis")?, Chassis::parse)?,
        renavam: row.get("renavam")?,
        brand: row.get("brand")?,
        model: row.get("model")?,
        built: row.get("built")?,
        model_year: row.get("model_year")?,
        colour: row.get("colour")?,
        fuel: row.get("fuel")?,
        category: row.get("category")?,
        kind: row.get("vehicle_type")?,
        doors: row.get("doors")?,
        worth: row.get("worth")?,
        protected: row.get("protected")?,
        participation: row.get("participation")?,
        fipe: row.get("fipe")?,
    })
}

/// The columns of a vehicle in the order of [`build_vehicle_values`].
macro_rules! vehicle_columns {
    () => {
        "plate, chassis, renavam, brand, model, built, model_year, colour, fuel, category, vehicle_type, doors, worth, \
         protected, participation, fipe"
    };
}
pub(crate) use vehicle_columns;

pub(crate) fn build_vehicle_values(vehicle: &VehicleDetails) -> [SqlScalar; 16] {
    [
        vehicle.plate.as_ref().map(Plate::as_str).into(),
        vehicle.chassis.as_ref().map(Chassis::as_str).into(),
        vehicle.renavam.as_deref().into(),
        vehicle.brand.as_deref().into(),
        vehicle.model.as_deref().into(),
        vehicle.built.into(),
        vehicle.model_year.into(),
        vehicle.colour.as_deref().into(),
        vehicle.fuel.into(),
        vehicle.category.into(),
        vehicle.kind.into(),
        vehicle.doors.into(),
        vehicle.worth.into(),
        vehicle.protected.into(),
        vehicle.participation.into(),
        vehicle.fipe.as_deref().into(),
    ]
}

pub fn build_benefit_row(tenant: TenantId, code: BenefitCode, benefit: &Benefit) -> Vec<SqlScalar> {
    let mut values: Vec<SqlScalar> = Vec::with_capacity(COLUMNS);
    values.extend([
        tenant.into(),
        code.into(),
        benefit.person.into(),
        benefit.branch.into(),
        benefit.kind.into(),
        benefit.situation.into(),
        benefit.sequence.into(),
        benefit.card.as_ref().map(CardNumber::as_str).into(),
        benefit.due_day.into(),
        benefit.consultant.into(),
        benefit.representative.into(),
        benefit.joined_on.into(),
        benefit.activated_on.into(),
        benefit.cancelled_on.into(),
        benefit.integration_code.as_deref().into(),
        benefit.note.as_deref().into(),
        encode_priced_plans(&benefit.plans).into(),
        encode_field_values(&benefit.fields).into(),
    ]);
    values.extend(build_vehicle_values(&benefit.vehicle));
    values.extend([benefit.slot.into(), 1.into(), benefit.created_at.into(), benefit.updated_at.into()]);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_and_fields_come_back_as_they_were_kept() {
        let plans = vec![
            (PlanCode::new(10), Money::from_cents(15_055).unwrap()),
            (PlanCode::new(12), Money::default()),
        ];
        assert_eq!(encode_priced_plans(&plans), "10:15055 12:0");
        assert_eq!(parse_priced_plans(Some("10:15055 12:0")).unwrap(), plans);
        assert_eq!(parse_priced_plans(Some("")).unwrap(), []);
        assert!([None, Some("10"), Some("10:-1")].into_iter().all(|text| parse_priced_plans(text).is_err()));
        let fields = AdditionalFieldValues::from([(FieldCode::new(3), "Cinza \"claro\"".to_owned())]);
        assert_eq!(parse_field_values(encode_field_values(&fields).as_deref()).unwrap(), fields);
        assert_eq!(encode_field_values(&AdditionalFieldValues::new()), None);
        assert!(parse_field_values(Some("{\"x\": \"y\"}")).is_err());
    }
}
