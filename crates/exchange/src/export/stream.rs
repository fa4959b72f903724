//! Streams an export: rows are read while earlier ones are sent. A slow client applies backpressure, and reading stops
//! when the client disconnects.

use super::cell_values::SpreadsheetCell;
use super::error::ListExportError;
use super::exportable_lists::ExportableList;
use super::list_columns::ColumnHeading;
use super::rows::ListRowReader;
use super::xlsx::WorkbookWriter;
use super::{audit, csv};
use app::audit::access_log;
use app::session::Session;
use app::{App, Error, HeavyWork, HeldPlace, register_snapshot};
use domain::{Sheet, TimeZone};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use wire::records::ExportacaoQuery;

/// The file name, the content type, and the stream of bytes.
pub struct ListExport {
    pub file_name: String,
    pub content_type: &'static str,
    /// An error aborts the stream, so that the client notices an incomplete file.
    pub bytes: mpsc::Receiver<Result<Vec<u8>, Error>>,
}

/// Chunks buffered for a slow client.
const BUFFERED_CHUNKS: usize = 4;
/// The access log is flushed after this many pages, so that it does not grow in memory.
const PAGES_PER_ACCESS_LOG_FLUSH: u32 = 50;
const CHUNK_BYTES: usize = 1 << 16;
/// How long a workbook waits for the client to accept one chunk.
const CLIENT_TIMEOUT: Duration = Duration::from_mins(1);
/// How long to wait for a permit to build a workbook.
const PATIENCE_FOR_A_PLACE: Duration = Duration::from_secs(10);

/// Permits of a workbook: `leaving` for its disk space, held until the client has received it, and `making` for its
/// construction, released earlier so that a slow client does not block others.
struct WorkbookPermits {
    making: HeldPlace,
    leaving: HeldPlace,
}

impl WorkbookPermits {
    async fn acquire(app: &App, caller: &Session) -> Result<WorkbookPermits, Error> {
        let (places, tenant) = (&app.heavy_work, caller.scope.tenant());
        let full = || Error::NoPlace(HeavyWork::WorkbookExport);
        let leaving = places.leaving_workbooks.try_acquire(tenant).ok_or_else(full)?;
        let making = places.workbook_exports.acquire(tenant, PATIENCE_FOR_A_PLACE).await.ok_or_else(full)?;
        Ok(WorkbookPermits { making, leaving })
    }
}

/// Starts an export. Invalid queries are refused here, before anything is sent.
#[boxed::future]
pub async fn start_list_export(
    app: &App,
    caller: &Arc<Session>,
    list: ExportableList,
    pairs: Vec<(String, String)>,
) -> Result<ListExport, ListExportError> {
    caller.require_role(list.roles)?;
    let caller = Arc::new(caller.within_operation(audit::OPERATION));
    let query: ExportacaoQuery = wire::read::read_query(pairs.iter().cloned())?;
    let format = query.format.into_set().unwrap_or(Sheet::Csv);
    let all = list.headings();
    let chosen = choose_columns(&all, query.columns.into_set().as_deref());
    let headings: Vec<ColumnHeading> = chosen.iter().map(|at| all[*at]).collect();
    let book = match format {
        Sheet::Csv => None,
        Sheet::Xlsx => Some(WorkbookPermits::acquire(app, &caller).await?),
    };
    let mut rows = ListRowReader::new(&list, pairs.clone(), chosen);
    let first = rows.next(app, &caller).await?.unwrap_or_default();
    audit::audit_export_start(app, &caller, &list, format, &pairs).await?;
    let zone = register_snapshot::load_registers(app, caller.scope.tenant()).await?.zone.clone();
    let (send, bytes) = mpsc::channel(BUFFERED_CHUNKS);
    let day = app.now().date_in(&zone).to_iso();
    let (extension, content_type) = match format {
        Sheet::Csv => ("csv", "text/csv; charset=utf-8"),
        Sheet::Xlsx => ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    };
    let export = ListExport { file_name: format!("{}-{day}.{extension}", list.name), content_type, bytes };
    let export_task = ListExportTask { app: app.clone(), caller, list, headings, zone, rows, send, book };
    tokio::spawn(export_task.run(format, first));
    Ok(export)
}

