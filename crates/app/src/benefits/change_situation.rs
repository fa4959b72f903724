//! Moves a benefit to another situation, as `/gestao` and the console do.

use super::change::{find_conflicts, record_unchanged_access, refuse_old_benefit_version};
use super::show::{FullBenefit, build_full_benefit, reject_unknown_benefit};
use super::{PendingBenefitWrite, SentBenefitValidator, WrittenBenefit, load_holder, store_benefit};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::session::Session;
use crate::situations::{refuse_missing_reason, refuse_situation_change};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, Benefit, BenefitCode, Entity, InputField, Rejection, Scope,
    SituationCode, SituationKind, is_situation_change, is_usable_reference,
};
use storage::Tx;
use storage::benefits;
use wire::read::FieldPatch;
use wire::records::SituacaoBeneficioInput;

const MOVE: AuditedOperation = AuditedOperation::ChangeBenefitSituation;

/// Moves a benefit to another situation; a cancelled benefit may be reopened.
#[boxed::future]
pub async fn change_benefit_situation(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: SituacaoBeneficioInput,
    once: IdempotentWrite<FullBenefit>,
) -> Result<WriteOutcome<FullBenefit>, Error> {
    let outcome = run_command(app, caller, MOVE, (code, input), once, |tx, command| {
        Box::pin(write_situation_change(tx, command))
    })
    .await?;
    record_unchanged_access(app, caller, MOVE, outcome)
}

async fn write_situation_change(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, SituacaoBeneficioInput)>,
) -> Result<FullBenefit, Error> {
    let (code, input) = (command.input.0, &command.input.1);
    confirm_registers(tx, command.scope.tenant(), &command.registers).await?;
    let before = benefits::find_benefit(&mut *tx, &command.scope, code).await?;
    let present = before.as_ref().map(|before| before.situation);
    let to = resolve_target_situation(&command.registers, &command.scope, input, present)?;
    let kind = |situation: SituationCode| command.registers.situation_kind(situation);
    let reason = input.reason.clone().into_set().map(domain::NoteText::into_string);
    let is_change = is_situation_change(present, to);
    if let Some(to_kind) = kind(to).filter(|_| is_change) {
        refuse_missing_reason(present.and_then(kind), to_kind, reason.as_deref())?;
    }
    let before = before.ok_or(reject_unknown_benefit(code))?;
    let mut problems: Vec<Rejection> =
        refuse_old_benefit_version(command, input.version.clone().into_set(), &before, &[])
            .into_iter()
            .collect();
    if !is_change && problems.is_empty() {
        return Box::pin(build_full_benefit(tx, command, code, before, false)).await;
    }
    problems.extend(refuse_situation_change(&command.registers, before.situation, to));
    let after = Benefit { situation: to, updated_at: command.now, ..before.clone() };
    problems.extend(find_conflicts(tx, command, code, &before, &after).await?);
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let holder = load_holder(tx, command.scope.tenant(), code, &before).await?;
    let action = match (kind(before.situation), kind(to)) {
        (_, Some(SituationKind::Cancelled)) => AuditedAction::Cancel,
        (Some(SituationKind::Cancelled), _) => AuditedAction::Reactivate,
        _ => AuditedAction::ChangeSituation,
    };
    let pending = PendingBenefitWrite {
        reason,
        ..PendingBenefitWrite::for_change(code, &before, after, &holder, action)
    };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &command.actor_context(), pending).await?;
    Box::pin(build_full_benefit(tx, command, code, benefit, true)).await
}

/// Resolves the target by code, by name, or by both if they agree.
fn resolve_target_situation(
    registers: &TenantRegisters,
    scope: &Scope,
    input: &SituacaoBeneficioInput,
    present: Option<SituationCode>,
) -> Result<SituationCode, Error> {
    let mut validator = SentBenefitValidator::new(registers, scope);
    let usable = |code: SituationCode| {
        let found = registers.situation(code).filter(|one| one.entity == Entity::Benefit);
        found.is_some_and(|one| is_usable_reference(code, one.active, present.as_slice()))
    };
    let by_code = match input.code {
        FieldPatch::Set(code) if usable(code) => Some(code),
        FieldPatch::Set(code) => {
            let alternatives =
                registers.active_situations(Entity::Benefit).map(|one| one.name.to_uppercase()).collect();
            validator.problems.push(Rejection::UnknownSituationCode { value: code.get(), alternatives });
            None
        }
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    let by_name = match &input.name {
        FieldPatch::Set(name) => validator.find_situation_by_name(name.as_str(), present),
        FieldPatch::Keep | FieldPatch::Clear => None,
    };
    match (by_code, by_name) {
        (Some(code), Some(name)) if code != name => {
            let (field, with) = (InputField::Situation, InputField::SituationCode);
            validator.problems.push(Rejection::Disagree { field, with });
        }
        (None, None) if validator.problems.is_empty() => {
            validator.problems.push(Rejection::NoSituationNamed);
        }
        _ => {}
    }
    match (by_code.or(by_name), validator.problems) {
        (Some(to), problems) if problems.is_empty() => Ok(to),
        (_, problems) => Err(Error::Refused(problems)),
    }
}
