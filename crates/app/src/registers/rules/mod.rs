//! Register rules that a description cannot express: validation, and the effects of a change on other records before
//! it is written.

mod additional_fields;
mod bank_holidays;
mod credit_cards;
mod installations;
mod situations;
mod trackers;

use super::draft::RecordDraft;
use crate::Error;
use domain::finance::LaunchKind;
use domain::{RegisterProblem, Scope, TenantId, TitleTypeCode};
use registers::{FieldContent, Register};
use storage::Tx;
use storage::registers::{FieldCondition, count_other_active_records, list_records};

/// Adds the problems of the draft to it.
pub(super) async fn validate_register_rules(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    match draft.register.path {
        "situacao" => {
            registers::complete_values(draft.register, &mut draft.values);
            refuse_money_problems(tx, draft).await?;
            situations::validate_situation(tx, draft).await
        }
        "tabelaPreco" | "desconto" => refuse_money_problems(tx, draft).await,
        "regraCobranca" => {
            refuse_money_problems(tx, draft).await?;
            // Some rule covers every group.
            if draft.code_field("codGrupo").is_none() {
                refuse_last_active(tx, draft, &["codGrupo"]).await
            } else {
                Ok(())
            }
        }
        "campoAdicional" => {
            additional_fields::validate_additional_field(draft);
            Ok(())
        }
        "contaFinanceira" => {
            registers::complete_values(draft.register, &mut draft.values);
            refuse_money_problems(tx, draft).await
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

/// Rules of prices and charging, which compare a record with the others in use.
async fn refuse_money_problems(tx: &mut Tx, draft: &mut RecordDraft<'_>) -> Result<(), Error> {
    let (register, tenant) = (draft.register, draft.command.scope.tenant());
    let values = (draft.code, &draft.values[..], draft.active);
    let problems = find_conflicts_in_force(tx, register, tenant, values).await?;
    for (field, problem) in problems {
        draft.refuse(field, problem);
    }
    let title_type = draft.code_field("codTipoTitulo").filter(|_| register.path == "regraCobranca");
    let is_receivable = |code| {
        let found = draft.command.registers.money.title_type(TitleTypeCode::new(code));
        found.is_none_or(|one| one.launch_kind == LaunchKind::Credit)
    };
    if let Some(code) = title_type.filter(|code| !is_receivable(*code)) {
        draft.refuse("codTipoTitulo", RegisterProblem::NotReceivable(code));
    }
    Ok(())
}

/// The problems that a record of prices or charging has with itself and with the other records in use.
pub(super) async fn find_conflicts_in_force(
    tx: &mut Tx,
    register: &'static Register,
    tenant: TenantId,
    (own, values, active): (Option<i32>, &[FieldContent], bool),
) -> Result<Vec<(&'static str, RegisterProblem)>, Error> {
    // Only prices of one plan and day conflict, and a price table has thousands.
    let equal_fields: &[&str] =
        if register.path == "tabelaPreco" { &["codPlano", "validoDesde"] } else { &[] };
    let fields = equal_fields.iter().filter_map(|name| register.find_field(name));
    let conditions: Vec<FieldCondition<'_>> = fields.map(|(at, field)| (field, &values[at])).collect();
    let others = match active && matches!(register.path, "tabelaPreco" | "regraCobranca") {
        true => list_records(tx, register, &Scope::for_tenant(tenant), &conditions, Some(true)).await?,
        false => Vec::new(),
    };
    let rivals = others.iter().filter(|one| Some(one.code) != own).map(|one| (one.code, &one.values[..]));
    Ok(registers::find_money_problems(register, values, rivals))
}

/// Updates what else follows from undoing the import of a record: its values and whether it is in use from then on, or
/// nothing if it is deleted.
pub(super) async fn revert_related_records(
    tx: &mut Tx,
    register: &'static Register,
    (tenant, code): (TenantId, i32),
    restored: Option<(&[FieldContent], bool)>,
) -> Result<(), Error> {
    if register.path != "feriado" {
        return Ok(());
    }
    let in_use = restored.filter(|(_, active)| *active).map(|(values, _)| values);
    let day = in_use.zip(register.find_field("data")).and_then(|(values, (at, _))| match values[at] {
        FieldContent::Date(day) => Some(day),
        _ => None,
    });
    bank_holidays::move_due_days(tx, tenant, Some(code), day).await
}

/// Updates what else follows from the record. It already has its code.
pub(super) async fn update_related_records(tx: &mut Tx, draft: &RecordDraft<'_>) -> Result<(), Error> {
    match draft.register.path {
        "situacao" => situations::unset_old_default(tx, draft).await,
        "feriado" => {
            let day = draft.date("data").filter(|_| draft.active);
            bank_holidays::move_due_days(tx, draft.command.scope.tenant(), draft.code, day).await
        }
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
