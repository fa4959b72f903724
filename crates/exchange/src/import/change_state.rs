//! The actions of users on an import: each moves it to another state or is refused.

use super::action_refusals::{refuse_import, refuse_unknown_import};
use super::caller::ImportCaller;
use super::column_mapping::{ColumnMapping, merge_mapping, require_mapped_fields};
use super::undo_period::may_undo_import;
use app::idempotency::{self, IdempotentWrite, WriteOutcome};
use app::import_row::UNDO_FOR;
use app::register_snapshot::load_registers;
use app::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ImportCode, ImportProblem,
    ImportState, ImportStateConflict, InputField, Moment, Rejection,
};
use storage::exchange::imports::change_state::{ImportStateChange, update_import_state};
use storage::exchange::imports::column_mappings::upsert_column_mapping;
use storage::exchange::imports::runs::{StoredImportRun, find_import_run};
use storage::history::audit;
use storage::{Tx, WriteLane};
use wire::import_sheet::fold_header;
use wire::read::FieldPatch;

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
    app.import_wakeup.notify_one();
    Ok(outcome)
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
    let import = find_import_run(&mut *tx, tenant, code, request.caller.owner_filter())
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
                upsert_column_mapping(tenant, import.kind, &fold_header(header), field)
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
    update_import_state(tx, tenant, code, (to, now), &change).await?;
    let entry = audit::AuditEntry {
        tenant,
        at: now,
        user: request.caller.user,
        operation: if to == S::Undoing { AuditedOperation::UndoImport } else { AuditedOperation::RunImport },
        person: None,
        change: AuditedChange::new(action, AuditedRecordKind::Import, code.get()),
    };
    audit::append_audit_entry(tx, &entry).await?;
    find_import_run(&mut *tx, tenant, code, None).await?.ok_or_else(|| refuse_unknown_import(code))
}
