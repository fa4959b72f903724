//! Saves the additional fields of a benefit on their own.

use super::{PendingBenefitWrite, additional_field_values, load_holder, store_benefit};
use crate::audit::access_log::record_access;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::{TenantRegisters, confirm_registers};
use crate::session::Session;
use crate::situations::refuse_cancelled_benefit;
use crate::{App, Error};
use domain::{
    AdditionalFieldValues, AuditedAction, AuditedOperation, Benefit, BenefitCode, InputField, PersonCode,
};
use std::sync::Arc;
use storage::Tx;
use wire::records::CampoAdicionalInput;

const OPERATION: AuditedOperation = AuditedOperation::SaveAdditionalFields;

/// All additional field values of the benefit after the write.
#[derive(Clone, Debug)]
pub struct SaveFieldsOutcome {
    pub values: AdditionalFieldValues,
    pub registers: Arc<TenantRegisters>,
    holder: PersonCode,
    changed: bool,
}

/// Writes the named fields, all of them or none; the others keep their value.
#[boxed::future]
pub async fn save_additional_fields(
    app: &App,
    caller: &Session,
    code: BenefitCode,
    input: Vec<CampoAdicionalInput>,
    once: IdempotentWrite<SaveFieldsOutcome>,
) -> Result<WriteOutcome<SaveFieldsOutcome>, Error> {
    let outcome = run_command(app, caller, OPERATION, (code, input), once, |tx, command| {
        Box::pin(write_additional_fields(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(SaveFieldsOutcome { holder, changed: false, .. }) = &outcome {
        record_access(app, caller, OPERATION, std::iter::once(*holder))?;
    }
    Ok(outcome)
}

async fn write_additional_fields(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, Vec<CampoAdicionalInput>)>,
) -> Result<SaveFieldsOutcome, Error> {
    let (tenant, registers, (code, input)) = (command.scope.tenant(), &command.registers, &command.input);
    let code = *code;
    confirm_registers(tx, tenant, registers).await?;
    let Some(before) = storage::benefits::find_benefit(&mut *tx, &command.scope, code).await? else {
        // Problems that no benefit could accept are reported before the unknown code.
        let problems = additional_field_values::find_general_problems(registers, input);
        let unknown = Error::NotFound { field: InputField::Benefit, code: code.get() };
        return Err(if problems.is_empty() { unknown } else { Error::Refused(problems) });
    };
    let (mut after, mut problems) = (before.clone(), Vec::new());
    additional_field_values::apply_additional_fields(
        registers,
        before.kind,
        input,
        &mut after.fields,
        &mut problems,
    );
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    refuse_cancelled_benefit(registers, code, &before)?;
    let changed = after.fields != before.fields;
    let (holder, values) = (before.person, after.fields.clone());
    if changed {
        let profile = load_holder(tx, tenant, code, &before).await?;
        let after = Benefit { updated_at: command.now, ..after };
        let pending = PendingBenefitWrite::for_change(
            code,
            &before,
            after,
            &profile,
            AuditedAction::ChangeAdditionalFields,
        );
        store_benefit(tx, &command.actor_context(), pending).await?;
    }
    Ok(SaveFieldsOutcome { values, registers: Arc::clone(registers), holder, changed })
}
