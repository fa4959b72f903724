//! Gives an open title another due day; the one agreed first is kept.
//!
//! A discount for early payment whose last day has passed does not come back, unless the due day agreed first would still
//! give it. Fine and interest count from the new day: what was due until today and is no longer is waived, and the history of
//! the title tells how much that was.

use crate::booking::{build_calendar, is_too_far, refuse};
use crate::full_title::{FullTitle, load_amount_due, read_written_title, reject_unknown_title};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::display::format_cents;
use domain::finance::{FinanceProblem, TitleSituation};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Date, MoneyRight, TitleCode,
};
use finance_storage::titles::{self, StoredTitle};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};
use wire::field_differences::{FieldDifference, TITLE, list_field_names};

/// The external names of the fields.
const DUE_ON: &str = "dataVencimento";
const FINE: &str = "multaDevida";
const INTEREST: &str = "jurosDevidos";

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
    let mut differences = vec![FieldDifference {
        field: DUE_ON,
        before: Some(title.due_on.to_br()),
        after: Some(due_on.to_br()),
    }];
    let person = title.person;
    let today = command.now.date_in(&command.registers.zone);
    let before = load_amount_due(tx, &context, (code, &title), today).await?.late_charges;
    let after = move_due_day(command, title, (due_on, today));
    let left = load_amount_due(tx, &context, (code, &after), today).await?.late_charges;
    differences.extend(describe_waived(FINE, (before.fine, left.fine)));
    differences.extend(describe_waived(INTEREST, (before.interest, left.interest)));
    let count = i32::try_from(differences.len()).map_err(|error| Error::Defect(error.to_string()))?;
    let [field_code] = counters::reserve_number_blocks(tx, tenant, [(Counter::FieldChange, count)]).await?;
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let fields: Vec<&str> = list_field_names(&differences).collect();
    let mut statements = vec![titles::update_title(tenant, code, &after)];
    statements.extend(context.field_change_statements(TITLE, code.get(), field_code, differences));
    let change = AuditedChange::new(AuditedAction::Change, AuditedRecordKind::Title, code.get())
        .with_fields(fields)
        .with_reason(Some(reason));
    statements.push(audit::insert_audit_entry(&context.audit_entry(Some(person), change), audit_code));
    tx.execute_batch(statements).await?;
    read_written_title(tx, command, code).await
}

fn move_due_day(
    command: &WriteCommand<(TitleCode, Date, String)>,
    title: StoredTitle,
    (due_on, today): (Date, Date),
) -> StoredTitle {
    let calendar = build_calendar(&command.registers);
    let (rule, days) = (title.early_discount, (title.original_due_on, due_on));
    StoredTitle {
        due_on,
        effective_due_on: calendar.next_bank_day_from(due_on),
        early_discount_until: rule.move_last_day(title.early_discount_until, days, today, &calendar),
        updated_at: command.now,
        ..title
    }
}

/// What the new due day waives of fine or interest, in cents; none where as much or more is due now.
fn describe_waived(field: &'static str, (before, after): (i64, i64)) -> Option<FieldDifference> {
    let write = |cents: i64| Some(format_cents(&cents.to_string()));
    (after < before).then(|| FieldDifference { field, before: write(before), after: write(after) })
}
