//! Imports: a file is received and read into lines, its columns are matched with fields, it is tried without writing
//! anything (a dry run), and run in short units behind everybody else.
//!
//! # How it is used, step by step
//! 1. [`create_upload_spool`] gives a temporary file to write an upload into; [`receive_upload`] reads it and gives the [`StoredImportRun`], in the state
//!    `Ready`, with a field suggested for each column ([`StoredImportRun::mapping`], by what was chosen before and by the names of
//!    the columns). [`wire::sheet::list_import_fields`] lists the fields of a kind, with their labels.
//! 2. [`map_import_columns`] changes where columns go, and remembers it for this base and kind.
//! 3. [`start_dry_run`] begins the dry run, [`start_import`] the import itself. Both come back at once: a task of the server
//!    ([`run_due_imports`]) does the work, and [`load_import`] tells how far it is ([`measure_progress`]). [`pause_import`] and [`resume_import`] it.
//! 4. [`list_import_problems`] tells what is wrong, by line and column; [`open_error_file`] gives the lines that failed as CSV, with the
//!    columns that they came with and one more that says why.
//! 5. [`undo_import`] takes an import back for 7 days; [`list_kept_rows`] tells what it had to leave.
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
mod preview;
mod receive;
mod report;
mod row_reader;
mod run;
mod undo;
mod unit;

pub use app::import_row::UNDO_FOR;
pub(crate) use app::import_row::{ImportRowOutcome, ImportUndoOutcome, ImportUnitContext, RecordLineIndex};
pub use file::MOST_LINES;
pub use preview::{list_cells_by_line, list_first_lines};
pub use receive::{UploadSpool, create_upload_spool, receive_local_file, receive_upload};
pub use report::{ImportErrorFile, list_import_problems, list_kept_rows, open_error_file};
pub use run::{run_due_imports, run_import};
pub use storage::exchange::imports::{ImportLineCounts, KeptRecord, StoredImportRun, StoredLineProblem};

use app::access::Session;
use app::idempotency::{self, IdempotentWrite, WriteOutcome};
use app::registers::snapshot::load_registers;
use app::{App, Error};
use domain::{
    BranchCode, ImportCode, ImportKind, ImportProblem, ImportState, InputField, Moment, Rejection, Role,
    Scope, TenantId, UserCode,
};
use storage::exchange::imports::{self, ImportStateChange};
use storage::history::audit;
use storage::{Tx, WriteLane};
use wire::read::FieldPatch;
use wire::sheet::{find_import_field, fold_header, list_import_fields};

const RUN: &str = "POST /gestao/importacao/{codImportacao}/iniciar";
const UNDO: &str = "POST /gestao/importacao/{codImportacao}/desfazer";
const RECEIVE: &str = "POST /gestao/importacao";

/// Whose imports somebody asks for.
#[derive(Clone, Debug)]
pub struct ImportCaller {
    pub scope: Scope,
    /// Nobody where a command does it.
    pub user: Option<UserCode>,
    pub role: Role,
}

impl ImportCaller {
    pub fn from_session(caller: &Session) -> ImportCaller {
        ImportCaller { scope: caller.scope.clone(), user: Some(caller.user), role: caller.role }
    }

    /// A command, which may do everything.
    pub fn for_command(tenant: TenantId) -> ImportCaller {
        ImportCaller { scope: Scope::for_tenant(tenant), user: None, role: Role::Administrator }
    }

    fn tenant(&self) -> TenantId {
        self.scope.tenant()
    }

    /// Whose imports he sees: everybody's, or his own.
    fn owner_filter(&self) -> Option<UserCode> {
        if self.role == Role::Administrator { None } else { self.user.or(Some(UserCode::new(0))) }
    }

    /// Whether he may import records of a kind.
    pub fn authorize_import(&self, kind: ImportKind) -> Result<(), Error> {
        let registers = matches!(kind, ImportKind::Plans | ImportKind::Sellers);
        match self.role {
            Role::Administrator => Ok(()),
            Role::Operator if !registers => Ok(()),
            _ => Err(Error::Forbidden),
        }
    }
}

fn refuse_unknown_import(code: ImportCode) -> Error {
    Error::NotFound { field: InputField::Import, code: code.get() }
}

fn refuse_import(problem: ImportProblem) -> Error {
    Rejection::Import(problem).into()
}

/// How much of the present stage is done: lines, of how many.
pub fn measure_progress(import: &StoredImportRun) -> (i64, i64) {
    let changed = import.counts.created + import.counts.changed;
    match import.state {
        ImportState::Undoing | ImportState::Undone => (import.counts.reverted_lines(), changed),
        _ => (import.counts.processed_lines(), import.total),
    }
}

