//! Posts a title that waited for release.

use crate::booking::{BookDays, BookedFact, prepare_entry, refuse, report_imbalance};
use crate::full_title::{FullTitle, read_written_title, reject_unknown_title};
use crate::title_history::prepare_stored_title_change;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, LedgerEntryKind, TitleSituation, book_issue};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, MoneyRight, TitleCode};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Releases a pending title.
#[boxed::future]
pub async fn release_title(
    app: &App,
    caller: &Session,
    (title, reason): (TitleCode, Option<String>),
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (title, reason);
    run_command(app, caller, AuditedOperation::ReleaseTitle, input, once, |tx, command| {
        Box::pin(write_release(tx, command))
    })
    .await
}

async fn write_release(
    tx: &mut Tx,
    command: &WriteCommand<(TitleCode, Option<String>)>,
) -> Result<FullTitle, Error> {
    let (tenant, context, (code, reason)) = (command.scope.tenant(), command.actor_context(), &command.input);
    let code = *code;
    confirm_registers(tx, tenant, &command.registers).await?;
    let title = titles::find_title(&mut *tx, &command.scope, code)
        .await?
        .ok_or_else(|| reject_unknown_title(code))?;
    if title.situation != TitleSituation::Pending {
        return Err(refuse(FinanceProblem::NotPending(title.situation)));
    }
    let days = BookDays::load(tx, &context).await?;
    let lines = titles::list_title_lines(&mut *tx, tenant, code).await?;
    let booked = book_issue(title.group, title.launch_kind, &lines).map_err(report_imbalance)?;
    let booked_on = days.find_booking_day(days.today);
    let fact = BookedFact {
        kind: LedgerEntryKind::TitleIssue,
        booked_on,
        happened_on: title.issued_on,
        title: code,
        settlement: None,
        reverses: None,
    };
    let (entry, mut statements) = prepare_entry(tx, &context, &fact, &booked).await?;
    let (person, before) = (title.person, title.situation);
    let after = StoredTitle {
        posted_on: Some(booked_on),
        situation: TitleSituation::Open,
        issue_entry: Some(entry),
        updated_at: command.now,
        ..title
    };
    statements.push(titles::update_title(tenant, code, &after));
    statements
        .extend(prepare_stored_title_change(tx, &context, (code, &after), before, reason.as_deref()).await?);
    let change = AuditedChange::new(AuditedAction::Release, AuditedRecordKind::Title, code.get())
        .with_reason(reason.as_deref());
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    read_written_title(tx, command, code).await
}
