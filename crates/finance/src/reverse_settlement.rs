//! Takes back a settlement: what it paid is open again.

use crate::booking::{BookDays, BookedFact, build_calendar, prepare_reversal, refuse};
use crate::full_title::{FullTitle, read_written_title};
use crate::title_history::prepare_stored_title_change;
use crate::usable_credit::sum_branch_credit;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{ActorContext, App, Error};
use domain::finance::{FinanceProblem, LedgerEntryKind, derive_situation};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, InputField, Moment, MoneyRight,
    SettlementCode, TitleCode,
};
use finance_storage::pending_charges::cancel_late_charges;
use finance_storage::settlements::{self, ReversalRecord, StoredSettlement};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Reverses a settlement. It stays listed, and counts nowhere.
#[boxed::future]
pub async fn reverse_settlement(
    app: &App,
    caller: &Session,
    (settlement, reason): (SettlementCode, String),
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (settlement, reason);
    run_command(app, caller, AuditedOperation::ReverseSettlement, input, once, |tx, command| {
        Box::pin(write_reversal(tx, command))
    })
    .await
}

async fn write_reversal(
    tx: &mut Tx,
    command: &WriteCommand<(SettlementCode, String)>,
) -> Result<FullTitle, Error> {
    let (tenant, context, (settlement, reason)) =
        (command.scope.tenant(), command.actor_context(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let unknown = || Error::NotFound { field: InputField::Settlement, code: settlement.get() };
    let code = settlements::find_settled_title(tx, tenant, *settlement).await?.ok_or_else(unknown)?;
    let title = titles::find_title(&mut *tx, &command.scope, code).await?.ok_or_else(unknown)?;
    let all = settlements::list_settlements(&mut *tx, tenant, code).await?;
    let reversed = all.iter().find(|one| one.code == *settlement).ok_or_else(unknown)?;
    if reversed.reversal.is_some() {
        return Err(refuse(FinanceProblem::AlreadyReversed));
    }
    refuse_used_credit(tx, command, &title, reversed).await?;
    let days = BookDays::load(tx, &context).await?;
    write_settlement_reversal(tx, (&context, &days), (code, title), (&all, reversed), reason).await?;
    read_written_title(tx, command, code).await
}

/// Takes back a settlement in force, one of all those of a title, and returns the title as it is then.
pub(crate) async fn write_settlement_reversal(
    tx: &mut Tx,
    (context, days): (&ActorContext<'_>, &BookDays),
    (code, title): (TitleCode, StoredTitle),
    (all, reversed): (&[StoredSettlement], &StoredSettlement),
    reason: &str,
) -> Result<StoredTitle, Error> {
    let (tenant, settlement) = (context.tenant, reversed.code);
    let fact = BookedFact {
        kind: LedgerEntryKind::ReceiptReversal,
        booked_on: days.find_booking_day(days.today),
        happened_on: days.today,
        title: code,
        settlement: Some(settlement),
        reverses: Some(reversed.entry),
    };
    let (entry, mut statements) = prepare_reversal(tx, context, &fact, reversed.entry).await?;
    let reversal = ReversalRecord {
        booked_on: fact.booked_on,
        reason: reason.to_owned(),
        entry,
        user: context.user,
        created_at: context.now,
    };
    let in_force = all.iter().filter(|one| one.reversal.is_none() && one.code != settlement);
    let (person, before) = (title.person, title.situation);
    // A holiday that was registered meanwhile has not moved a settled title.
    let effective_due_on = build_calendar(context.registers).next_bank_day_from(title.due_on);
    let title = StoredTitle { effective_due_on, ..title };
    let after = remove_settlement(title, reversed, &in_force.collect::<Vec<_>>(), context.now);
    statements.push(settlements::insert_reversal(tenant, settlement, &reversal));
    statements.push(cancel_late_charges(tenant, settlement, days.today, context.now));
    statements.push(titles::update_title(tenant, code, &after));
    statements.extend(prepare_stored_title_change(tx, context, (code, &after), before, Some(reason)).await?);
    let change = AuditedChange::new(AuditedAction::ReverseSettlement, AuditedRecordKind::Title, code.get())
        .with_argument(settlement)
        .with_reason(Some(reason));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    Ok(after)
}

/// A credit that came of the settlement must still be there: in the branch of the title, and for the caller to use.
async fn refuse_used_credit(
    tx: &mut Tx,
    command: &WriteCommand<(SettlementCode, String)>,
    title: &StoredTitle,
    reversed: &StoredSettlement,
) -> Result<(), Error> {
    if reversed.credit == 0 {
        return Ok(());
    }
    let holder = (title.person, title.group);
    if sum_branch_credit(tx, &command.scope, holder, title.branch).await? < reversed.credit {
        return Err(refuse(FinanceProblem::CreditUsed));
    }
    Ok(())
}

/// The title without the settlement.
fn remove_settlement(
    title: StoredTitle,
    reversed: &StoredSettlement,
    in_force: &[&StoredSettlement],
    now: Moment,
) -> StoredTitle {
    let open_amount = title.open_amount + reversed.principal;
    StoredTitle {
        open_amount,
        settled_total: title.settled_total - reversed.total,
        settled_on: in_force.iter().map(|one| one.paid_on).max(),
        situation: derive_situation(true, false, open_amount, !in_force.is_empty()),
        updated_at: now,
        ..title
    }
}