/// The days in which it can be undone are not over.
pub fn may_undo_import(import: &StoredImportRun, now: Moment) -> bool {
    let ended = import.finished_at.or(import.started_at);
    matches!(import.state, ImportState::Done | ImportState::Paused | ImportState::Running)
        && ended.is_some_and(|at| now < at.plus(UNDO_FOR))
}

/// An import.
#[boxed::future]
pub async fn load_import(app: &App, by: &ImportCaller, code: ImportCode) -> Result<StoredImportRun, Error> {
    imports::find_import_run(&app.db, by.tenant(), code, by.owner_filter())
        .await?
        .ok_or_else(|| refuse_unknown_import(code))
}

/// A page of imports, the latest first, and how many there are.
#[boxed::future]
pub async fn list_imports(
    app: &App,
    by: &ImportCaller,
    (limit, offset): (i64, i64),
) -> Result<(Vec<StoredImportRun>, i64), Error> {
    let asked = (by.tenant(), by.owner_filter(), limit, offset);
    let read = app.db.read(asked, |tx, (tenant, owner, limit, offset)| {
        Box::pin(async move {
            Ok::<_, Error>(imports::list_import_runs(tx, *tenant, *owner, (*limit, *offset)).await?)
        })
    });
    read.await
}

/// What is to become of an import.
#[derive(Clone, Debug)]
enum ImportRunAction {
    Map(ColumnMapping),
    Check,
    Start { triggers: bool },
    Pause,
    Resume,
    Undo,
}

struct ImportActionRequest {
    by: ImportCaller,
    code: ImportCode,
    step: ImportRunAction,
    now: Moment,
}

async fn submit_action(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    step: ImportRunAction,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    let asked = ImportActionRequest { by: by.clone(), code, step, now: app.now() };
    let done =
        idempotency::write_idempotently(app, WriteLane::foreground(by.tenant()), once, asked, |tx, asked| {
            Box::pin(apply_action(tx, asked))
        })
        .await?;
    app.importing.notify_one();
    Ok(done)
}

/// What somebody says of where a file goes. What is not named stays.
#[derive(Clone, Debug)]
pub struct ColumnMapping {
    /// The field of each column, by its name; an empty one leaves it out.
    pub columns: Vec<(String, String)>,
    /// Where those who are new go for whom a line names no branch.
    pub branch: FieldPatch<BranchCode>,
}

/// Whether records of a kind begin in a branch that a sheet may leave out.
pub fn has_default_branch(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads)
}

/// Says where columns go, and those who are new.
#[boxed::future]
pub async fn map_import_columns(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    mapping: ColumnMapping,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    if let FieldPatch::Set(branch) = mapping.branch
        && !load_registers(app, by.tenant()).await?.is_usable_branch(&by.scope, branch)
    {
        return Err(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() }.into());
    }
    submit_action(app, by, code, ImportRunAction::Map(mapping), once).await
}

/// Begins a dry run.
#[boxed::future]
pub async fn start_dry_run(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, by, code, ImportRunAction::Check, once).await
}

/// Begins the import. One that runs already, goes on.
#[boxed::future]
pub async fn start_import(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    triggers: bool,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, by, code, ImportRunAction::Start { triggers }, once).await
}

/// Lets an import rest behind the unit that it is in.
#[boxed::future]
pub async fn pause_import(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, by, code, ImportRunAction::Pause, once).await
}

/// Lets it go on where it rested.
#[boxed::future]
pub async fn resume_import(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, by, code, ImportRunAction::Resume, once).await
}

/// Takes an import back, as far as nothing has changed since.
#[boxed::future]
pub async fn undo_import(
    app: &App,
    by: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, by, code, ImportRunAction::Undo, once).await
}

