//! Credit cards: of a person's, one is the one that is charged.

use crate::Error;
use crate::registering::wish::Wish;
use registers::Value;
use storage::Tx;
use storage::registers::take_from_others;

/// One that is no longer used is not charged.
pub(super) fn judge(wish: &mut Wish<'_>) {
    if !wish.active {
        wish.set("principal", Value::Flag(false));
    }
}

pub(super) async fn before(tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    if !wish.flag("principal") || !wish.changes("principal") {
        return Ok(());
    }
    let (Some((_, flag)), Some((at, person))) =
        (wish.register.field("principal"), wish.register.field("codPessoa"))
    else {
        return Ok(());
    };
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    let own = [(person, &wish.values[at])];
    Ok(take_from_others(tx, wish.register, tenant, (code, flag), &own, wish.doing.now).await?)
}
