//! Receives an upload: reads its temporary file line by line and stores the lines in short transactions. The import is visible only once it is complete; housekeeping deletes interrupted ones.

use super::action_refusals::{refuse_import, refuse_unknown_import};
use super::caller::ImportCaller;
use super::file::line_collector::SpreadsheetLine;
use super::file::read_lines::{is_workbook, read_lines};
use super::file::reading_watch::ReadingLimits;
use super::upload_spool::UploadSpool;
use app::idempotency::{self, IdempotentWrite, WriteOutcome};
use app::import_row::UNDO_FOR;
use app::{App, Error, HeavyWork};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ImportCode, ImportKind, ImportProblem,
    ImportState, Moment,
};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use storage::exchange::imports::change_state::{ImportStateChange, update_import_state};
use storage::exchange::imports::column_mappings::list_column_mappings;
use storage::exchange::imports::lines::insert_import_lines;
use storage::exchange::imports::runs::{
    ImportLineCounts, StoredImportRun, encode_text_list, find_import_run, insert_import_run,
};
use storage::exchange::imports::unconfirmed_imports::{
    UnconfirmedImport, delete_unfinished_import, list_unconfirmed_imports,
};
use storage::history::audit;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};
use tokio::sync::mpsc;
use wire::import_sheet::{fold_header, suggest_fields};

const LINES_PER_BATCH: usize = 500;
const BATCHES_READ_AHEAD: usize = 4;
/// How long to wait for a permit to read a workbook.
const PERMIT_WAIT: Duration = Duration::from_secs(20);
/// Maximum unconfirmed files of a tenant: the next one replaces the oldest.
const MOST_UNCONFIRMED: usize = 20;
/// A file still being read after this time counts as interrupted.
const READING_TIMEOUT: Duration = Duration::from_hours(1);

enum FileReadEvent {
    Headers(Vec<String>),
    Lines(Vec<(i32, String)>),
    End(Result<(), ImportProblem>),
}

/// Reads a complete upload; returns the import in the state `Ready`.
#[boxed::future]
pub async fn receive_upload(
    app: &App,
    caller: &ImportCaller,
    kind: ImportKind,
    file_name: &str,
    spool: UploadSpool,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    caller.authorize_import(kind)?;
    let mut file = spool.file;
    file.seek(SeekFrom::Start(0)).map_err(|error| Error::Defect(format!("a temporary file: {error}")))?;
    receive_local_file(app, caller, kind, file_name, file, once).await
}

/// The same for a file on this machine.
#[boxed::future]
pub async fn receive_local_file(
    app: &App,
    caller: &ImportCaller,
    kind: ImportKind,
    file_name: &str,
    mut file: File,
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    caller.authorize_import(kind)?;
    let (send, mut events) = mpsc::channel(BATCHES_READ_AHEAD);
    // A workbook is held in memory while it is read.
    let place = match is_workbook(&mut file).map_err(refuse_import)? {
        true => {
            let places = &app.heavy_work.workbook_readings;
            let place = places.acquire(caller.tenant(), PERMIT_WAIT).await;
            Some(place.ok_or(Error::NoPlace(HeavyWork::WorkbookReading))?)
        }
        false => None,
    };
    // If the client disconnects, this future is dropped, and the guard stops the reading thread.
    let cancel = ReadCancelGuard::default();
    let limits = ReadingLimits { clock: Arc::clone(&app.clock), cancelled: Arc::clone(&cancel.0) };
    let reading = tokio::task::spawn_blocking(move || {
        send_lines(file, limits, &send);
        drop(place);
    });
    let mut code = None;
    let mut total = 0;
    while let Some(event) = events.recv().await {
        match (event, code) {
            (FileReadEvent::Headers(headers), _) => {
                enforce_unconfirmed_limit(app, caller).await?;
                code = Some(insert_import(app, caller, kind, file_name, headers).await?);
            }
            (FileReadEvent::Lines(lines), Some(code)) => {
                total += lines.len() as i64;
                insert_lines(app, caller, code, lines).await?;
            }
            (FileReadEvent::End(Err(problem)), code) => {
                if let Some(code) = code {
                    delete_import(app, caller, code).await?;
                }
                return Err(refuse_import(problem));
            }
            (FileReadEvent::End(Ok(())), Some(code)) => {
                return complete_upload(app, caller, (code, total), once).await;
            }
            (FileReadEvent::Lines(_) | FileReadEvent::End(Ok(())), None) => break,
        }
    }
    drop(reading.await);
    Err(refuse_import(ImportProblem::Damaged))
}

