//! A card belongs to one person, and a vehicle has at most one benefit in force.

use crate::Error;
use crate::register_snapshot::TenantRegisters;
use domain::{
    Benefit, BenefitCode, InputField, PersonCode, Rejection, Scope, SituationCode, SituationKind, TenantId,
};
use storage::Tx;
use storage::benefits::{BenefitKeyConflicts, BenefitUniqueKeys, ConflictingBenefit};

/// Loads the benefits that use the same plate, chassis or card.
pub(super) async fn load_key_conflicts(
    tx: &mut Tx,
    tenant: TenantId,
    benefit: &Benefit,
) -> Result<BenefitKeyConflicts, Error> {
    Ok(storage::benefits::load_benefit_conflicts(tx, tenant, collect_unique_keys(benefit), None).await?)
}

pub(super) fn collect_unique_keys(benefit: &Benefit) -> BenefitUniqueKeys<'_> {
    (benefit.vehicle.plate.as_ref(), benefit.vehicle.chassis.as_ref(), benefit.card.as_ref())
}

/// A card belongs to one person, and a vehicle has at most one benefit in force.
pub(super) fn refuse_conflicts(
    (scope, registers): (&Scope, &TenantRegisters),
    before: Option<(BenefitCode, &Benefit)>,
    after: &Benefit,
    person: PersonCode,
    conflicts: &BenefitKeyConflicts,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let previous_card = before.and_then(|(_, before)| before.card.as_ref());
    if after.card.as_ref() != previous_card && conflicts.card_holder.is_some_and(|holder| holder != person) {
        problems.push(Rejection::CardOfAnother);
    }
    let in_force = |situation: SituationCode| {
        let kind = registers.situation_kind(situation);
        !matches!(kind, Some(SituationKind::Inactive | SituationKind::Cancelled))
    };
    let other = |holders: &[ConflictingBenefit]| {
        let others = holders.iter().filter(|one| before.is_none_or(|(code, _)| one.code != code));
        others.filter(|one| in_force(one.situation)).copied().next()
    };
    if in_force(after.situation) {
        let plate = after.vehicle.plate.as_ref().map(ToString::to_string);
        let chassis = after.vehicle.chassis.as_ref().map(ToString::to_string);
        for (field, value, holders) in [
            (InputField::Plate, plate, &conflicts.with_plate),
            (InputField::Chassis, chassis, &conflicts.with_chassis),
        ] {
            if let (Some(value), Some(other)) = (value, other(holders)) {
                let visible_code = scope.can_see(other.branch).then_some(other.code);
                problems.push(Rejection::VehicleTaken { field, value, benefit: visible_code });
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Refused(problems)) }
}
