//! Equipment installed on the vehicle of a benefit.

use crate::audit::access_log::record_access;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, BenefitCode, InputField, PersonCode, Scope, TrackerInstallation, fold_text};
use storage::benefits::installations;
use storage::{Tx, benefits};

/// Each installation with the name of its supplier.
type InstalledEquipment = Vec<(TrackerInstallation, Option<String>)>;

/// Lists current and past installations of a benefit visible to the caller; by model, then by code.
#[boxed::future]
pub async fn list_equipment(
    app: &App,
    caller: &Session,
    benefit: BenefitCode,
) -> Result<InstalledEquipment, Error> {
    let input = (caller.scope.clone(), benefit);
    let read = app.db.read(input, |tx, (scope, benefit)| Box::pin(read_equipment(tx, scope, *benefit)));
    let unknown = Error::NotFound { field: InputField::Benefit, code: benefit.get() };
    let (holder, mut all) = read.await?.ok_or(unknown)?;
    record_access(app, caller, AuditedOperation::ListEquipment, std::iter::once(holder))?;
    all.sort_by_cached_key(|(one, _)| (one.model.as_deref().map(fold_text), one.code));
    Ok(all)
}

async fn read_equipment(
    tx: &mut Tx,
    scope: &Scope,
    benefit: BenefitCode,
) -> Result<Option<(PersonCode, InstalledEquipment)>, Error> {
    let Some(found) = benefits::find_benefit(&mut *tx, scope, benefit).await? else { return Ok(None) };
    Ok(Some((found.person, installations::list_installations(tx, scope.tenant(), benefit).await?)))
}
