//! The stages of an import: their lease, their end, and which errors belong to one line.

use super::refusals::refuse_unknown_import;
use super::{ImportLineCounts, StoredImportRun};
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ImportState, Moment};
use std::time::Duration;
use storage::exchange::imports::{self, ImportStateChange, LeasedImport};
use storage::history::audit;
use storage::{Tx, WriteLane};

/// Lease duration: after this time without renewal another process may take over.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// Called after every transaction.
pub type ImportProgressCallback<'t> = &'t mut (dyn FnMut(&StoredImportRun) + Send);

pub(super) async fn load_leased_import(app: &App, lease: &LeasedImport) -> Result<StoredImportRun, Error> {
    imports::find_import_run(&app.db, lease.tenant, lease.code, None)
        .await?
        .ok_or_else(|| refuse_unknown_import(lease.code))
}

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
    let import = imports::find_import_run(&mut *tx, lease.tenant, lease.code, None).await?;
    let Some(import) = import.filter(|one| one.state == lease.state) else { return Ok(()) };
    if !imports::advance_import(tx, lease, (import.position, *now), &ImportLineCounts::default()).await? {
        return Ok(());
    }
    // After an undo, the import had already finished before.
    let finished = *to == ImportState::Done && lease.state == ImportState::Running;
    let change = ImportStateChange { finished, ..ImportStateChange::default() };
    imports::update_import_state(tx, lease.tenant, lease.code, (*to, *now), &change).await?;
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

/// Whether an error is caused by the data, not by the current state of the database.
pub(super) fn is_line_error(error: &Error) -> bool {
    matches!(error, Error::Refused(_) | Error::Defect(_))
        || matches!(error, Error::Storage(storage::Error::Conflict(_) | storage::Error::Broken(_)))
}
