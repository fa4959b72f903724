//! Imports: a file is uploaded and split into lines, its columns are mapped to fields, it is checked in a dry run, and
//! it is imported in short low-priority transactions.
//!
//! # Steps
//! 1. [`create_upload_spool`] creates a temporary file for the upload. [`receive_upload`] reads it and returns the
//!    [`StoredImportRun`] in the state `Ready`, with a suggested field for each column ([`StoredImportRun::mapping`],
//!    from earlier mappings and from the headers). [`wire::sheet::list_import_fields`] lists the fields of a kind, with
//!    their labels.
//! 2. [`map_import_columns`] changes the mapping and remembers it for this tenant and kind.
//! 3. [`start_dry_run`] starts the dry run, [`start_import`] the import. Both return at once: a server task
//!    ([`run_due_imports`]) does the work, [`load_import`] and [`measure_progress`] report the progress,
//!    [`pause_import`] and [`resume_import`] control it.
//! 4. [`list_import_problems`] lists the problems by line and column; [`open_error_file`] returns the failed lines as
//!    CSV, with their original columns and one more with the reason.
//! 5. [`undo_import`] reverts an import for 7 days; [`list_kept_rows`] lists the records that it could not revert.
//!
//! Administrators see every import, operators their own; plans and sellers are for administrators only. Every row goes
//! through the same functions as the API, with the permissions of the user who started the current stage.
//!
//! # Guarantees
//! A transaction writes its records, the results of its lines and the position of the import, or nothing: after a crash
//! another process continues after the last transaction (`storage::exchange::imports::lease_import`, with a fencing
//! token). Two lines of one file never write the same record: the second is refused, so that a repeated run changes
//! nothing. History entries have the origin `importação`; triggers are sent only on request.

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

use app::idempotency::{self, IdempotentWrite, WriteOutcome};
use app::register_snapshot::load_registers;
use app::session::Session;
use app::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, BranchCode, ImportCode, ImportKind,
    ImportProblem, ImportState, ImportStateConflict, InputField, Moment, Rejection, Role, Scope, TenantId,
    UserCode,
};
use storage::exchange::imports::{self, ImportStateChange};
use storage::history::audit;
use storage::{Tx, WriteLane};
use wire::read::FieldPatch;
use wire::sheet::{find_import_field, fold_header, list_import_fields};

const RUN: AuditedOperation = AuditedOperation::RunImport;
const UNDO: AuditedOperation = AuditedOperation::UndoImport;
const RECEIVE: AuditedOperation = AuditedOperation::ReceiveImport;

/// The user or command that acts on imports.
#[derive(Clone, Debug)]
pub struct ImportCaller {
    pub scope: Scope,
    /// `None` for a command.
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

    /// Restricts non-administrators to their own imports.
    fn owner_filter(&self) -> Option<UserCode> {
        if self.role == Role::Administrator { None } else { self.user.or(Some(UserCode::new(0))) }
    }

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

/// Progress of the current stage: lines done, and their total.
pub fn measure_progress(import: &StoredImportRun) -> (i64, i64) {
    let changed = import.counts.created + import.counts.changed;
    match import.state {
        ImportState::Undoing | ImportState::Undone => (import.counts.reverted_lines(), changed),
        _ => (import.counts.processed_lines(), import.total),
    }
}

/// Whether the undo period is still open.
pub fn may_undo_import(import: &StoredImportRun, now: Moment) -> bool {
    let ended = import.finished_at.or(import.started_at);
    matches!(import.state, ImportState::Done | ImportState::Paused | ImportState::Running)
        && ended.is_some_and(|at| now < at.plus(UNDO_FOR))
}

#[boxed::future]
pub async fn load_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
) -> Result<StoredImportRun, Error> {
    imports::find_import_run(&app.db, caller.tenant(), code, caller.owner_filter())
        .await?
        .ok_or_else(|| refuse_unknown_import(code))
}

