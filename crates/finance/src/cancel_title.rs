//! Cancels a title: its booking is taken back by another.

use crate::booking::{BookDays, BookedFact, prepare_reversal, refuse};
use crate::full_title::{FullTitle, read_written_title, reject_unknown_title};
use crate::title_history::prepare_stored_title_change;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, LedgerEntryKind, TitleSituation};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, MoneyRight, TitleCode};
use finance_storage::charging::charged_months::release_months;
use finance_storage::pending_charges::release_pending_charges;
use finance_storage::settlements;
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Cancels a title without a settlement in force. Cancelling it again changes nothing.
#[boxed::future]
pub async fn cancel_title(
    app: &App,
    caller: &Session,
    (title, reason): (TitleCode, String),
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (title, reason);
    run_command(app, caller, AuditedOperation::CancelTitle, input, once, |tx, command| {
        Box::pin(write_cancellation(tx, command))
    })
    .await
}

async fn write_cancellation(
    tx: &mut Tx,
    command: &WriteCommand<(TitleCode, String)>,
) -> Result<FullTitle, Error> {
    let (tenant, context, (code, reason)) = (command.scope.tenant(), command.actor_context(), &command.input);
    let code = *code;
    confirm_registers(tx, tenant, &command.registers).await?;
    let title = titles::find_title(&mut *tx, &command.scope, code)
        .await?
        .ok_or_else(|| reject_unknown_title(code))?;
    match title.situation {
        TitleSituation::Cancelled => return read_written_title(tx, command, code).await,
        TitleSituation::Settled => return Err(refuse(FinanceProblem::HasSettlement)),
        TitleSituation::Open | TitleSituation::Pending => {}
    }
    let all = settlements::list_settlements(&mut *tx, tenant, code).await?;
    if all.iter().any(|one| one.reversal.is_none()) {
        return Err(refuse(FinanceProblem::HasSettlement));
    }
    let days = BookDays::load(tx, &context).await?;
    let mut statements = Vec::new();
    if let Some(entry) = title.issue_entry {
        let fact = BookedFact {
            kind: LedgerEntryKind::TitleCancellation,
            booked_on: days.find_booking_day(days.today),
            happened_on: days.today,
            title: code,
            settlement: None,
            reverses: Some(entry),
        };
        statements = prepare_reversal(tx, &context, &fact, entry).await?.1;
    }
    let (person, before) = (title.person, title.situation);
    let after = StoredTitle {
        open_amount: 0,
        situation: TitleSituation::Cancelled,
        cancelled_on: Some(days.today),
        cancelled_because: Some(reason.clone()),
        updated_at: command.now,
        ..title
    };
    statements.push(titles::update_title(tenant, code, &after));
    statements.extend(release_months(tenant, &[code]));
    statements.extend(release_pending_charges(tenant, code, days.today, command.now));
    statements.extend(prepare_stored_title_change(tx, &context, (code, &after), before, Some(reason)).await?);
    let change = AuditedChange::new(AuditedAction::Cancel, AuditedRecordKind::Title, code.get())
        .with_reason(Some(reason));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    read_written_title(tx, command, code).await
}
