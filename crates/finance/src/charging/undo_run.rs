//! Undoes an issued run: its unpaid titles are cancelled in the background.

use super::approve_run::write_new_state;
use super::full_run::{FullChargingRun, find_run_in_state};
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error};
use domain::finance::ChargingRunState;
use domain::{AuditedAction, AuditedOperation, ChargingRunCode, MoneyRight};
use finance_storage::charging::runs::StoredChargingRun;
use storage::Tx;

/// Undoes a run as a whole. Titles that money came for stay, and are listed; credit that paid one goes back.
#[boxed::future]
pub async fn undo_run(
    app: &App,
    caller: &Session,
    (run, reason): (ChargingRunCode, String),
    once: IdempotentWrite<FullChargingRun>,
) -> Result<WriteOutcome<FullChargingRun>, Error> {
    caller.require_money_right(MoneyRight::ApproveRuns)?;
    let input = (run, reason);
    let undone = run_command(app, caller, AuditedOperation::UndoChargingRun, input, once, |tx, command| {
        Box::pin(write_undoing(tx, command))
    })
    .await?;
    app.charging_wakeup.notify_one();
    Ok(undone)
}

async fn write_undoing(
    tx: &mut Tx,
    command: &WriteCommand<(ChargingRunCode, String)>,
) -> Result<FullChargingRun, Error> {
    let (code, reason) = &command.input;
    let run = find_run_in_state(tx, &command.scope, *code, ChargingRunState::Issued).await?;
    let undoing = StoredChargingRun {
        state: ChargingRunState::Undoing,
        undone_by: command.user,
        undone_because: Some(reason.clone()),
        ..run
    };
    write_new_state(tx, command, undoing, AuditedAction::UndoChargingRun, Some(reason)).await
}
