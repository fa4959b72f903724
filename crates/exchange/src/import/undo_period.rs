//! How long an import can be undone.

use app::import_row::UNDO_FOR;
use domain::{ImportState, Moment};
use storage::exchange::imports::runs::StoredImportRun;

/// Whether the undo period is still open.
pub fn may_undo_import(import: &StoredImportRun, now: Moment) -> bool {
    let ended = import.finished_at.or(import.started_at);
    matches!(import.state, ImportState::Done | ImportState::Paused | ImportState::Running)
        && ended.is_some_and(|at| now < at.plus(UNDO_FOR))
}
