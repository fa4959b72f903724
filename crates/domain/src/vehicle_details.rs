//! What is known about a vehicle.

use crate::{Chassis, Fuel, Money, Plate, VehicleCategory, VehicleTypeCode};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VehicleDetails {
    pub plate: Option<Plate>,
    pub chassis: Option<Chassis>,
    pub renavam: Option<String>,
    pub brand: Option<String>,
    pub model: Option<String>,
    pub built: Option<i32>,
    pub model_year: Option<i32>,
    pub colour: Option<String>,
    pub fuel: Option<Fuel>,
    pub category: Option<VehicleCategory>,
    pub kind: Option<VehicleTypeCode>,
    pub doors: Option<i32>,
    pub worth: Option<Money>,
    pub protected: Option<Money>,
    pub participation: Option<Money>,
    pub fipe: Option<String>,
}