/// Cancels the reading thread when it is dropped.
#[derive(Default)]
struct ReadCancelGuard(Arc<AtomicBool>);

impl Drop for ReadCancelGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn send_lines(file: File, limits: ReadingLimits, send: &mpsc::Sender<FileReadEvent>) {
    let mut batch = Vec::with_capacity(LINES_PER_BATCH);
    let ended = read_lines(file, limits, |line| match line {
        SpreadsheetLine::Headers(names) => send.blocking_send(FileReadEvent::Headers(names)).is_ok(),
        SpreadsheetLine::Cells(number, cells) => {
            let number = i32::try_from(number).unwrap_or(i32::MAX);
            batch.push((number, encode_text_list(&cells)));
            batch.len() < LINES_PER_BATCH
                || send.blocking_send(FileReadEvent::Lines(std::mem::take(&mut batch))).is_ok()
        }
    });
    if !batch.is_empty() && send.blocking_send(FileReadEvent::Lines(batch)).is_err() {
        return;
    }
    let _ = send.blocking_send(FileReadEvent::End(ended));
}

/// Deletes the oldest unconfirmed files if the limit is reached.
async fn enforce_unconfirmed_limit(app: &App, caller: &ImportCaller) -> Result<(), Error> {
    loop {
        let input = (caller.clone(), app.now());
        let outcome = app.db.write(WriteLane::foreground(caller.tenant()), input, |tx, (caller, now)| {
            Box::pin(discard_oldest_unconfirmed(tx, caller, *now))
        });
        match outcome.await? {
            UnconfirmedLimitOutcome::Free => return Ok(()),
            UnconfirmedLimitOutcome::Discarded(code) => delete_import(app, caller, code).await?,
            UnconfirmedLimitOutcome::AllReading => {
                return Err(refuse_import(ImportProblem::TooManyReading(MOST_UNCONFIRMED)));
            }
        }
    }
}

enum UnconfirmedLimitOutcome {
    Free,
    /// This import was discarded and can no longer be confirmed.
    Discarded(ImportCode),
    AllReading,
}

async fn discard_oldest_unconfirmed(
    tx: &mut Tx,
    caller: &ImportCaller,
    now: Moment,
) -> Result<UnconfirmedLimitOutcome, Error> {
    let tenant = caller.tenant();
    // The lines of older imports were already deleted.
    let waiting = list_unconfirmed_imports(&mut *tx, tenant, now.minus(UNDO_FOR)).await?;
    if waiting.len() < MOST_UNCONFIRMED {
        return Ok(UnconfirmedLimitOutcome::Free);
    }
    let is_discardable = |one: &&UnconfirmedImport| {
        one.state != ImportState::Reading || one.updated_at < now.minus(READING_TIMEOUT)
    };
    // A user's own files are discarded before those of others.
    let own_import = waiting.iter().filter(is_discardable).find(|one| one.user == caller.user);
    let Some(oldest) = own_import.or_else(|| waiting.iter().find(is_discardable)) else {
        return Ok(UnconfirmedLimitOutcome::AllReading);
    };
    let code = oldest.code;
    update_import_state(tx, tenant, code, (ImportState::Reading, now), &ImportStateChange::default()).await?;
    let entry = audit::AuditEntry {
        tenant,
        at: now,
        user: caller.user,
        operation: AuditedOperation::ReceiveImport,
        person: None,
        change: AuditedChange::new(AuditedAction::DiscardImport, AuditedRecordKind::Import, code.get()),
    };
    audit::append_audit_entry(tx, &entry).await?;
    Ok(UnconfirmedLimitOutcome::Discarded(code))
}

