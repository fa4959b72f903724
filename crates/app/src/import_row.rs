//! What an import and the business say to each other about one row: in which context it is written, what became of it,
//! and what became of taking it back. The import itself is in the crate `exchange`.

use crate::Error;
use crate::registers::snapshot::TenantRegisters;
use crate::situations::ActorContext;
use domain::{BranchCode, ImportProblem, Moment, PersonCode, Rejection, Scope, UserCode};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use storage::history::audit;

/// How long an import can be undone; as long are its lines kept.
pub const UNDO_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

pub const ORIGIN: &str = "importação";

/// What a unit of an import works with.
#[derive(Clone)]
pub struct ImportUnitContext {
    pub scope: Scope,
    pub registers: Arc<TenantRegisters>,
    pub user: Option<UserCode>,
    pub operation: &'static str,
    /// Receivers are not told.
    pub quiet: bool,
    /// Where those who are new go for whom a line names no branch.
    pub branch: Option<BranchCode>,
    /// Only judged: nothing is written.
    pub trial: bool,
    pub meant: RecordLineIndex,
    pub now: Moment,
}

/// On which line each record was meant first: one record may be found in several ways.
#[derive(Clone, Debug, Default)]
pub struct RecordLineIndex {
    /// By the units that are done.
    pub done: Arc<Mutex<HashMap<i32, i32>>>,
    /// In this unit.
    pub here: HashMap<i32, i32>,
}

impl RecordLineIndex {
    pub fn find_line(&self, record: i32) -> Option<i32> {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        self.here.get(&record).or_else(|| done.get(&record)).copied()
    }

    /// Notes lines whose unit is done; gives those whose record another had meant before.
    pub fn insert_lines(&self, lines: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let first = lines.into_iter().map(|(record, line)| (line, *done.entry(record).or_insert(line)));
        first.filter(|(line, first)| line != first).collect()
    }
}

impl ImportUnitContext {
    /// Nobody can tell which of two lines about one record is right.
    pub fn refuse_repeated_record(&self, record: i32) -> Result<(), Error> {
        match self.meant.find_line(record) {
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
            origin: ORIGIN,
            quiet: self.quiet,
            now: self.now,
        }
    }

    pub fn audit_entry(&self, person: Option<PersonCode>, what: &str) -> audit::AuditEntry {
        audit::AuditEntry {
            tenant: self.scope.tenant(),
            at: self.now,
            user: self.user,
            operation: self.operation,
            person,
            detail: Some(what.to_owned()),
        }
    }
}

/// What became of a line.
#[derive(Clone, Debug)]
pub enum ImportRowOutcome {
    Created {
        record: i32,
        version: i64,
        /// Where it made a member of somebody who was none: the version that his person has since.
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

/// What became of taking it back.
#[derive(Clone, Debug)]
pub enum ImportUndoOutcome {
    Removed,
    Restored,
    /// Left as it is, and why.
    Kept(String),
}

/// A whole number that a line gives, taken out of what the record is read from.
pub fn take_number_field(fields: &mut Map<String, Value>, name: &str) -> Option<i32> {
    let value = fields
        .get(name)?
        .as_i64()
        .and_then(|number| i32::try_from(number).ok())
        .filter(|number| *number > 0)?;
    fields.remove(name);
    Some(value)
}
