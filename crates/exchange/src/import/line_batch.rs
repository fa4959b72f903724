//! The lines of one import transaction, and how it ended.

use super::column_names::ImportColumnNames;
use super::parsed_row::ImportRecordDraft;
use app::import_row::ImportUnitContext;
use domain::Moment;
use std::sync::Arc;
use storage::exchange::imports::leases::LeasedImport;
use storage::exchange::imports::line_problems::StoredLineProblem;

pub(super) enum LineBatchOutcome {
    /// Records and their lines.
    Done(Vec<(i32, i32)>),
    /// Another process took over the import.
    LeaseLost,
}

/// The input of one transaction.
pub(super) struct ImportLineBatch {
    pub lease: LeasedImport,
    pub context: ImportUnitContext,
    pub rows: Vec<ImportRecordDraft>,
    /// The line numbers of `rows`.
    pub lines: Vec<i32>,
    /// Lines without a valid record.
    pub refused: Vec<i32>,
    pub problems: Vec<StoredLineProblem>,
    pub position: i32,
    pub until: Moment,
    pub names: Arc<ImportColumnNames>,
    pub members: bool,
}
