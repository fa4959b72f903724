//! Imports: a file is received and read into lines, its columns are matched with fields, it is tried without writing
//! anything (a dry run), and run in short units behind everybody else.
//!
//! # How it is used, step by step
//! 1. [`spool`] gives a temporary file to write an upload into; [`receive`] reads it and gives the [`Import`], in the state
//!    `Ready`, with a field suggested for each column ([`Import::mapping`], by what was chosen before and by the names of
//!    the columns). [`wire::sheet::columns`] lists the fields of a kind, with their labels.
//! 2. [`map`] changes where columns go, and remembers it for this base and kind.
//! 3. [`check`] begins the dry run, [`start`] the import itself. Both come back at once: a task of the server
//!    ([`run_due`]) does the work, and [`one`] tells how far it is ([`progress`]). [`pause`] and [`resume`] it.
//! 4. [`problems`] tells what is wrong, by line and column; [`error_file`] gives the lines that failed as CSV, with the
//!    columns that they came with and one more that says why.
//! 5. [`undo`] takes an import back for 7 days; [`kept`] tells what it had to leave.
//!
//! Administrators see every import, operators their own; plans and sellers are for administrators alone. Every row goes
//! through the functions that the API itself uses, with the rights of whoever asked for the present stage.
//!
//! # What is guaranteed
//! A unit writes its records, what became of its lines and how far the import is, or nothing of it: after a crash another
//! process goes on behind the last unit (`storage::imports::lease`, with a fence). No two lines of one file mean the same
//! record: the second is refused, so that a second run changes nothing. Histories have the origin `importação`; receivers are
//! told only where that was asked for.

mod file;
mod looking;
mod receiving;
mod report;
mod running;
mod shaped;
mod undoing;
mod unit;

pub use file::MOST_LINES;
pub use looking::{cells, first_lines};
pub use receiving::{Spool, receive, receive_file, spool};
pub use report::{ErrorFile, error_file, kept, problems};
pub use running::{run_due, work};
pub(crate) use shaped::taken;
pub use storage::imports::{Counts, Import, Kept, Problem};

use crate::access::Session;
use crate::base::{Registers, registers};
use crate::once::{self, Done, Once};
use crate::situations::Acting;
use crate::{App, Error};
use domain::{
    BranchCode, Field, ImportCode, ImportKind, ImportProblem, ImportState, Moment, PersonCode, Rejection,
    Role, Scope, TenantId, UserCode,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use storage::imports::{self, Change};
use storage::{Lane, Tx, audit};
use wire::read::Given;
use wire::sheet::{column, columns, header_key};

/// How long an import can be undone; as long are its lines kept.
pub const UNDO_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

pub(crate) const ORIGIN: &str = "importação";
const RUN: &str = "POST /gestao/importacao/{codImportacao}/iniciar";
const UNDO: &str = "POST /gestao/importacao/{codImportacao}/desfazer";
const RECEIVE: &str = "POST /gestao/importacao";

/// Whose imports somebody asks for.
#[derive(Clone, Debug)]
pub struct By {
    pub scope: Scope,
    /// Nobody where a command does it.
    pub user: Option<UserCode>,
    pub role: Role,
}

impl By {
    pub fn of(caller: &Session) -> By {
        By { scope: caller.scope.clone(), user: Some(caller.user), role: caller.role }
    }

    /// A command, which may do everything.
    pub fn command(tenant: TenantId) -> By {
        By { scope: Scope::whole(tenant), user: None, role: Role::Administrator }
    }

    fn tenant(&self) -> TenantId {
        self.scope.tenant()
    }

    /// Whose imports he sees: everybody's, or his own.
    fn owner(&self) -> Option<UserCode> {
        if self.role == Role::Administrator { None } else { self.user.or(Some(UserCode::new(0))) }
    }

    /// Whether he may import records of a kind.
    pub fn must_import(&self, kind: ImportKind) -> Result<(), Error> {
        let registers = matches!(kind, ImportKind::Plans | ImportKind::Sellers);
        match self.role {
            Role::Administrator => Ok(()),
            Role::Operator if !registers => Ok(()),
            _ => Err(Error::Forbidden),
        }
    }
}

/// What a unit of an import works with.
#[derive(Clone)]
pub(crate) struct Doing {
    pub scope: Scope,
    pub registers: Arc<Registers>,
    pub user: Option<UserCode>,
    pub operation: &'static str,
    /// Receivers are not told.
    pub quiet: bool,
    /// Where those who are new go for whom a line names no branch.
    pub branch: Option<BranchCode>,
    /// Only judged: nothing is written.
    pub trial: bool,
    pub meant: Meant,
    pub now: Moment,
}

/// On which line each record was meant first: one record may be found in several ways.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meant {
    /// By the units that are done.
    done: Arc<Mutex<HashMap<i32, i32>>>,
    /// In this unit.
    here: HashMap<i32, i32>,
}

