//! What was sent of a vehicle, put onto the vehicle as it is.

use domain::Money;
use storage::benefits::Vehicle;
use wire::records::VeiculoCampos;

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
