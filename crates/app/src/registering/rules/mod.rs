//! What the description of a register cannot say, written by hand: what must not be (`judge`), and what a change does to other
//! records (`before` it is written).

mod additional_fields;
mod credit_cards;
mod installations;
mod situations;
mod trackers;

use super::wish::Wish;
use crate::Error;
use domain::RegisterProblem;
use storage::Tx;
use storage::registers::others_in_use;

/// Tells what speaks against the record as it is to be.
pub(super) async fn judge(tx: &mut Tx, wish: &mut Wish<'_>) -> Result<(), Error> {
    match wish.register.path {
        "situacao" => situations::judge(tx, wish).await,
        "campoAdicional" => {
            additional_fields::judge(wish);
            Ok(())
        }
        // An association needs one: somewhere to work, a day to pay on, a board to sell on.
        "loja" | "vencimento" | "funil" => refuse_last(tx, wish, &[]).await,
        "etapa" => refuse_last(tx, wish, &["codFunil"]).await,
        "rastreador" => trackers::judge(tx, wish).await,
        "instalacao" => installations::judge(tx, wish).await,
        "cartaoCredito" => {
            credit_cards::judge(wish);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Changes what else must change. The record has its code by now.
pub(super) async fn before(tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    match wish.register.path {
        "situacao" => situations::before(tx, wish).await,
        "rastreador" => trackers::before(tx, wish).await,
        "cartaoCredito" => credit_cards::before(tx, wish).await,
        _ => Ok(()),
    }
}

/// Refuses to retire the last record in use, of those that are alike in these fields.
async fn refuse_last(tx: &mut Tx, wish: &mut Wish<'_>, alike: &[&str]) -> Result<(), Error> {
    if !wish.retires() {
        return Ok(());
    }
    let (register, tenant, code) = (wish.register, wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    let fields = alike.iter().filter_map(|name| register.field(name));
    let narrowed: Vec<_> = fields.map(|(at, field)| (field, &wish.values[at])).collect();
    if others_in_use(tx, register, tenant, code, &narrowed).await? == 0 {
        wish.refuse("ativo", RegisterProblem::LastActive { what: register.words.the_one });
    }
    Ok(())
}
