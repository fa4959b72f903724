//! Moves a case to another situation, as `/gestao` and the console do.

use super::change::{record_unchanged_access, refuse_old_case_version};
use super::persist::{PendingCaseWrite, store_case};
use super::{FullCase, reject_unknown_case, show};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::session::Session;
use crate::situations::{refuse_missing_reason, refuse_situation_change};
use crate::{App, Error};
use domain::{
    AuditedOperation, CaseKind, CaseOperation, InputField, Rejection, SituationCode, is_situation_change,
};
use storage::registers::situations::StoredSituation;
use storage::{Tx, cases};
use wire::field_differences;
use wire::read::FieldPatch;
use wire::records::SituacaoInput;

#[boxed::future]
pub async fn change_case_situation(
    app: &App,
    caller: &Session,
    (kind, code): (CaseKind, i32),
    input: SituacaoInput,
    once: IdempotentWrite<FullCase>,
) -> Result<WriteOutcome<FullCase>, Error> {
    let operation = AuditedOperation::Case(kind, CaseOperation::ChangeSituation);
    let input = (kind, code, input);
    let outcome = run_command(app, caller, operation, input, once, |tx, command| {
        Box::pin(write_situation_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, operation, &outcome)?;
    Ok(outcome)
}

async fn write_situation_change(
    tx: &mut Tx,
    command: &WriteCommand<(CaseKind, i32, SituacaoInput)>,
) -> Result<FullCase, Error> {
    let (kind, code, input) = &command.input;
    let (kind, code, registers) = (*kind, *code, &command.registers);
    confirm_registers(tx, command.scope.tenant(), registers).await?;
    let reason = input.reason.clone().into_set().map(|reason| reason.as_str().to_owned());
    let to = resolve_target_situation(registers, kind, input)?;
    let before = cases::find_case(&mut *tx, &command.scope, kind, code)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))?
        .case;
    let from = registers.situation(before.head().situation);
    let differences = field_differences::compare_fields(
        vec![("situacao", from.map(|one| one.name.to_uppercase()))],
        vec![("situacao", Some(to.name.to_uppercase()))],
    );
    let is_change = is_situation_change(Some(before.head().situation), to.code);
    if is_change {
        refuse_missing_reason(from.map(|one| one.kind), to.kind, reason.as_deref())?;
    }
    refuse_old_case_version(command, &before, &input.version, &differences)?;
    if !is_change {
        return show::read_written_case(tx, command, kind, code, false)
            .await?
            .ok_or_else(|| reject_unknown_case(kind, code));
    }
    if let Some(refused) = from.and_then(|from| refuse_situation_change(registers, from.code, to.code)) {
        return Err(refused.into());
    }
    let mut after = before.clone();
    after.head_mut().situation = to.code;
    let benefit = match before.head().benefit {
        Some(benefit) => show::find_case_benefit(&mut *tx, command.scope.tenant(), benefit).await?,
        None => None,
    };
    let pending = PendingCaseWrite {
        before: Some((code, &before)),
        after,
        benefit: benefit.as_ref(),
        reason,
        differences: Vec::new(),
        also: Box::new(|_| Vec::new()),
    };
    store_case(tx, &command.actor_context(), pending).await?;
    show::read_written_case(tx, command, kind, code, true)
        .await?
        .ok_or_else(|| reject_unknown_case(kind, code))
}

/// Resolves the requested situation, by code or name; it must be active.
fn resolve_target_situation<'r>(
    registers: &'r TenantRegisters,
    kind: CaseKind,
    input: &SituacaoInput,
) -> Result<&'r StoredSituation, Error> {
    let entity = kind.entity();
    let alternatives =
        || registers.active_situations(entity).map(|one| one.name.to_uppercase()).collect::<Vec<_>>();
    let by_code = |code: SituationCode| {
        let found = registers.active_situations(entity).find(|one| one.code == code);
        found.ok_or_else(|| Rejection::UnknownSituationCode {
            value: code.get(),
            alternatives: alternatives(),
        })
    };
    let by_name = |name: &str| {
        let found = registers.find_situation_by_name(entity, name).filter(|one| one.active);
        found.ok_or_else(|| Rejection::UnknownSituation {
            value: name.to_owned(),
            alternatives: alternatives(),
        })
    };
    match (&input.code, &input.name) {
        (FieldPatch::Set(code), FieldPatch::Set(name)) => match (by_code(*code), by_name(name)) {
            (Ok(one), Ok(other)) if one.code == other.code => Ok(one),
            (Ok(_), Ok(_)) => {
                Err(Rejection::Disagree { field: InputField::Situation, with: InputField::SituationCode }
                    .into())
            }
            (Err(one), Err(other)) => Err(Error::Refused(vec![one, other])),
            (Err(one), Ok(_)) | (Ok(_), Err(one)) => Err(one.into()),
        },
        (FieldPatch::Set(code), _) => Ok(by_code(*code)?),
        (_, FieldPatch::Set(name)) => Ok(by_name(name)?),
        _ => Err(Rejection::NoSituationNamed.into()),
    }
}
