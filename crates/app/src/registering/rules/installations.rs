//! Installations: on a vehicle, of a tracker that is on no other, until the day on which it is removed.

use crate::Error;
use crate::registering::Record;
use crate::registering::wish::Wish;
use domain::{BenefitCode, BenefitKind, RegisterProblem, Scope};
use registers::Value;
use storage::registers as kept;
use storage::{Tx, benefits};
use wire::read::Given;

const REMOVED: &str = "dataRemocao";
const INSTALLED: &str = "dataInstalacao";
const TRACKER: &str = "codRastreador";

/// What an installation takes over from its tracker.
pub(super) const OF_TRACKER: [&str; 5] = ["numeroSerie", "imei", "modelo", "fabricante", "codFornecedor"];

pub(super) async fn judge(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    refuse_other_benefits(tx, wish).await?;
    days(wish);
    let Some(code) = wish.code_in(TRACKER) else {
        if wish.had.is_none() && wish.text("numeroSerie").is_none() {
            wish.refuse("numeroSerie", RegisterProblem::Missing);
        }
        return Ok(());
    };
    // What was removed stays as it was.
    if wish.active || wish.changes(TRACKER) {
        take_over(tx, wish, code).await?;
    }
    let on = installed(tx, wish, code).await?;
    let other = on.iter().find(|one| Some(one.code) != wish.doing.code);
    if let Some(other) = other.filter(|_| wish.active) {
        wish.refuse(TRACKER, RegisterProblem::Installed { installation: other.code });
    }
    Ok(())
}

async fn refuse_other_benefits(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    let Some(code) = wish.code_in("codBeneficio") else { return Ok(()) };
    let benefit = benefits::find(tx, &wish.doing.scope, BenefitCode::new(code)).await?;
    if benefit.is_some_and(|benefit| benefit.kind != BenefitKind::Vehicle) {
        wish.refuse("codBeneficio", RegisterProblem::NotAVehicle(code));
    }
    Ok(())
}

/// The day of removal and whether it is in use say the same thing.
fn days(wish: &mut Wish<'_>) {
    let doing = wish.doing;
    let today = || Value::Text(doing.now.date_in(&doing.zone).to_iso());
    let (is_removed, changes) = (wish.text(REMOVED).is_some(), wish.changes(REMOVED));
    if wish.had.is_none() && wish.text(INSTALLED).is_none() {
        wish.set(INSTALLED, today());
    }
    match (is_removed, changes, wish.active) {
        (true, true, _) => wish.active = false,
        (true, false, true) => wish.set(REMOVED, Value::Nothing),
        (false, true, false) if doing.sent.active == Given::Keep => wish.active = true,
        (false, _, false) => wish.set(REMOVED, today()),
        _ => {}
    }
    // As they are kept, days compare as texts.
    if let (Some(removed), Some(installed)) = (wish.text(REMOVED), wish.text(INSTALLED))
        && removed < installed
    {
        wish.refuse(REMOVED, RegisterProblem::Before(INSTALLED));
    }
}

async fn take_over(tx: &mut Tx, wish: &mut Wish<'_>, code: i32) -> Result<(), Error> {
    let Some(register) = registers::find("rastreador") else { return Ok(()) };
    let tenant = wish.doing.scope.tenant();
    let Some(tracker) = kept::find(tx, register, &Scope::whole(tenant), code).await? else { return Ok(()) };
    for name in OF_TRACKER {
        if let Some((at, _)) = register.field(name) {
            wish.set(name, tracker.values[at].clone());
        }
    }
    Ok(())
}

/// The installations in use of a tracker, on whatever vehicle.
pub(super) async fn installed(tx: &mut Tx, wish: &Wish<'_>, tracker: i32) -> Result<Vec<Record>, Error> {
    let Some(register) = registers::find("instalacao") else { return Ok(Vec::new()) };
    let Some((_, field)) = register.field(TRACKER) else { return Ok(Vec::new()) };
    let (scope, code) = (Scope::whole(wish.doing.scope.tenant()), Value::Number(tracker.into()));
    Ok(kept::all(tx, register, &scope, &[(field, &code)], Some(true)).await?)
}
