//! Installations: a tracker on one vehicle at a time, until its removal day.

use crate::Error;
use crate::registers::StoredRecord;
use crate::registers::draft::RecordDraft;
use domain::{BenefitCode, BenefitKind, RegisterProblem, Scope};
use registers::FieldContent;
use storage::registers as kept;
use storage::{Tx, benefits};
use wire::read::FieldPatch;

const REMOVED: &str = "dataRemocao";
const INSTALLED: &str = "dataInstalacao";
const TRACKER: &str = "codRastreador";

/// The fields copied from the tracker to its installation.
pub(super) const OF_TRACKER: [&str; 5] = ["numeroSerie", "imei", "modelo", "fabricante", "codFornecedor"];

pub(super) async fn validate_installation(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    refuse_non_vehicle_benefit(tx, wish).await?;
    reconcile_days(wish);
    let Some(code) = wish.code_field(TRACKER) else {
        if wish.had.is_none() && wish.text("numeroSerie").is_none() {
            wish.refuse("numeroSerie", RegisterProblem::Missing);
        }
        return Ok(());
    };
    // A removed installation keeps its data.
    if wish.active || wish.is_field_changed(TRACKER) {
        copy_tracker_fields(tx, wish, code).await?;
    }
    let on = list_active_installations(tx, wish, code).await?;
    let other = on.iter().find(|one| Some(one.code) != wish.doing.code);
    if let Some(other) = other.filter(|_| wish.active) {
        wish.refuse(TRACKER, RegisterProblem::Installed { installation: other.code });
    }
    Ok(())
}

async fn refuse_non_vehicle_benefit(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    let Some(code) = wish.code_field("codBeneficio") else { return Ok(()) };
    let benefit = benefits::find_benefit(tx, &wish.doing.scope, BenefitCode::new(code)).await?;
    if benefit.is_some_and(|benefit| benefit.kind != BenefitKind::Vehicle) {
        wish.refuse("codBeneficio", RegisterProblem::NotAVehicle(code));
    }
    Ok(())
}

/// Keeps the removal day and the active flag consistent.
fn reconcile_days(wish: &mut RecordDraft<'_>) {
    let doing = wish.doing;
    let today = || FieldContent::Text(doing.now.date_in(&doing.zone).to_iso());
    let (is_removed, changes) = (wish.text(REMOVED).is_some(), wish.is_field_changed(REMOVED));
    if wish.had.is_none() && wish.text(INSTALLED).is_none() {
        wish.set(INSTALLED, today());
    }
    match (is_removed, changes, wish.active) {
        (true, true, _) => wish.active = false,
        (true, false, true) => wish.set(REMOVED, FieldContent::Nothing),
        (false, true, false) if doing.sent.active == FieldPatch::Keep => wish.active = true,
        (false, _, false) => wish.set(REMOVED, today()),
        _ => {}
    }
    // Stored dates compare correctly as text.
    if let (Some(removed), Some(installed)) = (wish.text(REMOVED), wish.text(INSTALLED))
        && removed < installed
    {
        wish.refuse(REMOVED, RegisterProblem::Before(INSTALLED));
    }
}

async fn copy_tracker_fields(tx: &mut Tx, wish: &mut RecordDraft<'_>, code: i32) -> Result<(), Error> {
    let Some(register) = registers::find_register("rastreador") else { return Ok(()) };
    let tenant = wish.doing.scope.tenant();
    let Some(tracker) = kept::find_record(tx, register, &Scope::for_tenant(tenant), code).await? else {
        return Ok(());
    };
    for name in OF_TRACKER {
        if let Some((at, _)) = register.find_field(name) {
            wish.set(name, tracker.values[at].clone());
        }
    }
    Ok(())
}

/// The active installations of a tracker, on any vehicle.
pub(super) async fn list_active_installations(
    tx: &mut Tx,
    wish: &RecordDraft<'_>,
    tracker: i32,
) -> Result<Vec<StoredRecord>, Error> {
    let Some(register) = registers::find_register("instalacao") else { return Ok(Vec::new()) };
    let Some((_, field)) = register.find_field(TRACKER) else { return Ok(Vec::new()) };
    let (scope, code) = (Scope::for_tenant(wish.doing.scope.tenant()), FieldContent::Number(tracker.into()));
    Ok(kept::list_records(tx, register, &scope, &[(field, &code)], Some(true)).await?)
}
