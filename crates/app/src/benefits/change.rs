//! Changes the fields of a benefit, in any situation, as `/gestao` and the console do.

use super::conflicts::{load_key_conflicts, refuse_conflicts};
use super::show::{FullBenefit, build_full_benefit, load_related_records, reject_unknown_benefit};
use super::vehicle;
use super::{
    PendingBenefitWrite, SentBenefitFields, SentBenefitValidator, WrittenBenefit, field_changes,
    store_benefit,
};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, Benefit, BenefitCode, Rejection, VehicleDetails};
use storage::Tx;
use storage::benefits;
use wire::read::{BoundedInt, FieldPatch};
use wire::record_version::{CurrentVersion, refuse_old_version};
use wire::records::BeneficioAlteracaoInput;

const CHANGE: AuditedOperation = AuditedOperation::ChangeBenefit;

/// An answer without a change is recorded as read access.
pub(super) fn record_unchanged_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    outcome: WriteOutcome<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    if let WriteOutcome::Fresh(FullBenefit { benefit, changed: false, .. }) = &outcome {
        record_access(app, caller, operation, std::iter::once(benefit.person))?;
    }
    Ok(outcome)
}

/// Changes a benefit: absent fields keep their value, cleared fields are emptied.
#[boxed::future]
pub async fn change_benefit(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: BeneficioAlteracaoInput,
    once: IdempotentWrite<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    let outcome = run_command(app, caller, CHANGE, (code, input), once, |tx, command| {
        Box::pin(write_benefit_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, CHANGE, outcome)
}

async fn write_benefit_change(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, BeneficioAlteracaoInput)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    let tenant = command.scope.tenant();
    confirm_registers(tx, tenant, &command.registers).await?;
    let before =
        benefits::find_benefit(&mut *tx, &command.scope, code).await?.ok_or(reject_unknown_benefit(code))?;
    let (holder, items_before, _) = load_related_records(tx, &command.scope, code, &before).await?;
    let mut validator = SentBenefitValidator::new(&command.registers, &command.scope);
    let has_vehicle = before.kind.has_vehicle();
    if !has_vehicle && has_vehicle_fields(input) {
        validator.problems.push(Rejection::NoVehicle);
    }
    let vehicle = has_vehicle.then_some((&input.vehicle, &input.fipe));
    let sent_fields =
        SentBenefitFields { fields: &input.fields, situation: None, vehicle, stated_vehicle: None };
    let (after, item) = validator.build_changed_benefit(sent_fields, &before, &items_before, command.now);
    if !validator.problems.is_empty() {
        return Err(Error::Refused(validator.problems));
    }
    let differences = field_changes::compare_benefits(&command.registers, &before, &after);
    let mut problems: Vec<Rejection> =
        refuse_old_benefit_version(command, Some(input.version), &before, &differences).into_iter().collect();
    if after == before && item.is_none() && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, command, code, before, false)).await;
    }
    problems.extend(find_conflicts(tx, command, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let after = Benefit { updated_at: command.now, ..after };
    let pending = PendingBenefitWrite {
        item,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, AuditedAction::Change)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}

/// Whether the input sets a field that only vehicles have.
fn has_vehicle_fields(input: &BeneficioAlteracaoInput) -> bool {
    let mut vehicle = VehicleDetails::default();
    vehicle::apply_vehicle_fields(&input.vehicle, &mut vehicle);
    vehicle != VehicleDetails::default()
        || matches!(input.vehicle.kind, FieldPatch::Set(_))
        || matches!(input.fipe, FieldPatch::Set(_))
}

pub(super) fn refuse_old_benefit_version<I>(
    command: &WriteCommand<I>,
    input_version: Option<BoundedInt<0, { i32::MAX }>>,
    before: &Benefit,
    differences: &[wire::field_differences::FieldDifference],
) -> Option<Rejection> {
    let current = CurrentVersion { version: before.version, since: before.updated_at };
    input_version.and_then(|input_version| {
        refuse_old_version(input_version.get().into(), current, &command.registers.zone, differences)
    })
}

/// Conflicts with the card or the vehicle of other benefits.
pub(super) async fn find_conflicts<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    code: BenefitCode,
    before: &Benefit,
    after: &Benefit,
) -> Result<Vec<Rejection>, Error> {
    let conflicts = load_key_conflicts(tx, command.scope.tenant(), after).await?;
    let scope_and_registers = (&command.scope, &*command.registers);
    match refuse_conflicts(scope_and_registers, Some((code, before)), after, before.person, &conflicts) {
        Err(Error::Refused(problems)) => Ok(problems),
        other => other.map(|()| Vec::new()),
    }
}