/// A page of imports, the latest first, and their total.
#[boxed::future]
pub async fn list_imports(
    app: &App,
    caller: &ImportCaller,
    (limit, offset): (i64, i64),
) -> Result<(Vec<StoredImportRun>, i64), Error> {
    let input = (caller.tenant(), caller.owner_filter(), limit, offset);
    let read = app.db.read(input, |tx, (tenant, owner, limit, offset)| {
        Box::pin(async move {
            Ok::<_, Error>(imports::list_import_runs(tx, *tenant, *owner, (*limit, *offset)).await?)
        })
    });
    read.await
}

/// A requested state change of an import.
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
    caller: ImportCaller,
    code: ImportCode,
    action: ImportRunAction,
    now: Moment,
}

async fn submit_action(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    action: ImportRunAction,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    let request = ImportActionRequest { caller: caller.clone(), code, action, now: app.now() };
    let outcome = idempotency::write_idempotently(
        app,
        WriteLane::foreground(caller.tenant()),
        once,
        request,
        |tx, request| Box::pin(apply_action(tx, request)),
    )
    .await?;
    app.importing.notify_one();
    Ok(outcome)
}

/// A change of the mapping. Columns that are not listed keep theirs.
#[derive(Clone, Debug)]
pub struct ColumnMapping {
    /// Header and field; an empty field ignores the column.
    pub columns: Vec<(String, String)>,
    /// The default branch for new records whose line names none.
    pub branch: FieldPatch<BranchCode>,
}

/// Whether new records of this kind need a branch that the sheet may omit.
pub fn has_default_branch(kind: ImportKind) -> bool {
    matches!(kind, ImportKind::Members | ImportKind::Leads)
}

/// Changes the column mapping and the default branch.
#[boxed::future]
pub async fn map_import_columns(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    mapping: ColumnMapping,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    if let FieldPatch::Set(branch) = mapping.branch
        && !load_registers(app, caller.tenant()).await?.is_usable_branch(&caller.scope, branch)
    {
        return Err(Rejection::UnknownCode { field: InputField::Branch, code: branch.get() }.into());
    }
    submit_action(app, caller, code, ImportRunAction::Map(mapping), once).await
}

#[boxed::future]
pub async fn start_dry_run(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, caller, code, ImportRunAction::Check, once).await
}

/// Starts the import. One that is already running continues.
#[boxed::future]
pub async fn start_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    triggers: bool,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, caller, code, ImportRunAction::Start { triggers }, once).await
}

/// Pauses an import after its current transaction.
#[boxed::future]
pub async fn pause_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, caller, code, ImportRunAction::Pause, once).await
}

#[boxed::future]
pub async fn resume_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, caller, code, ImportRunAction::Resume, once).await
}

/// Reverts an import, except for records changed since.
#[boxed::future]
pub async fn undo_import(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    submit_action(app, caller, code, ImportRunAction::Undo, once).await
}

