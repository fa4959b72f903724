//! Cancels a benefit, as `/ext` does.

use super::holder::load_holder;
use super::persist::{PendingBenefitWrite, WrittenBenefit, store_benefit};
use super::saved_benefit::{SavedBenefit, record_unchanged_access};
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::confirm_registers;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, Benefit, BenefitCode, Entity, InputField, Rejection, SituationKind,
};
use storage::Tx;
use wire::records::CancelamentoInput;

/// Cancels a benefit; cancelling it again changes nothing.
#[boxed::future]
pub async fn cancel_benefit(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: CancelamentoInput,
    once: IdempotentWrite<SavedBenefit>,
) -> Result<WriteOutcome<SavedBenefit>, Error> {
    let input = (code, input.reason.into_set().map(|reason| reason.as_str().to_owned()));
    let outcome = run_command(app, caller, CANCEL, input, once, |tx, request| {
        Box::pin(write_cancellation(tx, request))
    })
    .await?;
    record_unchanged_access(app, caller, CANCEL, &outcome)?;
    Ok(outcome)
}

const CANCEL: AuditedOperation = AuditedOperation::CancelBenefit;

async fn write_cancellation(
    tx: &mut Tx,
    request: &WriteCommand<(BenefitCode, Option<String>)>,
) -> Result<SavedBenefit, Error> {
    let (tenant, registers, (code, reason)) = (request.scope.tenant(), &request.registers, &request.input);
    let code = *code;
    confirm_registers(tx, tenant, registers).await?;
    let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
    let before = storage::benefits::find_benefit(&mut *tx, &request.scope, code).await?.ok_or(unknown)?;
    if registers.situation_kind(before.situation) == Some(SituationKind::Cancelled) {
        return SavedBenefit::new(registers, code, before, false);
    }
    let profile = load_holder(tx, tenant, code, &before).await?;
    let to = registers.default_situation(Entity::Benefit, SituationKind::Cancelled);
    let to = to.ok_or(Rejection::NoCancelledSituation)?;
    let after = Benefit { situation: to.code, updated_at: request.now, ..before.clone() };
    let change = PendingBenefitWrite::for_change(code, &before, after, &profile, AuditedAction::Cancel);
    let pending = PendingBenefitWrite { reason: reason.clone(), ..change };
    let WrittenBenefit { code, benefit, .. } = store_benefit(tx, &request.actor_context(), pending).await?;
    SavedBenefit::new(registers, code, benefit, true)
}
