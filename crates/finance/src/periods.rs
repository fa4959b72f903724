//! Closes months, and reopens the last closed one.

use crate::booking::refuse;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::{TenantRegisters, read_with_registers};
use app::session::Session;
use app::{App, Error};
use domain::finance::FinanceProblem;
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Date, MoneyRight, TenantId};
use finance_storage::periods::{
    self, ClosingChange, find_day_after_month, find_last_closing, list_period_changes,
};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Which months are closed, and how that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedMonths {
    /// The last closed month: `2026-10`.
    pub closed_through: Option<String>,
    /// The month that can be closed next, if it is over.
    pub next_month: Option<String>,
    /// Newest first.
    pub changes: Vec<ClosingChange>,
}

#[boxed::future]
pub async fn read_periods(app: &App, caller: &Session) -> Result<ClosedMonths, Error> {
    caller.require_money_right(MoneyRight::SeeMoney)?;
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let build_query = |registers: &TenantRegisters| (tenant, now.date_in(&registers.zone));
    let (state, _) = read_with_registers(app, tenant, build_query, |tx, (tenant, today)| {
        Box::pin(load_periods(tx, *tenant, *today))
    })
    .await?;
    Ok(state)
}

async fn load_periods(tx: &mut Tx, tenant: TenantId, today: Date) -> Result<ClosedMonths, Error> {
    let changes = list_period_changes(tx, tenant).await?;
    let closed_through = changes.first().and_then(|change| change.closed_through.clone());
    let last_month = find_month_before(today);
    let next_month = Some(last_month).filter(|month| Some(month) > closed_through.as_ref());
    Ok(ClosedMonths { closed_through, next_month, changes })
}

/// The month before that of a day: `2026-10`.
fn find_month_before(day: Date) -> String {
    let first = Date::new(day.year(), i8::try_from(day.month()).unwrap_or(1), 1).unwrap_or(day);
    first.plus_days(-1).unwrap_or(first).to_iso_month()
}

/// Closes all months up to this one (`2026-10`): nothing is booked in them any more.
#[boxed::future]
pub async fn close_period(
    app: &App,
    caller: &Session,
    month: String,
    once: IdempotentWrite<ClosedMonths>,
) -> Result<WriteOutcome<ClosedMonths>, Error> {
    caller.require_money_right(MoneyRight::ClosePeriods)?;
    run_command(app, caller, AuditedOperation::ClosePeriod, month, once, |tx, command| {
        Box::pin(write_closing(tx, command))
    })
    .await
}

async fn write_closing(tx: &mut Tx, command: &WriteCommand<String>) -> Result<ClosedMonths, Error> {
    let (tenant, month) = (command.scope.tenant(), &command.input);
    let today = command.now.date_in(&command.registers.zone);
    let bad_month = || Error::Defect(format!("{month} is no month"));
    let first_open_day = find_day_after_month(month).ok_or_else(bad_month)?;
    if first_open_day > today {
        return Err(refuse(FinanceProblem::MonthNotOver));
    }
    let previous = find_last_closing(&mut *tx, tenant).await?;
    if let Some(closing) = previous.as_ref().filter(|closing| closing.first_open_day >= first_open_day) {
        let closed_through = closing.closed_through.clone();
        return Err(refuse(FinanceProblem::MonthClosed { closed_through }));
    }
    let number = write_change(tx, command, true, Some(month.clone()), None).await?;
    periods::insert_checkpoints(tx, tenant, number, first_open_day, previous.as_ref()).await?;
    record_change(tx, command, AuditedAction::ClosePeriod, month, None).await?;
    load_periods(tx, tenant, today).await
}

/// Reopens the months of the last closing.
#[boxed::future]
pub async fn reopen_period(
    app: &App,
    caller: &Session,
    reason: String,
    once: IdempotentWrite<ClosedMonths>,
) -> Result<WriteOutcome<ClosedMonths>, Error> {
    caller.require_money_right(MoneyRight::ClosePeriods)?;
    run_command(app, caller, AuditedOperation::ReopenPeriod, reason, once, |tx, command| {
        Box::pin(write_reopening(tx, command))
    })
    .await
}

async fn write_reopening(tx: &mut Tx, command: &WriteCommand<String>) -> Result<ClosedMonths, Error> {
    let (tenant, reason) = (command.scope.tenant(), &command.input);
    let today = command.now.date_in(&command.registers.zone);
    let nothing_closed = || refuse(FinanceProblem::NothingClosed);
    let closing = find_last_closing(&mut *tx, tenant).await?.ok_or_else(nothing_closed)?;
    let before = periods::find_closing_before(tx, tenant, &closing).await?;
    write_change(tx, command, false, before, Some(reason.clone())).await?;
    let reopened = &closing.closed_through;
    record_change(tx, command, AuditedAction::ReopenPeriod, reopened, Some(reason)).await?;
    load_periods(tx, tenant, today).await
}

async fn write_change(
    tx: &mut Tx,
    command: &WriteCommand<String>,
    is_closing: bool,
    closed_through: Option<String>,
    reason: Option<String>,
) -> Result<i64, Error> {
    let tenant = command.scope.tenant();
    let number = i64::from(counters::reserve_number(tx, tenant, Counter::ClosingChange).await?);
    let (user, changed_at) = (command.user, command.now);
    let change = ClosingChange { number, is_closing, closed_through, reason, user, changed_at };
    periods::insert_period_change(tx, tenant, &change).await?;
    Ok(number)
}

async fn record_change(
    tx: &mut Tx,
    command: &WriteCommand<String>,
    action: AuditedAction,
    month: &str,
    reason: Option<&String>,
) -> Result<(), Error> {
    let tenant = command.scope.tenant();
    let change = AuditedChange::new(action, AuditedRecordKind::Tenant, tenant.get())
        .with_argument(domain::display::format_month(month))
        .with_reason(reason.map(String::as_str));
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let entry = command.actor_context().audit_entry(None, change);
    Ok(tx.execute_batch(vec![audit::insert_audit_entry(&entry, audit_code)]).await?)
}
