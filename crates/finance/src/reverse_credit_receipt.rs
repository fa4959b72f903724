//! Takes back a receipt of credit, or a refund of credit, by a counter-entry.

use crate::booking::{BookDays, BookedBalance, prepare_balance_entry, refuse};
use crate::credit_money::{FullCreditMovement, build_full_movement};
use crate::usable_credit::sum_branch_credit;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, LedgerEntryKind};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, CreditReceiptCode, InputField,
    MoneyRight,
};
use finance_storage::credit_receipts::{StoredCreditReceipt, find_credit_receipt, insert_receipt_reversal};
use finance_storage::ledger::load_entry_lines;
use finance_storage::settlements::ReversalRecord;
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Reverses it, unless the credit was used since. It stays listed, and counts nowhere.
#[boxed::future]
pub async fn reverse_credit_receipt(
    app: &App,
    caller: &Session,
    (receipt, reason): (CreditReceiptCode, String),
    once: IdempotentWrite<FullCreditMovement>,
) -> Result<WriteOutcome<FullCreditMovement>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (receipt, reason);
    run_command(app, caller, AuditedOperation::ReverseCreditReceipt, input, once, |tx, command| {
        Box::pin(write_reversal(tx, command))
    })
    .await
}

async fn write_reversal(
    tx: &mut Tx,
    command: &WriteCommand<(CreditReceiptCode, String)>,
) -> Result<FullCreditMovement, Error> {
    let (tenant, context, (code, reason)) = (command.scope.tenant(), command.actor_context(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let unknown = || Error::NotFound { field: InputField::CreditReceipt, code: code.get() };
    let receipt = find_credit_receipt(tx, &command.scope, *code).await?.ok_or_else(unknown)?;
    if receipt.reversal.is_some() {
        return Err(refuse(FinanceProblem::CreditReceiptReversed));
    }
    let holder = (receipt.person, receipt.group);
    if sum_branch_credit(tx, &command.scope, holder, receipt.branch).await? < receipt.amount {
        return Err(refuse(FinanceProblem::ReceivedCreditUsed));
    }
    let days = BookDays::load(tx, &context).await?;
    let fact = BookedBalance {
        kind: LedgerEntryKind::CreditReversal,
        booked_on: days.find_booking_day(days.today),
        happened_on: days.today,
        reverses: Some(receipt.entry),
    };
    let lines = load_entry_lines(tx, tenant, receipt.entry).await?.reverse();
    let (entry, mut statements) = prepare_balance_entry(tx, &context, &fact, &lines).await?;
    let reversal = ReversalRecord {
        booked_on: fact.booked_on,
        reason: reason.clone(),
        entry,
        user: command.user,
        created_at: command.now,
    };
    statements.push(insert_receipt_reversal(tenant, *code, &reversal));
    let action = AuditedAction::ReverseCreditReceipt;
    let change = AuditedChange::new(action, AuditedRecordKind::CreditReceipt, code.get())
        .with_argument(receipt.amount)
        .with_reason(Some(reason));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements
        .push(audit::insert_audit_entry(&context.audit_entry(Some(receipt.person), change), audit_code));
    tx.execute_batch(statements).await?;
    let reversed = StoredCreditReceipt { reversal: Some(reversal), ..receipt };
    Ok(build_full_movement(&command.registers, reversed))
}
