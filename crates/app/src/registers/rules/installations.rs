//! Installations: a tracker on one vehicle at a time, until its removal day.

use crate::Error;
use crate::registers::StoredRecord;
use crate::registers::draft::RecordDraft;
use domain::{BenefitCode, BenefitKind, RegisterProblem, Scope};
use registers::FieldContent;
use storage::registers as stored_registers;
use storage::{Tx, benefits};
use wire::read::FieldPatch;

const REMOVED: &str = "dataRemocao";
const INSTALLED: &str = "dataInstalacao";
const TRACKER: &str = "codRastreador";

/// The fields copied from the tracker to its installation.
pub(super) const OF_TRACKER: [&str; 5] = ["numeroSerie", "imei", "modelo", "fabricante", "codFornecedor"];

pub(super) async fn validate_installation(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    refuse_non_vehicle_benefit(tx, draft).await?;
    reconcile_days(draft);
    let Some(code) = draft.code_field(TRACKER) else {
        if draft.stored.is_none() && draft.text("numeroSerie").is_none() {
            draft.refuse("numeroSerie", RegisterProblem::Missing);
        }
        return Ok(());
    };
    // A removed installation keeps its data.
    if draft.active || draft.is_field_changed(TRACKER) {
        copy_tracker_fields(tx, draft, code).await?;
    }
    let installed = list_active_installations(tx, draft, code).await?;
    let other = installed.iter().find(|one| Some(one.code) != draft.command.input.code);
    if let Some(other) = other.filter(|_| draft.active) {
        draft.refuse(TRACKER, RegisterProblem::Installed { installation: other.code });
    }
    Ok(())
}

async fn refuse_non_vehicle_benefit(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    let Some(code) = draft.code_field("codBeneficio") else { return Ok(()) };
    let benefit = benefits::find_benefit(tx, &draft.command.scope, BenefitCode::new(code)).await?;
    if benefit.is_some_and(|benefit| benefit.kind != BenefitKind::Vehicle) {
        draft.refuse("codBeneficio", RegisterProblem::NotAVehicle(code));
    }
    Ok(())
}

/// Keeps the removal day and the active flag consistent.
fn reconcile_days(draft: &mut RecordDraft<'_>) {
    let command = draft.command;
    let today = || FieldContent::Date(command.now.date_in(&command.registers.zone));
    let (is_removed, changes) = (draft.date(REMOVED).is_some(), draft.is_field_changed(REMOVED));
    if draft.stored.is_none() && draft.date(INSTALLED).is_none() {
        draft.set(INSTALLED, today());
    }
    match (is_removed, changes, draft.active) {
        (true, true, _) => draft.active = false,
        (true, false, true) => draft.set(REMOVED, FieldContent::Nothing),
        (false, true, false) if command.input.sent.active == FieldPatch::Keep => draft.active = true,
        (false, _, false) => draft.set(REMOVED, today()),
        _ => {}
    }
    if let (Some(removed), Some(installed)) = (draft.date(REMOVED), draft.date(INSTALLED))
        && removed < installed
    {
        draft.refuse(REMOVED, RegisterProblem::Before(INSTALLED));
    }
}

async fn copy_tracker_fields(tx: &mut Tx, draft: &mut RecordDraft<'_>, code: i32) -> Result<(), Error> {
    let Some(register) = registers::find_register("rastreador") else { return Ok(()) };
    let tenant = draft.command.scope.tenant();
    let Some(tracker) = stored_registers::find_record(tx, register, &Scope::for_tenant(tenant), code).await?
    else {
        return Ok(());
    };
    for name in OF_TRACKER {
        if let Some((at, _)) = register.find_field(name) {
            draft.set(name, tracker.values[at].clone());
        }
    }
    Ok(())
}

/// The active installations of a tracker, on any vehicle.
pub(super) async fn list_active_installations(
    tx: &mut Tx,
    draft: &RecordDraft<'_>,
    tracker: i32,
) -> Result<Vec<StoredRecord>, Error> {
    let Some(register) = registers::find_register("instalacao") else { return Ok(Vec::new()) };
    let Some((_, field)) = register.find_field(TRACKER) else { return Ok(Vec::new()) };
    let (scope, code) =
        (Scope::for_tenant(draft.command.scope.tenant()), FieldContent::Number(tracker.into()));
    Ok(stored_registers::list_records(tx, register, &scope, &[(field, &code)], Some(true)).await?)
}
