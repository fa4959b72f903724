//! Receives money that no title takes: the second payment of a title, that of a cancelled one, or what a member hands in
//! ahead. It becomes the person's credit, as what a payment is more than was due.

use crate::benefit_group::{find_first_group, list_charged_places};
use crate::booking::{BookDays, refuse, report_imbalance};
use crate::credit_money::{
    CreditMoney, CreditPlace, FullCreditMovement, PreparedCreditReceipt, ResolvedCreditMoney, check_branch,
    check_group, find_person_branch, resolve_credit_money, store_credit_receipt,
};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, LaunchKind, LedgerEntryKind, book_credit_receipt, takes_no_payment};
use domain::{
    AuditedAction, AuditedOperation, BranchCode, GroupCode, InputField, MoneyRight, Rejection, TitleCode,
};
use finance_storage::credit_receipts::find_same_receipt;
use finance_storage::titles::{StoredTitle, find_title};
use storage::Tx;

/// Money to receive as credit.
#[derive(Clone, Debug)]
pub struct NewCreditReceipt {
    pub money: CreditMoney,
    /// The title that it was meant for, which takes no payment any more.
    pub title: Option<TitleCode>,
    /// Whether it is another payment, though the same was received before.
    pub is_repeat_confirmed: bool,
}

#[boxed::future]
pub async fn receive_credit(
    app: &App,
    caller: &Session,
    receipt: NewCreditReceipt,
    once: IdempotentWrite<FullCreditMovement>,
) -> Result<WriteOutcome<FullCreditMovement>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::ReceiveCredit, receipt, once, |tx, command| {
        Box::pin(write_credit_receipt(tx, command))
    })
    .await
}

async fn write_credit_receipt(
    tx: &mut Tx,
    command: &WriteCommand<NewCreditReceipt>,
) -> Result<FullCreditMovement, Error> {
    let (context, money) = (command.actor_context(), &command.input.money);
    confirm_registers(tx, context.tenant, &command.registers).await?;
    let days = BookDays::load(tx, &context).await?;
    let mut problems = Vec::new();
    let title = find_meant_title(tx, command, &mut problems).await?;
    let place = find_receipt_place(tx, command, title.as_ref(), &mut problems).await?;
    let resolved = resolve_credit_money(&command.registers, money, place, days.today, &mut problems);
    let (Some(resolved), []) = (resolved, &problems[..]) else { return Err(Error::Refused(problems)) };
    refuse_repeated_receipt(tx, command, &resolved).await?;
    let amount = money.amount.cents();
    let booked = book_credit_receipt(resolved.group, resolved.account, money.person, amount);
    let prepared = PreparedCreditReceipt {
        kind: LedgerEntryKind::CreditReceipt,
        action: AuditedAction::ReceiveCredit,
        amount,
        title: command.input.title,
        booked: booked.map_err(report_imbalance)?,
    };
    store_credit_receipt(tx, command, &days, (money, &resolved), prepared).await
}

/// The title that the money was meant for. One that is open takes the money itself.
async fn find_meant_title(
    tx: &mut Tx,
    command: &WriteCommand<NewCreditReceipt>,
    problems: &mut Vec<Rejection>,
) -> Result<Option<StoredTitle>, Error> {
    let Some(code) = command.input.title else { return Ok(None) };
    let Some(title) = find_title(&mut *tx, &command.scope, code).await? else {
        problems.push(Rejection::UnknownCode { field: InputField::Title, code: code.get() });
        return Ok(None);
    };
    if title.person != command.input.money.person || title.launch_kind != LaunchKind::Credit {
        problems.push(Rejection::Finance(FinanceProblem::TitleOfAnotherPerson));
        return Ok(None);
    }
    if !takes_no_payment(title.situation) {
        problems.push(Rejection::Finance(FinanceProblem::TitleTakesPayment(title.situation)));
    }
    Ok(Some(title))
}

/// The branch and group that get the credit.
async fn find_receipt_place(
    tx: &mut Tx,
    command: &WriteCommand<NewCreditReceipt>,
    title: Option<&StoredTitle>,
    problems: &mut Vec<Rejection>,
) -> Result<CreditPlace, Error> {
    let person = command.input.money.person;
    let Some(home) = find_person_branch(tx, command, person, problems).await? else {
        return Ok((None, None));
    };
    let branch = find_receipt_branch(command, title.map_or(home, |title| title.branch), problems);
    let group = find_receipt_group(tx, command, title, problems).await?;
    Ok((branch, group))
}

/// The branch that was named, else `usual`: that of the title or the person.
fn find_receipt_branch(
    command: &WriteCommand<NewCreditReceipt>,
    usual: BranchCode,
    problems: &mut Vec<Rejection>,
) -> Option<BranchCode> {
    if let Some(branch) = command.input.money.branch {
        return check_branch(command, branch, problems);
    }
    if command.scope.can_see(usual) {
        return Some(usual);
    }
    problems.push(Rejection::Finance(FinanceProblem::BranchRequired));
    None
}

/// The group that was named, else that of the title, else the only one in which the person is charged. No credit crosses a
/// group.
async fn find_receipt_group(
    tx: &mut Tx,
    command: &WriteCommand<NewCreditReceipt>,
    title: Option<&StoredTitle>,
    problems: &mut Vec<Rejection>,
) -> Result<Option<GroupCode>, Error> {
    let (registers, input) = (&command.registers, &command.input);
    if let Some(group) = input.money.group {
        let known = check_group(registers, group, problems);
        if known.is_some() && title.is_some_and(|title| title.group != group) {
            problems.push(Rejection::Finance(FinanceProblem::TitleOfAnotherGroup));
        }
        return Ok(known);
    }
    if let Some(title) = title {
        return Ok(Some(title.group));
    }
    if !registers.money.has_several_groups() {
        return find_first_group(registers).map(Some);
    }
    // What is wrong with a title that was named is told already.
    if input.title.is_some() {
        return Ok(None);
    }
    let places = list_charged_places(tx, command.scope.tenant(), registers, input.money.person).await?;
    match places.first() {
        Some((_, group)) if places.iter().all(|(_, other)| other == group) => Ok(Some(*group)),
        _ => {
            problems.push(Rejection::Finance(FinanceProblem::CreditGroupRequired));
            Ok(None)
        }
    }
}

/// The same payment may have been recorded before, so that another one is to be confirmed.
async fn refuse_repeated_receipt(
    tx: &mut Tx,
    command: &WriteCommand<NewCreditReceipt>,
    resolved: &ResolvedCreditMoney,
) -> Result<(), Error> {
    let NewCreditReceipt { money, title, is_repeat_confirmed } = &command.input;
    if *is_repeat_confirmed {
        return Ok(());
    }
    let payment = (money.amount.cents(), resolved.account, resolved.paid_on);
    match find_same_receipt(tx, &command.scope, (money.person, *title), payment).await? {
        Some(code) => Err(refuse(FinanceProblem::CreditReceivedBefore(code))),
        None => Ok(()),
    }
}
