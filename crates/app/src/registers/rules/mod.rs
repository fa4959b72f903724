//! Register rules that a description cannot express: validation, and the effects of a change on other records before
//! it is written.

mod additional_fields;
mod credit_cards;
mod installations;
mod situations;
mod trackers;

use super::draft::RecordDraft;
use crate::Error;
use domain::RegisterProblem;
use storage::Tx;
use storage::registers::count_other_active_records;

/// Adds the problems of the draft to it.
pub(super) async fn validate_register_rules(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    match draft.register.path {
        "situacao" => situations::validate_situation(tx, draft).await,
        "campoAdicional" => {
            additional_fields::validate_additional_field(draft);
            Ok(())
        }
        // An association always needs an active branch, due day and funnel.
        "loja" | "vencimento" | "funil" => refuse_last_active(tx, draft, &[]).await,
        "etapa" => refuse_last_active(tx, draft, &["codFunil"]).await,
        "rastreador" => trackers::validate_tracker(tx, draft).await,
        "instalacao" => installations::validate_installation(tx, draft).await,
        "cartaoCredito" => {
            credit_cards::validate_credit_card(draft);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Updates related records. The record already has its code.
pub(super) async fn update_related_records(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<(), Error> {
    match draft.register.path {
        "situacao" => situations::unset_old_default(tx, draft).await,
        "rastreador" => trackers::update_installations(tx, draft).await,
        "cartaoCredito" => credit_cards::unset_other_main_cards(tx, draft).await,
        _ => Ok(()),
    }
}

/// Rejects deactivating the last active record among those equal in these fields.
async fn refuse_last_active(tx: &mut Tx, draft: &mut RecordDraft<'_>, alike: &[&str]) -> Result<(), Error> {
    if !draft.is_retiring() {
        return Ok(());
    }
    let (register, tenant, code) = (draft.register, draft.command.scope.tenant(), draft.code.unwrap_or(0));
    let fields = alike.iter().filter_map(|name| register.find_field(name));
    let narrowed: Vec<_> = fields.map(|(at, field)| (field, &draft.values[at])).collect();
    if count_other_active_records(tx, register, tenant, code, &narrowed).await? == 0 {
        draft.refuse("ativo", RegisterProblem::LastActive { what: register.words.the_one });
    }
    Ok(())
}
