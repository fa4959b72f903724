//! Gives an open title another due day; the one agreed first is kept.

use crate::booking::{build_calendar, is_too_far, refuse};
use crate::full_title::{FullTitle, read_written_title, reject_unknown_title};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::finance::{FinanceProblem, TitleSituation};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Date, MoneyRight, TitleCode,
};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use wire::field_differences::{FieldDifference, TITLE};

/// The external name of the field.
const DUE_ON: &str = "dataVencimento";

/// Changes the due day of an open or pending title.
#[boxed::future]
pub async fn change_due_day(
    app: &App,
    caller: &Session,
    (title, due_on, reason): (TitleCode, Date, String),
    once: IdempotentWrite<FullTitle>,
) -> Result<WriteOutcome<FullTitle>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let input = (title, due_on, reason);
    run_command(app, caller, AuditedOperation::ChangeTitleDueDay, input, once, |tx, command| {
        Box::pin(write_due_day(tx, command))
    })
    .await
}

async fn write_due_day(
    tx: &mut Tx,
    command: &WriteCommand<(TitleCode, Date, String)>,
) -> Result<FullTitle, Error> {
    let (tenant, context, (code, due_on, reason)) =
        (command.scope.tenant(), command.actor_context(), &command.input);
    let (code, due_on) = (*code, *due_on);
    confirm_registers(tx, tenant, &command.registers).await?;
    let title = titles::find_title(&mut *tx, &command.scope, code)
        .await?
        .ok_or_else(|| reject_unknown_title(code))?;
    if due_on < title.issued_on {
        return Err(refuse(FinanceProblem::DueBeforeIssue));
    }
    if is_too_far(due_on, command.now.date_in(&command.registers.zone)) {
        return Err(refuse(FinanceProblem::DueTooFar));
    }
    if !matches!(title.situation, TitleSituation::Open | TitleSituation::Pending) {
        return Err(refuse(FinanceProblem::NotOpen(title.situation)));
    }
    if due_on == title.due_on {
        return read_written_title(tx, command, code).await;
    }
    let difference =
        FieldDifference { field: DUE_ON, before: Some(title.due_on.to_br()), after: Some(due_on.to_br()) };
    let person = title.person;
    let calendar = build_calendar(&command.registers);
    let after = StoredTitle {
        due_on,
        effective_due_on: calendar.next_bank_day_from(due_on),
        early_discount_until: title.early_discount.find_last_day(due_on, &calendar),
        updated_at: command.now,
        ..title
    };
    let field_code = counters::reserve_number(tx, tenant, Counter::FieldChange).await?;
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let mut statements = vec![titles::update_title(tenant, code, &after)];
    statements.extend(context.field_change_statements(TITLE, code.get(), field_code, vec![difference]));
    let change = AuditedChange::new(AuditedAction::Change, AuditedRecordKind::Title, code.get())
        .with_fields([DUE_ON])
        .with_reason(Some(reason));
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    read_written_title(tx, command, code).await
}