async fn apply_action(tx: &mut Tx, asked: &ImportActionRequest) -> Result<StoredImportRun, Error> {
    use ImportState as S;
    let (tenant, code, now) = (asked.by.tenant(), asked.code, asked.now);
    let import = imports::find_import_run(&mut *tx, tenant, code, asked.by.owner_filter())
        .await?
        .ok_or_else(|| refuse_unknown_import(code))?;
    asked.by.authorize_import(import.kind)?;
    let wrong = |what: &'static str| Err(refuse_import(ImportProblem::WrongState(what)));
    // Who does not wait for the end of a dry run begins at once.
    let starts = matches!(asked.step, ImportRunAction::Start { .. });
    let is_ready = matches!(import.state, S::Ready | S::Checked) || starts && import.state == S::Checking;
    let (to, change, told) = match &asked.step {
        // Asked for twice: it is as it is to be.
        ImportRunAction::Check if import.state == S::Checking => return Ok(import),
        ImportRunAction::Start { .. } | ImportRunAction::Resume if import.state == S::Running => {
            return Ok(import);
        }
        ImportRunAction::Pause if import.state == S::Paused => return Ok(import),
        ImportRunAction::Undo if matches!(import.state, S::Undoing | S::Undone) => return Ok(import),
        ImportRunAction::Map(_) | ImportRunAction::Check | ImportRunAction::Start { .. } if !is_ready => {
            return wrong("a importação já começou ou já terminou; envie o arquivo de novo para outra.");
        }
        ImportRunAction::Check | ImportRunAction::Start { .. } if now > import.updated_at.plus(UNDO_FOR) => {
            return wrong("o arquivo foi enviado há mais de 7 dias e já foi apagado; envie-o de novo.");
        }
        ImportRunAction::Map(wanted) => {
            let mapping = merge_mapping(&import, &wanted.columns)?;
            let branch = match wanted.branch {
                FieldPatch::Keep => None,
                FieldPatch::Clear => Some(None),
                FieldPatch::Set(branch) => Some(Some(branch)),
            };
            let own = import.headers.iter().zip(&mapping);
            let statements = own.map(|(header, field)| {
                imports::upsert_column_mapping(tenant, import.kind, &fold_header(header), field)
            });
            tx.execute_batch(statements.collect()).await?;
            (
                S::Ready,
                ImportStateChange {
                    mapping: Some(mapping),
                    branch,
                    restart: true,
                    ..ImportStateChange::default()
                },
                "colunas mapeadas",
            )
        }
        ImportRunAction::Check => {
            require_mapped_fields(&import)?;
            (
                S::Checking,
                ImportStateChange { restart: true, ..ImportStateChange::default() },
                "conferência iniciada",
            )
        }
        ImportRunAction::Start { triggers } => {
            require_mapped_fields(&import)?;
            let triggers = Some(*triggers);
            (
                S::Running,
                ImportStateChange { restart: true, triggers, started: true, ..ImportStateChange::default() },
                "iniciada",
            )
        }
        ImportRunAction::Pause if import.state == S::Running => {
            (S::Paused, ImportStateChange::default(), "pausada")
        }
        ImportRunAction::Pause => return wrong("só uma importação em andamento pode ser pausada."),
        ImportRunAction::Resume if import.state == S::Paused => {
            (S::Running, ImportStateChange::default(), "retomada")
        }
        ImportRunAction::Resume => return wrong("só uma importação pausada pode ser retomada."),
        ImportRunAction::Undo if !matches!(import.state, S::Done | S::Paused | S::Running) => {
            return wrong("só uma importação que começou pode ser desfeita.");
        }
        ImportRunAction::Undo if !may_undo_import(&import, now) => {
            return Err(refuse_import(ImportProblem::TooLate));
        }
        // From the last line back to the first; one that was stopped on the way goes on where it was.
        ImportRunAction::Undo => {
            let position = (import.counts.reverted_lines() == 0).then_some(i32::MAX);
            (S::Undoing, ImportStateChange { position, ..ImportStateChange::default() }, "desfazer iniciado")
        }
    };
    let change = ImportStateChange { acting: Some(asked.by.user), ..change };
    imports::update_import_state(tx, tenant, code, (to, now), &change).await?;
    let entry = audit::AuditEntry {
        tenant,
        at: now,
        user: asked.by.user,
        operation: if to == S::Undoing { UNDO } else { RUN },
        person: None,
        detail: Some(format!("importação {code} {told}")),
    };
    audit::append_audit_entry(tx, &entry).await?;
    imports::find_import_run(&mut *tx, tenant, code, None).await?.ok_or_else(|| refuse_unknown_import(code))
}

/// The fields that columns go to, with what somebody wants of it.
fn merge_mapping(import: &StoredImportRun, wanted: &[(String, String)]) -> Result<Vec<String>, Error> {
    let mut mapping = import.mapping.clone();
    let mut problems = Vec::new();
    for (header, field) in wanted {
        let key = fold_header(header);
        let at = import.headers.iter().position(|one| one == header);
        let at = at.or_else(|| import.headers.iter().position(|one| fold_header(one) == key));
        match at {
            None => problems.push(ImportProblem::UnknownColumn(header.clone())),
            Some(_) if !field.is_empty() && find_import_field(import.kind, field).is_none() => {
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
fn require_mapped_fields(import: &StoredImportRun) -> Result<(), Error> {
    let is_mapped = |name: &str| import.mapping.iter().any(|field| field == name);
    let needed =
        list_import_fields(import.kind).iter().filter(|column| column.required && !is_mapped(column.name));
    let missing: Vec<&'static str> = needed.map(|column| column.label).collect();
    if missing.is_empty() { Ok(()) } else { Err(refuse_import(ImportProblem::NotMapped(missing))) }
}
