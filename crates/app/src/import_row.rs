//! The interface between an import and the business for one row: the context of the write, its outcome, and the
//! outcome of undoing it. The import itself is in the crate `exchange`.

use crate::Error;
use crate::actor_context::{ActorContext, IMPORT_ORIGIN};
use crate::command::WriteCommand;
use crate::register_snapshot::TenantRegisters;
use domain::{
    AuditedChange, AuditedOperation, BranchCode, ImportProblem, ImportUndoObstacle, Moment, PersonCode,
    Rejection, Scope, UserCode,
};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use storage::history::audit;

/// How long an import can be undone; its rows are stored for as long.
pub const UNDO_FOR: Duration = Duration::from_hours(168);

/// The context of one transaction of an import.
#[derive(Clone)]
pub struct ImportUnitContext {
    pub scope: Scope,
    pub registers: Arc<TenantRegisters>,
    pub user: Option<UserCode>,
    pub operation: AuditedOperation,
    /// Suppresses triggers to receivers.
    pub suppresses_triggers: bool,
    /// The branch of new records whose row names none.
    pub branch: Option<BranchCode>,
    /// Dry run: validates only, writes nothing.
    pub is_dry_run: bool,
    pub record_lines: RecordLineIndex,
    pub now: Moment,
}

/// The first row that refers to each record; several ways of matching may lead to the same record.
#[derive(Clone, Debug, Default)]
pub struct RecordLineIndex {
    pub committed: Arc<Mutex<HashMap<i32, i32>>>,
    pub current: HashMap<i32, i32>,
}

impl RecordLineIndex {
    pub fn find_line(&self, record: i32) -> Option<i32> {
        let committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        self.current.get(&record).or_else(|| committed.get(&record)).copied()
    }

    /// Adds the rows of a committed transaction; returns those whose record an earlier row refers to, with that row.
    pub fn insert_lines(&self, lines: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        let first = lines.into_iter().map(|(record, line)| (line, *committed.entry(record).or_insert(line)));
        first.filter(|(line, first)| line != first).collect()
    }
}

impl ImportUnitContext {
    /// Two rows about the same record contradict each other, so the second is rejected.
    pub fn refuse_repeated_record(&self, record: i32) -> Result<(), Error> {
        match self.record_lines.find_line(record) {
            Some(line) => Err(Rejection::Import(ImportProblem::SameRecord(line)).into()),
            None => Ok(()),
        }
    }

    pub fn change_context(&self) -> ActorContext<'_> {
        ActorContext {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: self.user,
            operation: self.operation,
            origin: IMPORT_ORIGIN,
            suppresses_triggers: self.suppresses_triggers,
            now: self.now,
        }
    }

    /// The command of one row.
    pub(crate) fn build_command<I>(&self, input: I) -> WriteCommand<I> {
        WriteCommand {
            scope: self.scope.clone(),
            registers: Arc::clone(&self.registers),
            input,
            now: self.now,
            user: self.user,
            operation: self.operation,
            origin: IMPORT_ORIGIN,
            suppresses_triggers: self.suppresses_triggers,
        }
    }

    pub fn audit_entry(&self, person: Option<PersonCode>, change: AuditedChange) -> audit::AuditEntry {
        self.change_context().audit_entry(person, change)
    }
}

#[derive(Clone, Debug)]
pub enum ImportRowOutcome {
    Created {
        record: i32,
        version: i64,
        /// Set if the row turned an existing person into a member: the version of that person since.
        joined: Option<String>,
    },
    Changed {
        record: i32,
        before: String,
        version: i64,
    },
    Same {
        record: i32,
    },
    Refused(Vec<Rejection>),
}

impl ImportRowOutcome {
    pub fn record(&self) -> Option<i32> {
        match self {
            ImportRowOutcome::Created { record, .. }
            | ImportRowOutcome::Changed { record, .. }
            | ImportRowOutcome::Same { record } => Some(*record),
            ImportRowOutcome::Refused(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum ImportUndoOutcome {
    Removed,
    Restored,
    /// Left unchanged.
    Kept(ImportUndoObstacle),
}

/// Removes a positive integer from the fields of a row and returns it.
pub fn take_number_field(fields: &mut Map<String, Value>, name: &str) -> Option<i32> {
    let value = fields
        .get(name)?
        .as_i64()
        .and_then(|number| i32::try_from(number).ok())
        .filter(|number| *number > 0)?;
    fields.remove(name);
    Some(value)
}
