//! Receives money for a title, or pays one that the association owes.

use crate::booking::{BookDays, refuse, report_imbalance};
use crate::full_title::{FullTitle, load_amount_due, read_written_title, reject_unknown_title};
use crate::receiving_account::find_receiving_account;
use crate::store_settlement::{PreparedSettlement, store_settlement};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{
    BalancedLines, ChargeLine, FinanceProblem, LaunchKind, LedgerEntryKind, ReceiptSplit, TitleSituation,
    book_payment, book_receipt, split_discounted_receipt,
};
use domain::{
    AuditedAction, AuditedOperation, Date, InputField, Money, MoneyAccountCode, MoneyRight, Rejection,
    SettlementTypeCode, TitleCode,
};
use finance_storage::ledger::sum_paid_natures;
use finance_storage::settlements::{StoredSettlement, list_settlements};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;

/// Money that arrived for a title.
#[derive(Clone, Debug)]
pub struct NewReceipt {
    pub title: TitleCode,
    pub amount: Money,
    pub settlement_type: SettlementTypeCode,
    /// Where the money is; without it, the account of the settlement type.
    pub account: Option<MoneyAccountCode>,
    /// Today, if absent.
    pub paid_on: Option<Date>,
    pub note: Option<String>,
}

/// Settles a title in whole or in part. What is paid beyond all that is due becomes the person's credit.
#[boxed::future]
pub async fn settle_title(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    receipt: NewReceipt,
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, operation, receipt, once, |tx, command| Box::pin(write_settlement(tx, command)))
        .await
}

async fn write_settlement(tx: &mut Tx, command: &WriteCommand<NewReceipt>) -> Result<FullTitle, Error> {
    let (tenant, context, receipt) = (command.scope.tenant(), command.actor_context(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let code = receipt.title;
    let title = titles::find_title(&mut *tx, &command.scope, code).await?;
    let days = BookDays::load(tx, &context).await?;
    let paid_on = receipt.paid_on.unwrap_or(days.today);
    let account = check_receipt(command, title.as_ref(), paid_on, days.today)?;
    let title = title.ok_or_else(|| reject_unknown_title(code))?;
    if title.situation != TitleSituation::Open {
        return Err(refuse(FinanceProblem::NotOpen(title.situation)));
    }
    let earlier = list_settlements(&mut *tx, tenant, code).await?;
    refuse_earlier_payment(&earlier, paid_on)?;
    let due = load_amount_due(tx, &context, (code, &title), paid_on).await?;
    let received = receipt.amount.cents();
    let split = split_discounted_receipt(received, title.open_amount, due.late_charges, due.discount);
    let booked = book_settlement(tx, command, &title, account, (&due.lines, &split)).await?;
    let prepared = PreparedSettlement {
        kind: LedgerEntryKind::Receipt,
        action: AuditedAction::Settle,
        received,
        paid_on,
        money: Some((receipt.settlement_type, account)),
        split,
        booked,
        note: receipt.note.clone(),
    };
    store_settlement(tx, &context, &days, (code, title), prepared).await?;
    read_written_title(tx, command, code).await
}

/// The account that gets or gives the money.
fn check_receipt(
    command: &WriteCommand<NewReceipt>,
    title: Option<&StoredTitle>,
    paid_on: Date,
    today: Date,
) -> Result<MoneyAccountCode, Error> {
    let receipt = &command.input;
    let mut problems = Vec::new();
    let (named, group) = ((receipt.settlement_type, receipt.account), title.map(|title| title.group));
    let account = find_receiving_account(&command.registers, named, group, &mut problems);
    if receipt.amount.cents() < 1 {
        problems.push(Rejection::Finance(FinanceProblem::NoAmountPaid));
    }
    if paid_on > today {
        problems.push(Rejection::Finance(FinanceProblem::PaidInFuture));
    }
    // Not before it was posted, or the books would show a payment of nothing.
    let is_posted_later = |title: &StoredTitle| paid_on < title.posted_on.unwrap_or(title.issued_on);
    if title.is_some_and(is_posted_later) {
        problems.push(Rejection::Finance(FinanceProblem::PaidBeforeIssue));
    }
    // `/ext` names the title in the body, where an unknown code is a problem like any other.
    if title.is_none() && command.operation == AuditedOperation::SettleTitle {
        problems.push(Rejection::UnknownCode { field: InputField::Title, code: receipt.title.get() });
    }
    match (account, &problems[..]) {
        (Some(account), []) => Ok(account),
        _ => Err(Error::Refused(problems)),
    }
}

/// Payments come in the order of their days: what a later one paid of fine and interest would be wrong otherwise.
fn refuse_earlier_payment(settlements: &[StoredSettlement], paid_on: Date) -> Result<(), Error> {
    let in_force = settlements.iter().filter(|one| one.reversal.is_none());
    match in_force.map(|one| one.paid_on).max() {
        Some(last) if last > paid_on => {
            Err(refuse(FinanceProblem::LaterSettlement { paid_on: last.to_br() }))
        }
        _ => Ok(()),
    }
}

async fn book_settlement(
    tx: &mut Tx,
    command: &WriteCommand<NewReceipt>,
    title: &StoredTitle,
    account: MoneyAccountCode,
    (lines, split): (&[ChargeLine], &ReceiptSplit),
) -> Result<BalancedLines, Error> {
    let (tenant, code) = (command.scope.tenant(), command.input.title);
    let booked = if title.launch_kind == LaunchKind::Credit {
        let paid = sum_paid_natures(tx, tenant, code).await?;
        book_receipt(title.group, lines, account, title.person, &paid, split)
    } else {
        if split.excess > 0 {
            return Err(refuse(FinanceProblem::PaidTooMuch));
        }
        let paid = title.amount - title.open_amount;
        book_payment(title.group, lines, account, paid, split.principal)
    };
    booked.map_err(report_imbalance)
}