async fn insert_import(
    app: &App,
    caller: &ImportCaller,
    kind: ImportKind,
    file_name: &str,
    headers: Vec<String>,
) -> Result<ImportCode, Error> {
    let now = app.now();
    let file_name: String = file_name.chars().filter(|c| !c.is_control()).take(200).collect();
    let import = StoredImportRun {
        code: ImportCode::new(0),
        kind,
        state: ImportState::Reading,
        file_name,
        mapping: vec![String::new(); headers.len()],
        headers,
        triggers: false,
        branch: None,
        user: caller.user,
        acting: caller.user,
        total: 0,
        position: 0,
        counts: ImportLineCounts::default(),
        leased_until: Moment::from_millis(0),
        created_at: now,
        updated_at: now,
        started_at: None,
        finished_at: None,
    };
    let input = (caller.tenant(), import);
    app.db
        .write(WriteLane::foreground(caller.tenant()), input, |tx, (tenant, import)| {
            Box::pin(async move {
                let keys: Vec<String> = import.headers.iter().map(|header| fold_header(header)).collect();
                let remembered = list_column_mappings(&mut *tx, *tenant, import.kind, &keys).await?;
                let mapping = suggest_fields(import.kind, &import.headers, &remembered);
                let code = ImportCode::new(counters::reserve_number(tx, *tenant, Counter::Import).await?);
                insert_import_run(tx, *tenant, &StoredImportRun { code, mapping, ..import.clone() }).await?;
                Ok(code)
            })
        })
        .await
}

async fn insert_lines(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    lines: Vec<(i32, String)>,
) -> Result<(), Error> {
    let input = (caller.tenant(), code, lines);
    app.db
        .write(WriteLane::background(caller.tenant()), input, |tx, (tenant, code, lines)| {
            Box::pin(async move {
                Ok(tx.execute_batch(insert_import_lines(*tenant, *code, lines.iter().cloned())).await?)
            })
        })
        .await
}

async fn delete_import(app: &App, caller: &ImportCaller, code: ImportCode) -> Result<(), Error> {
    loop {
        let removed = app.db.write(
            WriteLane::background(caller.tenant()),
            (caller.tenant(), code),
            |tx, (tenant, code)| {
                Box::pin(async move {
                    Ok::<_, Error>(
                        delete_unfinished_import(tx, *tenant, *code, LINES_PER_BATCH as u64).await?,
                    )
                })
            },
        );
        if removed.await? {
            return Ok(());
        }
    }
}

struct CompletedUpload {
    caller: ImportCaller,
    code: ImportCode,
    total: i64,
    now: Moment,
}

async fn complete_upload(
    app: &App,
    caller: &ImportCaller,
    (code, total): (ImportCode, i64),
    once: IdempotentWrite<StoredImportRun>,
) -> Result<WriteOutcome<StoredImportRun>, Error> {
    let input = CompletedUpload { caller: caller.clone(), code, total, now: app.now() };
    let lane = WriteLane::foreground(caller.tenant());
    idempotency::write_idempotently(app, lane, once, input, |tx, ended| {
        Box::pin(write_completed_upload(tx, ended))
    })
    .await
}

async fn write_completed_upload(tx: &mut Tx, ended: &CompletedUpload) -> Result<StoredImportRun, Error> {
    let (tenant, code) = (ended.caller.tenant(), ended.code);
    let change = ImportStateChange { total: Some(ended.total), ..ImportStateChange::default() };
    update_import_state(tx, tenant, code, (ImportState::Ready, ended.now), &change).await?;
    let entry = audit::AuditEntry {
        tenant,
        at: ended.now,
        user: ended.caller.user,
        operation: AuditedOperation::ReceiveImport,
        person: None,
        change: AuditedChange::new(AuditedAction::ReceiveImport, AuditedRecordKind::Import, code.get())
            .with_argument(ended.total),
    };
    audit::append_audit_entry(tx, &entry).await?;
    find_import_run(&mut *tx, tenant, code, None).await?.ok_or_else(|| refuse_unknown_import(code))
}
