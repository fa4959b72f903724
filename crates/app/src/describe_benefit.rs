//! The short description of a benefit.

use crate::register_snapshot::TenantRegisters;
use domain::Benefit;
use wire::trigger::describe_benefit;

/// Its vehicle or, without one, its plan.
pub fn describe_stored_benefit(registers: &TenantRegisters, benefit: &Benefit) -> String {
    let plan = benefit.plans.first().and_then(|(plan, _)| registers.plan(*plan));
    let (vehicle, plan) = (&benefit.vehicle, plan.map_or("", |plan| &plan.name));
    describe_benefit(vehicle.plate.as_ref(), vehicle.brand.as_deref(), vehicle.model.as_deref(), plan)
}
