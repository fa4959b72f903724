//! Ends the current stage of an import.

use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ImportState, Moment};
use storage::exchange::imports::change_state::{ImportStateChange, update_import_state};
use storage::exchange::imports::leases::{LeasedImport, advance_import};
use storage::exchange::imports::runs::{ImportLineCounts, find_import_run};
use storage::history::audit;
use storage::{Tx, WriteLane};

struct LeasedStageEnd {
    lease: LeasedImport,
    to: ImportState,
    action: AuditedAction,
    now: Moment,
}

/// Moves a leased import to its next state.
pub(super) async fn finish_stage(
    app: &App,
    lease: &LeasedImport,
    to: ImportState,
    action: AuditedAction,
) -> Result<(), Error> {
    let input = LeasedStageEnd { lease: *lease, to, action, now: app.now() };
    let lane = WriteLane::background(lease.tenant);
    app.db.write(lane, input, |tx, finish| Box::pin(write_stage_end(tx, finish))).await
}

async fn write_stage_end(tx: &mut Tx, finish: &LeasedStageEnd) -> Result<(), Error> {
    let LeasedStageEnd { lease, to, action, now } = finish;
    let import = find_import_run(&mut *tx, lease.tenant, lease.code, None).await?;
    let Some(import) = import.filter(|one| one.state == lease.state) else { return Ok(()) };
    if !advance_import(tx, lease, (import.position, *now), &ImportLineCounts::default()).await? {
        return Ok(());
    }
    // After an undo, the import had already finished before.
    let finished = *to == ImportState::Done && lease.state == ImportState::Running;
    let change = ImportStateChange { finished, ..ImportStateChange::default() };
    update_import_state(tx, lease.tenant, lease.code, (*to, *now), &change).await?;
    let entry = audit::AuditEntry {
        tenant: lease.tenant,
        at: *now,
        user: import.acting,
        operation: if lease.state == ImportState::Undoing {
            AuditedOperation::UndoImport
        } else {
            AuditedOperation::RunImport
        },
        person: None,
        change: AuditedChange::new(*action, AuditedRecordKind::Import, lease.code.get()),
    };
    Ok(audit::append_audit_entry(tx, &entry).await?)
}
