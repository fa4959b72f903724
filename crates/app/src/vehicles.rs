//! What was sent of a vehicle, put onto the vehicle as it is.

use crate::base::Registers;
use domain::{Field, Money, Rejection, VehicleTypeCode, fold};
use storage::benefits::Vehicle;
use wire::read::Given;
use wire::records::{VeiculoCampos, VeiculoInput};

/// Takes over what was given, but for the type, which must be one of the association's.
pub(crate) fn apply(input: &VeiculoCampos, vehicle: &mut Vehicle) {
    input.plate.change(&mut vehicle.plate, Clone::clone);
    input.chassis.change(&mut vehicle.chassis, Clone::clone);
    input.renavam.change(&mut vehicle.renavam, |renavam| renavam.as_str().to_owned());
    input.brand.change(&mut vehicle.brand, ToString::to_string);
    input.model.change(&mut vehicle.model, ToString::to_string);
    input.built.change(&mut vehicle.built, |year| year.get());
    input.model_year.change(&mut vehicle.model_year, |year| year.get());
    input.colour.change(&mut vehicle.colour, ToString::to_string);
    input.fuel.change(&mut vehicle.fuel, |fuel| *fuel);
    input.category.change(&mut vehicle.category, |category| *category);
    input.doors.change(&mut vehicle.doors, |doors| doors.get());
    input.worth.change(&mut vehicle.worth, |money: &Money| money.cents());
    input.protected.change(&mut vehicle.protected, |money: &Money| money.cents());
    input.participation.change(&mut vehicle.participation, |money: &Money| money.cents());
}

/// Takes over what was given, with the type, by its code or by its name. What a vehicle has already may be out of use.
pub(crate) fn apply_whole(
    registers: &Registers,
    input: &VeiculoInput,
    vehicle: &mut Vehicle,
    problems: &mut Vec<Rejection>,
) {
    let had = vehicle.kind;
    apply(&input.vehicle, vehicle);
    let by_code = match input.vehicle.kind {
        Given::Set(code) => Given::Set(kind_of(registers, code, had, problems)),
        Given::Clear => Given::Clear,
        Given::Keep => Given::Keep,
    };
    let by_name = match &input.kind_name {
        Given::Set(name) => Given::Set(kind_named(registers, name.as_str(), had, problems)),
        Given::Clear => Given::Clear,
        Given::Keep => Given::Keep,
    };
    vehicle.kind = match (by_code, by_name) {
        (Given::Set(Some(code)), Given::Set(Some(name))) if code != name => {
            let (field, with) = (Field::VehicleTypeName, Field::DealVehicleType);
            problems.push(Rejection::Disagree { field, with });
            had
        }
        (Given::Set(kind), _) | (_, Given::Set(kind)) => kind,
        (Given::Clear, _) | (_, Given::Clear) => None,
        (Given::Keep, Given::Keep) => had,
    };
}

fn kind_of(
    registers: &Registers,
    code: VehicleTypeCode,
    had: Option<VehicleTypeCode>,
    problems: &mut Vec<Rejection>,
) -> Option<VehicleTypeCode> {
    let mut usable = registers.vehicle_types.iter().filter(|one| one.active || Some(one.code) == had);
    let found = usable.find(|one| one.code == code).map(|one| one.code);
    if found.is_none() {
        problems.push(Rejection::UnknownCode { field: Field::DealVehicleType, code: code.get() });
    }
    found
}

fn kind_named(
    registers: &Registers,
    name: &str,
    had: Option<VehicleTypeCode>,
    problems: &mut Vec<Rejection>,
) -> Option<VehicleTypeCode> {
    let (types, folded) = (&registers.vehicle_types, fold(name));
    let mut named = types.iter().filter(|one| fold(&one.name) == folded);
    let found = named.find(|one| one.active || Some(one.code) == had).map(|one| one.code);
    if found.is_none() {
        let known = types.iter().filter(|one| one.active).map(|one| one.name.clone()).collect();
        problems.push(Rejection::UnknownVehicleType { given: name.to_owned(), known });
    }
    found
}
