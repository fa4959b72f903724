//! Pays a title with the credit that its person has in its group: what came in with an earlier payment and was more than
//! was due then. No money moves now.

use crate::booking::{BookDays, refuse, report_imbalance};
use crate::full_title::{FullTitle, load_amount_due, read_written_title, reject_unknown_title};
use crate::store_settlement::{PreparedSettlement, store_settlement};
use crate::usable_credit::find_usable_credit;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{ActorContext, App, Error};
use domain::finance::{
    FinanceProblem, LaunchKind, LedgerEntryKind, TitleSituation, book_credit_use, split_discounted_receipt,
};
use domain::{
    AuditedAction, AuditedOperation, GroupCode, MoneyRight, PersonCode, Scope, TitleCode, VisibleBranches,
};
use finance_storage::ledger::{list_member_credits, sum_paid_natures};
use finance_storage::titles::{self, StoredTitle, list_titles_by_code};
use std::collections::BTreeMap;
use storage::Tx;

/// Uses the credit for a title, as far as it goes.
#[boxed::future]
pub async fn use_credit(
    app: &App,
    caller: &Session,
    title: TitleCode,
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::UseCredit, title, once, |tx, command| {
        Box::pin(write_credit_use(tx, command))
    })
    .await
}

async fn write_credit_use(tx: &mut Tx, command: &WriteCommand<TitleCode>) -> Result<FullTitle, Error> {
    let (context, code) = (command.actor_context(), command.input);
    confirm_registers(tx, context.tenant, &command.registers).await?;
    let title = titles::find_title(&mut *tx, &command.scope, code)
        .await?
        .ok_or_else(|| reject_unknown_title(code))?;
    if title.situation != TitleSituation::Open {
        return Err(refuse(FinanceProblem::NotOpen(title.situation)));
    }
    let available = find_usable_credit(tx, &command.scope, &title).await?;
    if available == 0 {
        return Err(refuse(FinanceProblem::NoCredit));
    }
    let days = BookDays::load(tx, &context).await?;
    settle_with_credit(tx, &context, &days, (code, title), available).await?;
    read_written_title(tx, command, code).await
}

/// Uses the credits that people have for their titles, in this order, as a run does for those that it has just issued. A
/// credit that would only pay a part of a title with a discount is left: the title would lose its discount by it. Who
/// sees some branches uses what they could use by hand. Returns what was used of each, in cents. The caller has confirmed
/// its registers in this unit of work.
#[boxed::future]
pub async fn use_credits(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    scope: &Scope,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, i64)>, Error> {
    let mut found: BTreeMap<TitleCode, StoredTitle> =
        list_titles_by_code(&mut *tx, context.tenant, codes).await?.into_iter().collect();
    let holders = found.values().map(|title| (title.group, title.person)).unzip();
    let mut credits: BTreeMap<(GroupCode, PersonCode), i64> =
        list_member_credits(tx, context.tenant, holders).await?.into_iter().collect();
    let mut used = Vec::new();
    if credits.is_empty() {
        return Ok(used);
    }
    let days = BookDays::load(tx, context).await?;
    for code in codes {
        let Some(title) = found.remove(code) else { continue };
        let Some(available) = credits.get_mut(&(title.group, title.person)) else { continue };
        let is_payable = title.situation == TitleSituation::Open && title.launch_kind == LaunchKind::Credit;
        if is_payable && *available > 0 {
            let usable = match scope.branches() {
                VisibleBranches::All => *available,
                VisibleBranches::Only(_) => find_usable_credit(tx, scope, &title).await?.min(*available),
            };
            let due = load_amount_due(tx, context, (*code, &title), days.today).await?;
            if usable == 0 || (due.discount.is_some() && usable < due.total(title.open_amount)) {
                continue;
            }
            let amount = settle_with_credit(tx, context, &days, (*code, title), usable).await?;
            *available -= amount;
            used.push((*code, amount));
        }
    }
    Ok(used)
}

/// Pays as much as is due and as the credit allows. Returns how much that was.
async fn settle_with_credit(
    tx: &mut Tx,
    context: &ActorContext<'_>,
    days: &BookDays,
    (code, title): (TitleCode, StoredTitle),
    available: i64,
) -> Result<i64, Error> {
    let tenant = context.tenant;
    let due = load_amount_due(tx, context, (code, &title), days.today).await?;
    let received = available.min(due.total(title.open_amount));
    let split = split_discounted_receipt(received, title.open_amount, due.late_charges, due.discount);
    let paid = sum_paid_natures(tx, tenant, code).await?;
    let booked = book_credit_use(title.group, &due.lines, title.person, &paid, &split);
    let prepared = PreparedSettlement {
        kind: LedgerEntryKind::CreditUse,
        action: AuditedAction::UseCredit,
        received,
        paid_on: days.today,
        money: None,
        split,
        booked: booked.map_err(report_imbalance)?,
        note: None,
    };
    store_settlement(tx, context, days, (code, title), prepared).await?;
    Ok(received)
}
