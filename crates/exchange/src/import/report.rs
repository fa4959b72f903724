//! Import reports: the problems by line, the failed lines as a file, and the records that an undo kept.

use super::caller::ImportCaller;
use super::find::load_import;
use crate::export::csv;
use app::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, ImportCode, TenantId};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use storage::WriteLane;
use storage::exchange::imports::line_problems::{
    StoredLineProblem, list_line_problems, list_problem_lines, list_problems_of_lines,
};
use storage::exchange::imports::line_results::{KeptRecord, list_kept_records};
use storage::exchange::imports::lines::list_cells_of_lines;
use storage::exchange::imports::runs::StoredImportRun;
use storage::history::audit;
use wire::import_sheet::REFUSAL_HEADER;

/// Lines of an error file read per query.
const LINES_PER_READ: i64 = 256;

/// A page of problems after a given line.
#[boxed::future]
pub async fn list_import_problems(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<StoredLineProblem>, Error> {
    load_import(app, caller, code).await?;
    Ok(list_line_problems(&app.db, caller.tenant(), code, (after, limit)).await?)
}

/// A page of records that the undo kept, after a given line.
#[boxed::future]
pub async fn list_kept_rows(
    app: &App,
    caller: &ImportCaller,
    code: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<KeptRecord>, Error> {
    load_import(app, caller, code).await?;
    Ok(list_kept_records(&app.db, caller.tenant(), code, (after, limit)).await?)
}

/// The file of failed lines, as a stream.
pub struct ImportErrorFile {
    /// The lines were already deleted: the file has only the headers.
    pub is_empty: bool,
    pub pieces: BoxStream<'static, Result<Vec<u8>, Error>>,
}

impl ImportErrorFile {
    #[boxed::future]
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        self.pieces.try_next().await
    }
}

/// The failed lines with their original columns and the reason, so that they can be corrected and imported again. The
/// CSV opens unchanged in a Brazilian spreadsheet. The download is audited, because it contains personal data.
#[boxed::future]
pub async fn open_error_file(
    app: &App,
    caller: &ImportCaller,
    import: &StoredImportRun,
) -> Result<ImportErrorFile, Error> {
    let first = read_error_file_piece(app, caller.tenant(), import, 0).await?;
    let is_empty = first.is_empty;
    if !is_empty {
        audit_error_file_download(app, caller, import.code).await?;
    }
    let (app, tenant, import) = (app.clone(), caller.tenant(), import.clone());
    let pieces = stream::try_unfold(ErrorFileCursor::Piece(first), move |next| {
        let (app, import) = (app.clone(), import.clone());
        async move {
            let piece = match next {
                ErrorFileCursor::Piece(piece) => piece,
                ErrorFileCursor::AfterLine(line) => {
                    read_error_file_piece(&app, tenant, &import, line).await?
                }
                ErrorFileCursor::End => return Ok(None),
            };
            Ok(Some((piece.bytes, piece.next.map_or(ErrorFileCursor::End, ErrorFileCursor::AfterLine))))
        }
    });
    Ok(ImportErrorFile { is_empty, pieces: pieces.boxed() })
}

async fn audit_error_file_download(app: &App, caller: &ImportCaller, code: ImportCode) -> Result<(), Error> {
    let entry = audit::AuditEntry {
        tenant: caller.tenant(),
        at: app.now(),
        user: caller.user,
        operation: AuditedOperation::DownloadImportErrors,
        person: None,
        change: AuditedChange::new(
            AuditedAction::DownloadImportErrors,
            AuditedRecordKind::Import,
            code.get(),
        ),
    };
    let lane = WriteLane::foreground(caller.tenant());
    let write = app.db.write(lane, entry, |tx, entry| {
        Box::pin(async move { Ok(audit::append_audit_entry(tx, entry).await?) })
    });
    write.await
}

enum ErrorFileCursor {
    Piece(ErrorFilePiece),
    AfterLine(i32),
    End,
}

/// A batch of lines, and the line after which the next batch starts.
struct ErrorFilePiece {
    bytes: Vec<u8>,
    is_empty: bool,
    next: Option<i32>,
}

async fn read_error_file_piece(
    app: &App,
    tenant: TenantId,
    import: &StoredImportRun,
    after: i32,
) -> Result<ErrorFilePiece, Error> {
    let code = import.code;
    let mut rows = Vec::new();
    let is_reason_column: Vec<bool> = import.headers.iter().map(|header| header == REFUSAL_HEADER).collect();
    if after == 0 {
        let headers = import.headers.iter().filter(|header| *header != REFUSAL_HEADER).cloned();
        rows.push(headers.chain([REFUSAL_HEADER.to_owned()]).collect());
    }
    let lines = list_problem_lines(&app.db, tenant, code, (after, LINES_PER_READ)).await?;
    let cells = list_cells_of_lines(&app.db, tenant, code, &lines).await?;
    let problems = list_problems_of_lines(&app.db, tenant, code, &lines).await?;
    let is_empty = cells.is_empty();
    for (line, cells) in cells {
        let cells: Vec<String> = serde_json::from_str(&cells).unwrap_or_default();
        let reasons =
            problems.iter().filter(|problem| problem.line == line).map(|problem| match &problem.header {
                Some(header) => format!("{header}: {}", problem.text),
                None => problem.text.clone(),
            });
        let reasons = reasons.collect::<Vec<_>>().join(" ");
        let original_cells = cells
            .into_iter()
            .zip(&is_reason_column)
            .filter(|(_, is_reason_column)| !**is_reason_column)
            .map(|(cell, _)| cell);
        rows.push(original_cells.chain([reasons]).collect());
    }
    let next = lines.last().copied().filter(|_| lines.len() as i64 == LINES_PER_READ);
    Ok(ErrorFilePiece { bytes: csv::encode_text_rows(&rows, after == 0)?, is_empty, next })
}
