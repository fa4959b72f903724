//! Credit cards: one card of each person is charged.

use crate::Error;
use crate::registers::draft::RecordDraft;
use registers::FieldContent;
use storage::Tx;
use storage::registers::clear_flag_of_others;

/// An inactive card is not charged.
pub(super) fn validate_credit_card(wish: &mut RecordDraft<'_>) {
    if !wish.active {
        wish.set("principal", FieldContent::Flag(false));
    }
}

pub(super) async fn unset_other_main_cards(tx: &mut Tx, wish: &RecordDraft<'_>) -> Result<(), Error> {
    if !wish.flag("principal") || !wish.is_field_changed("principal") {
        return Ok(());
    }
    let (Some((_, flag)), Some((at, person))) =
        (wish.register.find_field("principal"), wish.register.find_field("codPessoa"))
    else {
        return Ok(());
    };
    let (tenant, code) = (wish.doing.scope.tenant(), wish.code.unwrap_or(0));
    let own = [(person, &wish.values[at])];
    Ok(clear_flag_of_others(tx, wish.register, tenant, (code, flag), &own, wish.doing.now).await?)
}