impl Meant {
    fn line(&self, record: i32) -> Option<i32> {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        self.here.get(&record).or_else(|| done.get(&record)).copied()
    }

    /// Notes lines whose unit is done; gives those whose record another had meant before.
    fn note(&self, lines: impl IntoIterator<Item = (i32, i32)>) -> Vec<(i32, i32)> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let first = lines.into_iter().map(|(record, line)| (line, *done.entry(record).or_insert(line)));
        first.filter(|(line, first)| line != first).collect()
    }
}

impl Doing {
    /// Nobody can tell which of two lines about one record is right.
    pub fn refuse_meant(&self, record: i32) -> Result<(), Error> {
        match self.meant.line(record) {
            Some(line) => Err(refused(ImportProblem::SameRecord(line))),
            None => Ok(()),
        }
    }

    pub fn acting(&self) -> Acting<'_> {
        Acting {
            tenant: self.scope.tenant(),
            registers: &self.registers,
            user: self.user,
            operation: self.operation,
            origin: ORIGIN,
            quiet: self.quiet,
            now: self.now,
        }
    }

    pub fn audited(&self, person: Option<PersonCode>, what: &str) -> audit::Entry {
        audit::Entry {
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
pub(crate) enum Written {
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

impl Written {
    fn record(&self) -> Option<i32> {
        match self {
            Written::Created { record, .. } | Written::Changed { record, .. } | Written::Same { record } => {
                Some(*record)
            }
            Written::Refused(_) => None,
        }
    }
}

/// What became of taking it back.
#[derive(Clone, Debug)]
pub(crate) enum Undone {
    Removed,
    Restored,
    /// Left as it is, and why.
    Kept(String),
}

fn unknown(code: ImportCode) -> Error {
    Error::NoSuch { field: Field::Import, code: code.get() }
}

fn refused(problem: ImportProblem) -> Error {
    Rejection::Import(problem).into()
}

/// How much of the present stage is done: lines, of how many.
pub fn progress(import: &Import) -> (i64, i64) {
    let changed = import.counts.created + import.counts.changed;
    match import.state {
        ImportState::Undoing | ImportState::Undone => (import.counts.undone(), changed),
        _ => (import.counts.done(), import.total),
    }
}

/// The days in which it can be undone are not over.
pub fn may_undo(import: &Import, now: Moment) -> bool {
    let ended = import.finished_at.or(import.started_at);
    matches!(import.state, ImportState::Done | ImportState::Paused | ImportState::Running)
        && ended.is_some_and(|at| now < at.plus(UNDO_FOR))
}

/// An import.
#[boxed::future]
pub async fn one(app: &App, by: &By, code: ImportCode) -> Result<Import, Error> {
    imports::find(&app.db, by.tenant(), code, by.owner()).await?.ok_or_else(|| unknown(code))
}

/// A page of imports, the latest first, and how many there are.
#[boxed::future]
pub async fn page(app: &App, by: &By, (limit, offset): (i64, i64)) -> Result<(Vec<Import>, i64), Error> {
    let asked = (by.tenant(), by.owner(), limit, offset);
    let read = app.db.read(asked, |tx, (tenant, owner, limit, offset)| {
        Box::pin(async move { Ok::<_, Error>(imports::page(tx, *tenant, *owner, (*limit, *offset)).await?) })
    });
    read.await
}

/// What is to become of an import.
#[derive(Clone, Debug)]
enum Step {
    Map(Mapping),
    Check,
    Start { triggers: bool },
    Pause,
    Resume,
    Undo,
}

struct Asked {
    by: By,
    code: ImportCode,
    step: Step,
    now: Moment,
}

async fn ask(
    app: &App,
    by: &By,
    code: ImportCode,
    step: Step,
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    let asked = Asked { by: by.clone(), code, step, now: app.now() };
    let done =
        once::write(app, Lane::of(by.tenant()), once, asked, |tx, asked| Box::pin(take(tx, asked))).await?;
    app.importing.notify_one();
    Ok(done)
}

/// What somebody says of where a file goes. What is not named stays.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The field of each column, by its name; an empty one leaves it out.
    pub columns: Vec<(String, String)>,
    /// Where those who are new go for whom a line names no branch.
    pub branch: Given<BranchCode>,
}

/// Whether records of a kind begin in a branch that a sheet may leave out.
pub fn begins_in_a_branch(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads)
}

/// Says where columns go, and those who are new.
#[boxed::future]
pub async fn map(
    app: &App,
    by: &By,
    code: ImportCode,
    mapping: Mapping,
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    if let Given::Set(branch) = mapping.branch
        && !registers(app, by.tenant()).await?.is_usable(&by.scope, branch)
    {
        return Err(Rejection::UnknownCode { field: Field::Branch, code: branch.get() }.into());
    }
    ask(app, by, code, Step::Map(mapping), once).await
}

/// Begins a dry run.
#[boxed::future]
pub async fn check(app: &App, by: &By, code: ImportCode, once: Once<Import>) -> Result<Done<Import>, Error> {
    ask(app, by, code, Step::Check, once).await
}

/// Begins the import. One that runs already, goes on.
#[boxed::future]
pub async fn start(
    app: &App,
    by: &By,
    code: ImportCode,
    triggers: bool,
    once: Once<Import>,
) -> Result<Done<Import>, Error> {
    ask(app, by, code, Step::Start { triggers }, once).await
}

/// Lets an import rest behind the unit that it is in.
#[boxed::future]
pub async fn pause(app: &App, by: &By, code: ImportCode, once: Once<Import>) -> Result<Done<Import>, Error> {
    ask(app, by, code, Step::Pause, once).await
}

/// Lets it go on where it rested.
#[boxed::future]
pub async fn resume(app: &App, by: &By, code: ImportCode, once: Once<Import>) -> Result<Done<Import>, Error> {
    ask(app, by, code, Step::Resume, once).await
}

/// Takes an import back, as far as nothing has changed since.
#[boxed::future]
pub async fn undo(app: &App, by: &By, code: ImportCode, once: Once<Import>) -> Result<Done<Import>, Error> {
    ask(app, by, code, Step::Undo, once).await
}

async fn take(tx: &mut Tx, asked: &Asked) -> Result<Import, Error> {
    use ImportState as S;
    let (tenant, code, now) = (asked.by.tenant(), asked.code, asked.now);
    let import =
        imports::find(&mut *tx, tenant, code, asked.by.owner()).await?.ok_or_else(|| unknown(code))?;
    asked.by.must_import(import.kind)?;
    let wrong = |what: &'static str| Err(refused(ImportProblem::WrongState(what)));
    // Who does not wait for the end of a dry run begins at once.
    let starts = matches!(asked.step, Step::Start { .. });
    let is_ready = matches!(import.state, S::Ready | S::Checked) || starts && import.state == S::Checking;
    let (to, change, told) = match &asked.step {
        // Asked for twice: it is as it is to be.
        Step::Check if import.state == S::Checking => return Ok(import),
        Step::Start { .. } | Step::Resume if import.state == S::Running => return Ok(import),
        Step::Pause if import.state == S::Paused => return Ok(import),
        Step::Undo if matches!(import.state, S::Undoing | S::Undone) => return Ok(import),
        Step::Map(_) | Step::Check | Step::Start { .. } if !is_ready => {
            return wrong("a importação já começou ou já terminou; envie o arquivo de novo para outra.");
        }
        Step::Check | Step::Start { .. } if now > import.updated_at.plus(UNDO_FOR) => {
            return wrong("o arquivo foi enviado há mais de 7 dias e já foi apagado; envie-o de novo.");
        }
        Step::Map(wanted) => {
            let mapping = mapped(&import, &wanted.columns)?;
            let branch = match wanted.branch {
                Given::Keep => None,
                Given::Clear => Some(None),
                Given::Set(branch) => Some(Some(branch)),
            };
            let own = import.headers.iter().zip(&mapping);
            let statements =
                own.map(|(header, field)| imports::remember(tenant, import.kind, &header_key(header), field));
            tx.batch(statements.collect()).await?;
            (
                S::Ready,
                Change { mapping: Some(mapping), branch, restart: true, ..Change::default() },
                "colunas mapeadas",
            )
        }
        Step::Check => {
            refuse_unmapped(&import)?;
            (S::Checking, Change { restart: true, ..Change::default() }, "conferência iniciada")
        }
        Step::Start { triggers } => {
            refuse_unmapped(&import)?;
            let triggers = Some(*triggers);
            (S::Running, Change { restart: true, triggers, started: true, ..Change::default() }, "iniciada")
        }
        Step::Pause if import.state == S::Running => (S::Paused, Change::default(), "pausada"),
        Step::Pause => return wrong("só uma importação em andamento pode ser pausada."),
        Step::Resume if import.state == S::Paused => (S::Running, Change::default(), "retomada"),
        Step::Resume => return wrong("só uma importação pausada pode ser retomada."),
        Step::Undo if !matches!(import.state, S::Done | S::Paused | S::Running) => {
            return wrong("só uma importação que começou pode ser desfeita.");
        }
        Step::Undo if !may_undo(&import, now) => return Err(refused(ImportProblem::TooLate)),
        // From the last line back to the first; one that was stopped on the way goes on where it was.
        Step::Undo => {
            let position = (import.counts.undone() == 0).then_some(i32::MAX);
            (S::Undoing, Change { position, ..Change::default() }, "desfazer iniciado")
        }
    };
    let change = Change { acting: Some(asked.by.user), ..change };
    imports::set_state(tx, tenant, code, (to, now), &change).await?;
    let entry = audit::Entry {
        tenant,
        at: now,
        user: asked.by.user,
        operation: if to == S::Undoing { UNDO } else { RUN },
        person: None,
        detail: Some(format!("importação {code} {told}")),
    };
    audit::append(tx, &entry).await?;
    imports::find(&mut *tx, tenant, code, None).await?.ok_or_else(|| unknown(code))
}

/// The fields that columns go to, with what somebody wants of it.
fn mapped(import: &Import, wanted: &[(String, String)]) -> Result<Vec<String>, Error> {
    let mut mapping = import.mapping.clone();
    let mut problems = Vec::new();
    for (header, field) in wanted {
        let key = header_key(header);
        let at = import.headers.iter().position(|one| one == header);
        let at = at.or_else(|| import.headers.iter().position(|one| header_key(one) == key));
        match at {
            None => problems.push(ImportProblem::UnknownColumn(header.clone())),
            Some(_) if !field.is_empty() && column(import.kind, field).is_none() => {
                problems.push(ImportProblem::UnknownField(field.clone()));
            }
            Some(at) => mapping[at].clone_from(field),
        }
    }
    for (at, field) in mapping.iter().enumerate() {
        if !field.is_empty() && mapping[..at].contains(field) {
            problems.push(ImportProblem::FieldTwice(field.clone()));
        }
    }
    match problems.is_empty() {
        true => Ok(mapping),
        false => Err(Error::Refused(problems.into_iter().map(Rejection::Import).collect())),
    }
}

/// What no line can do without must have a column.
fn refuse_unmapped(import: &Import) -> Result<(), Error> {
    let is_mapped = |name: &str| import.mapping.iter().any(|field| field == name);
    let needed = columns(import.kind).iter().filter(|column| column.required && !is_mapped(column.name));
    let missing: Vec<&'static str> = needed.map(|column| column.label).collect();
    if missing.is_empty() { Ok(()) } else { Err(refused(ImportProblem::NotMapped(missing))) }
}
