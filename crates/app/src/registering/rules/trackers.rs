//! Trackers: one that is on a vehicle stays in use, and what is known of it is known of its installation.

use super::installations::{OF_TRACKER, installed};
use crate::Error;
use crate::registering::wish::Wish;
use domain::RegisterProblem;
use storage::Tx;
use storage::registers as kept;

pub(super) async fn judge(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    if !wish.retires() {
        return Ok(());
    }
    if let Some(on) = installed(tx, wish, wish.code.unwrap_or(0)).await?.first() {
        wish.refuse("ativo", RegisterProblem::Installed { installation: on.code });
    }
    Ok(())
}

pub(super) async fn before(tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    let (Some(code), Some(register)) =
        (wish.code.filter(|_| wish.had.is_some()), registers::find("instalacao"))
    else {
        return Ok(());
    };
    for mut on in installed(tx, wish, code).await? {
        for name in OF_TRACKER {
            if let Some((at, _)) = register.field(name) {
                on.values[at] = wish.value(name).clone();
            }
        }
        let row = (on.code, &on.values[..], on.active);
        kept::update(tx, register, wish.doing.scope.tenant(), row, wish.doing.now).await?;
    }
    Ok(())
}
