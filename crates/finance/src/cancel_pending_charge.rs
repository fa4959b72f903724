//! Cancels a line that no charge has taken yet.

use crate::booking::refuse;
use crate::pending_charge_list::{FullPendingCharge, read_written_charge, reject_unknown_charge};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, PendingChargeSituation};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, MoneyRight, PendingChargeCode,
};
use finance_storage::pending_charges;
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Cancels a waiting charge. Cancelling it again changes nothing.
#[boxed::future]
pub async fn cancel_pending_charge(
    app: &App,
    caller: &Session,
    (charge, reason): (PendingChargeCode, String),
    once: IdempotentWrite<FullPendingCharge>,
) -> Result<WriteOutcome<FullPendingCharge>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (charge, reason);
    run_command(app, caller, AuditedOperation::CancelPendingCharge, input, once, |tx, command| {
        Box::pin(write_cancellation(tx, command))
    })
    .await
}

async fn write_cancellation(
    tx: &mut Tx,
    command: &WriteCommand<(PendingChargeCode, String)>,
) -> Result<FullPendingCharge, Error> {
    let (tenant, context, (code, reason)) = (command.scope.tenant(), command.actor_context(), &command.input);
    let charge = pending_charges::find_pending_charge(tx, &command.scope, *code)
        .await?
        .ok_or_else(|| reject_unknown_charge(*code))?;
    match charge.situation {
        PendingChargeSituation::Cancelled => return read_written_charge(tx, command, *code).await,
        PendingChargeSituation::Waiting => {}
        situation => return Err(refuse(FinanceProblem::NotWaiting(situation))),
    }
    let today = command.now.date_in(&command.registers.zone);
    let change = AuditedChange::new(AuditedAction::Cancel, AuditedRecordKind::PendingCharge, code.get())
        .with_reason(Some(reason));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let statements = vec![
        pending_charges::cancel_pending_charge(tenant, *code, (today, reason), command.now),
        audit::insert_audit_entry(&context.audit_entry(Some(charge.person), change), audit_code),
    ];
    tx.execute_batch(statements).await?;
    read_written_charge(tx, command, *code).await
}
