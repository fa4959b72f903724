//! Leaves the titles of a changed benefit as they are.

use super::list::load_visible_revision;
use app::command::{WriteCommand, run_command};
use app::idempotency::{IdempotentWrite, WriteOutcome};
use app::register_snapshot::confirm_registers;
use app::session::Session;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BenefitCode, MoneyRight};
use finance_storage::charging::title_revisions::delete_title_revision;
use storage::Tx;
use storage::history::audit;

/// The benefit no longer waits for a revision until it changes again.
#[boxed::future]
pub async fn dismiss_revision(
    app: &App,
    caller: &Session,
    (benefit, reason): (BenefitCode, String),
    once: IdempotentWrite<BenefitCode>,
) -> Result<WriteOutcome<BenefitCode>, Error> {
    caller.require_money_right(MoneyRight::SettleTitles)?;
    let operation = AuditedOperation::DismissRevision;
    run_command(app, caller, operation, (benefit, reason), once, |tx, command| {
        Box::pin(write_dismissal(tx, command))
    })
    .await
}

async fn write_dismissal(
    tx: &mut Tx,
    command: &WriteCommand<(BenefitCode, String)>,
) -> Result<BenefitCode, Error> {
    let (tenant, (benefit, reason)) = (command.scope.tenant(), &command.input);
    confirm_registers(tx, tenant, &command.registers).await?;
    let (sources, _) =
        load_visible_revision(tx, &command.registers, &command.scope, *benefit, command.now).await?;
    tx.execute(delete_title_revision(tenant, *benefit)).await?;
    let change = AuditedChange::new(AuditedAction::KeepTitles, AuditedRecordKind::Benefit, benefit.get())
        .with_reason(Some(reason));
    let entry = command.actor_context().audit_entry(Some(sources.benefit.person), change);
    audit::append_audit_entry(tx, &entry).await?;
    Ok(*benefit)
}