/// Indexes of the requested columns, in the order of the list; all columns if none of the names is known.
fn choose_columns(all: &[ColumnHeading], requested: Option<&str>) -> Vec<usize> {
    let requested: Vec<&str> =
        requested.unwrap_or_default().split([',', ' ']).filter(|name| !name.is_empty()).collect();
    let chosen: Vec<usize> = (0..all.len()).filter(|at| requested.contains(&all[*at].name)).collect();
    if chosen.is_empty() { (0..all.len()).collect() } else { chosen }
}

struct ListExportTask {
    app: App,
    caller: Arc<Session>,
    list: ExportableList,
    headings: Vec<ColumnHeading>,
    zone: TimeZone,
    rows: ListRowReader,
    send: mpsc::Sender<Result<Vec<u8>, Error>>,
    book: Option<WorkbookPermits>,
}

/// `false` if the client disconnected.
type ExportStreamOutcome = Result<bool, Error>;

impl ListExportTask {
    async fn run(mut self, format: Sheet, first: Vec<Vec<SpreadsheetCell>>) {
        let mut count = 0;
        let outcome = match format {
            Sheet::Csv => self.write_csv(first, &mut count).await,
            Sheet::Xlsx => self.write_xlsx(first, &mut count).await,
        };
        let is_complete = matches!(outcome, Ok(true));
        if let Err(error) = outcome {
            tracing::error!(%error, list = self.list.name, rows = count, "an export was aborted");
            let _ = self.send.send(Err(error)).await;
        }
        if let Err(error) =
            audit::audit_export_end(&self.app, &self.caller, &self.list, count, is_complete).await
        {
            tracing::error!(%error, list = self.list.name, rows = count, "the end of an export was not audited");
        }
    }

    async fn next_page(&mut self, pages: &mut u32) -> Result<Option<Vec<Vec<SpreadsheetCell>>>, Error> {
        *pages += 1;
        if pages.is_multiple_of(PAGES_PER_ACCESS_LOG_FLUSH) {
            access_log::flush_access_log(&self.app).await?;
        }
        match self.rows.next(&self.app, &self.caller).await {
            Ok(rows) => Ok(rows),
            Err(ListExportError::App(error)) => Err(error),
            Err(ListExportError::InvalidQuery(problems)) => {
                Err(Error::Defect(problems.into_lines().join(" ")))
            }
        }
    }

    async fn write_csv(&mut self, first: Vec<Vec<SpreadsheetCell>>, count: &mut u64) -> ExportStreamOutcome {
        let mut piece = csv::encode_header(&self.headings)?;
        let (mut rows, mut pages) = (Some(first), 0);
        while let Some(batch) = rows {
            piece.extend(csv::encode_rows(&batch, &self.zone)?);
            *count += batch.len() as u64;
            if self.send.send(Ok(std::mem::take(&mut piece))).await.is_err() {
                return Ok(false);
            }
            rows = self.next_page(&mut pages).await?;
        }
        Ok(true)
    }

    async fn write_xlsx(&mut self, first: Vec<Vec<SpreadsheetCell>>, count: &mut u64) -> ExportStreamOutcome {
        let folder: PathBuf = self.app.environment.data.clone().unwrap_or_else(std::env::temp_dir);
        let mut book =
            WorkbookWriter::new(self.list.title, &self.headings, &folder, (self.app.now(), &self.zone))?;
        let (mut rows, mut pages) = (Some(first), 0);
        while let Some(batch) = rows {
            if self.send.is_closed() {
                return Ok(false);
            }
            *count += batch.len() as u64;
            let zone = self.zone.clone();
            book = run_blocking(move || book.add_rows(&batch, &zone).map(|()| book)).await?;
            rows = self.next_page(&mut pages).await?;
        }
        let mut file = run_blocking(move || book.finish()).await?;
        // Construction is over; from here on only the client's speed matters.
        let _leaving = self.book.take().map(|WorkbookPermits { making, leaving }| {
            drop(making);
            leaving
        });
        loop {
            let piece;
            (file, piece) = run_blocking(move || {
                let mut piece = vec![0; CHUNK_BYTES];
                let read = file.read(&mut piece).map_err(|error| Error::Defect(error.to_string()))?;
                piece.truncate(read);
                Ok((file, piece))
            })
            .await?;
            if piece.is_empty() {
                return Ok(true);
            }
            // A client that accepts nothing for this long counts as disconnected.
            match tokio::time::timeout(CLIENT_TIMEOUT, self.send.send(Ok(piece))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Ok(false),
            }
        }
    }
}

/// Runs file operations outside the async threads.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Defect(error.to_string())))
}
