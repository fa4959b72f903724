//! Applies the sent vehicle fields to the stored vehicle.

use crate::register_snapshot::TenantRegisters;
use domain::{InputField, Rejection, VehicleDetails, VehicleTypeCode, fold_text, is_usable_reference};
use storage::registers::vehicle_types::StoredVehicleType;
use wire::read::FieldPatch;
use wire::records::{VeiculoCampos, VeiculoInput};

/// Applies all given fields except the vehicle type, which must be checked against the registers.
pub(crate) fn apply_vehicle_fields(input: &VeiculoCampos, vehicle: &mut VehicleDetails) {
    input.plate.apply_to(&mut vehicle.plate, Clone::clone);
    input.chassis.apply_to(&mut vehicle.chassis, Clone::clone);
    input.renavam.apply_to(&mut vehicle.renavam, |renavam| renavam.as_str().to_owned());
    input.brand.apply_to(&mut vehicle.brand, ToString::to_string);
    input.model.apply_to(&mut vehicle.model, ToString::to_string);
    input.built.apply_to(&mut vehicle.built, |year| year.get());
    input.model_year.apply_to(&mut vehicle.model_year, |year| year.get());
    input.colour.apply_to(&mut vehicle.colour, ToString::to_string);
    input.fuel.apply_to(&mut vehicle.fuel, |fuel| *fuel);
    input.category.apply_to(&mut vehicle.category, |category| *category);
    input.doors.apply_to(&mut vehicle.doors, |doors| doors.get());
    input.worth.apply_to(&mut vehicle.worth, |money| *money);
    input.protected.apply_to(&mut vehicle.protected, |money| *money);
    input.participation.apply_to(&mut vehicle.participation, |money| *money);
}

/// Applies all given fields including the vehicle type, by code or by name. A type that the vehicle already has may be
/// inactive.
pub(crate) fn apply_full_vehicle(
    registers: &TenantRegisters,
    input: &VeiculoInput,
    vehicle: &mut VehicleDetails,
    problems: &mut Vec<Rejection>,
) {
    let current_kind = vehicle.kind;
    apply_vehicle_fields(&input.vehicle, vehicle);
    let by_code = match input.vehicle.kind {
        FieldPatch::Set(code) => FieldPatch::Set(find_type_by_code(registers, code, current_kind, problems)),
        FieldPatch::Clear => FieldPatch::Clear,
        FieldPatch::Keep => FieldPatch::Keep,
    };
    let by_name = match &input.kind_name {
        FieldPatch::Set(name) => {
            FieldPatch::Set(find_type_by_name(registers, name.as_str(), current_kind, problems))
        }
        FieldPatch::Clear => FieldPatch::Clear,
        FieldPatch::Keep => FieldPatch::Keep,
    };
    vehicle.kind = match (by_code, by_name) {
        (FieldPatch::Set(Some(code)), FieldPatch::Set(Some(name))) if code != name => {
            let (field, with) = (InputField::VehicleTypeName, InputField::DealVehicleType);
            problems.push(Rejection::Disagree { field, with });
            current_kind
        }
        (FieldPatch::Set(kind), _) | (_, FieldPatch::Set(kind)) => kind,
        (FieldPatch::Clear, _) | (_, FieldPatch::Clear) => None,
        (FieldPatch::Keep, FieldPatch::Keep) => current_kind,
    };
}

fn is_usable_type(one: &StoredVehicleType, current_kind: Option<VehicleTypeCode>) -> bool {
    is_usable_reference(one.code, one.active, current_kind.as_slice())
}

fn find_type_by_code(
    registers: &TenantRegisters,
    code: VehicleTypeCode,
    current_kind: Option<VehicleTypeCode>,
    problems: &mut Vec<Rejection>,
) -> Option<VehicleTypeCode> {
    let mut named = registers.vehicle_types.iter().filter(|one| one.code == code);
    let found = named.find(|one| is_usable_type(one, current_kind)).map(|one| one.code);
    if found.is_none() {
        problems.push(Rejection::UnknownCode { field: InputField::DealVehicleType, code: code.get() });
    }
    found
}

fn find_type_by_name(
    registers: &TenantRegisters,
    name: &str,
    current_kind: Option<VehicleTypeCode>,
    problems: &mut Vec<Rejection>,
) -> Option<VehicleTypeCode> {
    let (types, folded) = (&registers.vehicle_types, fold_text(name));
    let mut named = types.iter().filter(|one| fold_text(&one.name) == folded);
    let found = named.find(|one| is_usable_type(one, current_kind)).map(|one| one.code);
    if found.is_none() {
        let alternatives = types.iter().filter(|one| one.active).map(|one| one.name.clone()).collect();
        problems.push(Rejection::UnknownVehicleType { value: name.to_owned(), alternatives });
    }
    found
}
