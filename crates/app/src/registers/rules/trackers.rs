//! Trackers: an installed tracker stays active, and its installation has the same data.

use super::installations::{OF_TRACKER, list_active_installations};
use crate::Error;
use crate::registers::draft::RecordDraft;
use domain::RegisterProblem;
use storage::Tx;
use storage::registers as stored_registers;

pub(super) async fn validate_tracker(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    if !draft.is_retiring() {
        return Ok(());
    }
    if let Some(installation) = list_active_installations(tx, draft, draft.code.unwrap_or(0)).await?.first() {
        draft.refuse("ativo", RegisterProblem::Installed { installation: installation.code });
    }
    Ok(())
}

pub(super) async fn update_installations(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<(), Error> {
    let (Some(code), Some(register)) =
        (draft.code.filter(|_| draft.stored.is_some()), registers::find_register("instalacao"))
    else {
        return Ok(());
    };
    for mut installation in list_active_installations(tx, draft, code).await? {
        for name in OF_TRACKER {
            if let Some((at, _)) = register.find_field(name) {
                installation.values[at] = draft.value(name).clone();
            }
        }
        let row = (installation.code, &installation.values[..], installation.active);
        stored_registers::update_record(tx, register, draft.command.scope.tenant(), row, draft.command.now)
            .await?;
    }
    Ok(())
}
