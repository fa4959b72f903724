//! The progress of an import.

use domain::ImportState;
use storage::exchange::imports::runs::StoredImportRun;

/// Progress of the current stage: lines done, and their total.
pub fn measure_progress(import: &StoredImportRun) -> (i64, i64) {
    let changed = import.counts.created + import.counts.changed;
    match import.state {
        ImportState::Undoing | ImportState::Undone => (import.counts.reverted_lines(), changed),
        _ => (import.counts.processed_lines(), import.total),
    }
}
