//! Approves a prepared run: its titles are issued in the background.

use super::full_run::{FullChargingRun, find_run_in_state, load_full_run};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error};
use domain::finance::ChargingRunState;
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ChargingRunCode, MoneyRight,
};
use finance_storage::charging::runs::{StoredChargingRun, update_run_state};
use storage::Tx;
use storage::history::audit;
use storage::server::counters::{self, Counter};

/// Approves a run. All its titles are issued with the date of today, however long that takes.
#[boxed::future]
pub async fn approve_run(
    app: &App,
    caller: &Session,
    run: ChargingRunCode,
    once: IdempotentWrite<FullChargingRun>,
) -> Result<WriteOutcome<FullChargingRun>, Error> {
    caller.require_money_right(MoneyRight::ApproveRuns)?;
    let approved =
        run_command(app, caller, AuditedOperation::ApproveChargingRun, run, once, |tx, command| {
            Box::pin(write_approval(tx, command))
        })
        .await?;
    app.charging_wakeup.notify_one();
    Ok(approved)
}

async fn write_approval(
    tx: &mut Tx,
    command: &WriteCommand<ChargingRunCode>,
) -> Result<FullChargingRun, Error> {
    let run = find_run_in_state(tx, &command.scope, command.input, ChargingRunState::Prepared).await?;
    let approved = StoredChargingRun {
        state: ChargingRunState::Issuing,
        issued_on: Some(command.now.date_in(&command.registers.zone)),
        approved_by: command.user,
        approved_at: Some(command.now),
        ..run
    };
    write_new_state(tx, command, approved, AuditedAction::ApproveChargingRun, None).await
}

/// Stores the new state of a run with its audit entry.
pub(super) async fn write_new_state<I>(
    tx: &mut Tx,
    command: &WriteCommand<I>,
    run: StoredChargingRun,
    action: AuditedAction,
    reason: Option<&str>,
) -> Result<FullChargingRun, Error> {
    let tenant = command.scope.tenant();
    let run = StoredChargingRun { updated_at: command.now, ..run };
    let change =
        AuditedChange::new(action, AuditedRecordKind::ChargingRun, run.code.get()).with_reason(reason);
    let audit_code = counters::reserve_number(tx, tenant, Counter::Audit).await?;
    let entry = audit::insert_audit_entry(&command.actor_context().audit_entry(None, change), audit_code);
    tx.execute_batch(vec![update_run_state(tenant, &run), entry]).await?;
    load_full_run(tx, &command.scope, run.code).await
}
