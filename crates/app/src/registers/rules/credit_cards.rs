//! Credit cards: one card of each person is charged.

use crate::Error;
use crate::registers::draft::RecordDraft;
use registers::FieldContent;
use storage::Tx;
use storage::registers::clear_flag_of_others;

/// An inactive card is not charged.
pub(super) fn validate_credit_card(draft: &mut RecordDraft<'_>) {
    if !draft.active {
        draft.set("principal", FieldContent::Flag(false));
    }
}

pub(super) async fn unset_other_main_cards(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<(), Error> {
    if !draft.flag("principal") || !draft.is_field_changed("principal") {
        return Ok(());
    }
    let (Some((_, flag)), Some((at, person))) =
        (draft.register.find_field("principal"), draft.register.find_field("codPessoa"))
    else {
        return Ok(());
    };
    let (tenant, code) = (draft.command.scope.tenant(), draft.code.unwrap_or(0));
    let same_person = [(person, &draft.values[at])];
    Ok(clear_flag_of_others(tx, draft.register, tenant, (code, flag), &same_person, draft.command.now)
        .await?)
}