async fn apply_action(tx: &mut Tx, request: &ImportActionRequest) -> Result<StoredImportRun, Error> {
    use ImportState as S;
    let (tenant, code, now) = (request.caller.tenant(), request.code, request.now);
    let import = imports::find_import_run(&mut *tx, tenant, code, request.caller.owner_filter())
        .await?
        .ok_or_else(|| refuse_unknown_import(code))?;
    request.caller.authorize_import(import.kind)?;
    let refuse = |conflict| Err(refuse_import(ImportProblem::WrongState(conflict)));
    // An import may be started before its dry run has ended.
    let starts = matches!(request.action, ImportRunAction::Start { .. });
    let is_ready = matches!(import.state, S::Ready | S::Checked) || starts && import.state == S::Checking;
    let (to, change, action) = match &request.action {
        // A repeated request changes nothing.
        ImportRunAction::Check if import.state == S::Checking => return Ok(import),
        ImportRunAction::Start { .. } | ImportRunAction::Resume if import.state == S::Running => {
            return Ok(import);
        }
        ImportRunAction::Pause if import.state == S::Paused => return Ok(import),
        ImportRunAction::Undo if matches!(import.state, S::Undoing | S::Undone) => return Ok(import),
        ImportRunAction::Map(_) | ImportRunAction::Check | ImportRunAction::Start { .. } if !is_ready => {
            return refuse(ImportStateConflict::AlreadyStarted);
        }
        // A change of the mapping would count as activity, and a later step would run over deleted lines.
        ImportRunAction::Map(_) | ImportRunAction::Check | ImportRunAction::Start { .. }
            if now > import.updated_at.plus(UNDO_FOR) =>
        {
            return refuse(ImportStateConflict::FileDeleted);
        }
        ImportRunAction::Map(requested) => {
            let mapping = merge_mapping(&import, &requested.columns)?;
            let branch = match requested.branch {
                FieldPatch::Keep => None,
                FieldPatch::Clear => Some(None),
                FieldPatch::Set(branch) => Some(Some(branch)),
            };
            let columns = import.headers.iter().zip(&mapping);
            let statements = columns.map(|(header, field)| {
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
                AuditedAction::MapColumns,
            )
        }
        ImportRunAction::Check => {
            require_mapped_fields(&import)?;
            (
                S::Checking,
                ImportStateChange { restart: true, ..ImportStateChange::default() },
                AuditedAction::BeginImportCheck,
            )
        }
        ImportRunAction::Start { triggers } => {
            require_mapped_fields(&import)?;
            let triggers = Some(*triggers);
            (
                S::Running,
                ImportStateChange { restart: true, triggers, started: true, ..ImportStateChange::default() },
                AuditedAction::BeginImport,
            )
        }
        ImportRunAction::Pause if import.state == S::Running => {
            (S::Paused, ImportStateChange::default(), AuditedAction::PauseImport)
        }
        ImportRunAction::Pause => return refuse(ImportStateConflict::NotRunning),
        ImportRunAction::Resume if import.state == S::Paused => {
            (S::Running, ImportStateChange::default(), AuditedAction::ResumeImport)
        }
        ImportRunAction::Resume => return refuse(ImportStateConflict::NotPaused),
        ImportRunAction::Undo if !matches!(import.state, S::Done | S::Paused | S::Running) => {
            return refuse(ImportStateConflict::NeverStarted);
        }
        ImportRunAction::Undo if !may_undo_import(&import, now) => {
            return Err(refuse_import(ImportProblem::TooLate));
        }
        // From the last line to the first; an interrupted undo continues where it stopped.
        ImportRunAction::Undo => {
            let position = (import.counts.reverted_lines() == 0).then_some(i32::MAX);
            (
                S::Undoing,
                ImportStateChange { position, ..ImportStateChange::default() },
                AuditedAction::BeginImportUndo,
            )
        }
    };
    let change = ImportStateChange { acting: Some(request.caller.user), ..change };
    imports::update_import_state(tx, tenant, code, (to, now), &change).await?;
    let entry = audit::AuditEntry {
        tenant,
        at: now,
        user: request.caller.user,
        operation: if to == S::Undoing { UNDO } else { RUN },
        person: None,
        change: AuditedChange::new(action, AuditedRecordKind::Import, code.get()),
    };
    audit::append_audit_entry(tx, &entry).await?;
    imports::find_import_run(&mut *tx, tenant, code, None).await?.ok_or_else(|| refuse_unknown_import(code))
}

/// The current mapping with the requested changes.
fn merge_mapping(import: &StoredImportRun, requested: &[(String, String)]) -> Result<Vec<String>, Error> {
    let mut mapping = import.mapping.clone();
    let mut problems = Vec::new();
    for (header, field) in requested {
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

/// Every required field must have a column.
fn require_mapped_fields(import: &StoredImportRun) -> Result<(), Error> {
    let is_mapped = |name: &str| import.mapping.iter().any(|field| field == name);
    let needed =
        list_import_fields(import.kind).iter().filter(|column| column.required && !is_mapped(column.name));
    let missing: Vec<&'static str> = needed.map(|column| column.label).collect();
    if missing.is_empty() { Ok(()) } else { Err(refuse_import(ImportProblem::NotMapped(missing))) }
}
