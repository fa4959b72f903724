//! Trackers: an installed tracker stays active, and its installation has the same data.

use super::installations::{OF_TRACKER, list_active_installations};
use crate::Error;
use crate::registers::draft::RecordDraft;
use domain::RegisterProblem;
use storage::Tx;
use storage::registers as kept;

pub(super) async fn validate_tracker(tx: &mut Tx, wish: &mut RecordDraft<'_>) -> Result<(), Error> {
    if !wish.is_retiring() {
        return Ok(());
    }
    if let Some(on) = list_active_installations(tx, wish, wish.code.unwrap_or(0)).await?.first() {
        wish.refuse("ativo", RegisterProblem::Installed { installation: on.code });
    }
    Ok(())
}

pub(super) async fn update_installations(tx: &mut Tx, wish: &RecordDraft<'_>) -> Result<(), Error> {
    let (Some(code), Some(register)) =
        (wish.code.filter(|_| wish.had.is_some()), registers::find_register("instalacao"))
    else {
        return Ok(());
    };
    for mut on in list_active_installations(tx, wish, code).await? {
        for name in OF_TRACKER {
            if let Some((at, _)) = register.find_field(name) {
                on.values[at] = wish.value(name).clone();
            }
        }
        let row = (on.code, &on.values[..], on.active);
        kept::update_record(tx, register, wish.doing.scope.tenant(), row, wish.doing.now).await?;
    }
    Ok(())
}
