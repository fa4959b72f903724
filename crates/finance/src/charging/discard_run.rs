//! Discards a run that was not approved.

use super::approve_run::write_new_state;
use super::full_run::{FullChargingRun, find_visible_run};
use crate::booking::refuse;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::session::Session;
use app::{App, Error};
use domain::finance::{ChargingRunState, FinanceProblem};
use domain::{AuditedAction, AuditedOperation, ChargingRunCode, MoneyRight};
use finance_storage::charging::runs::StoredChargingRun;
use storage::Tx;

/// Discards a run, also while its preview is being made.
#[boxed::future]
pub async fn discard_run(
    app: &App,
    caller: &Session,
    run: ChargingRunCode,
    once: IdempotentWrite<FullChargingRun>,
) -> Result<WriteOutcome<FullChargingRun>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    run_command(app, caller, AuditedOperation::DiscardChargingRun, run, once, |tx, command| {
        Box::pin(write_discarding(tx, command))
    })
    .await
}

async fn write_discarding(
    tx: &mut Tx,
    command: &WriteCommand<ChargingRunCode>,
) -> Result<FullChargingRun, Error> {
    let run = find_visible_run(tx, &command.scope, command.input).await?;
    match run.state {
        ChargingRunState::Preparing | ChargingRunState::Prepared => {}
        state => return Err(refuse(FinanceProblem::ChargingRunState(state))),
    }
    let discarded = StoredChargingRun { state: ChargingRunState::Discarded, ..run };
    write_new_state(tx, command, discarded, AuditedAction::DiscardChargingRun, None).await
}
