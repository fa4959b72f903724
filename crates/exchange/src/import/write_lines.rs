//! Writes parsed lines. If one of them cannot be written, each is written alone.

use super::leased_import::LEASE;
use super::line_batch::{ImportLineBatch, LineBatchOutcome};
use super::line_errors::is_line_error;
use super::line_worker::ImportLineWorker;
use super::parsed_row::ParsedImportRow;
use super::write_line_batch::write_line_batch;
use app::Error;
use app::import_row::ImportUnitContext;
use domain::{ImportKind, ImportProblem, Moment, Rejection};
use std::sync::Arc;
use storage::WriteLane;

/// Writes lines and the new position.
pub(super) async fn write_lines(
    worker: &ImportLineWorker<'_>,
    parsed_rows: Vec<ParsedImportRow>,
    position: i32,
) -> Result<LineBatchOutcome, Error> {
    let now = worker.app.now();
    let mut parsed_rows = parsed_rows;
    let batch = build_line_batch(worker, parsed_rows.clone(), position, now);
    let ended = match run_transaction(worker, batch).await {
        Err(error) if is_line_error(&error) && parsed_rows.len() > 1 => {
            // One line cannot be written and rolled back the others.
            for one in parsed_rows.drain(..) {
                let line = one.line;
                match write_single_line(worker, one, line, now).await? {
                    LineBatchOutcome::Done(records) => worker.context.record_lines.insert_lines(records),
                    LineBatchOutcome::LeaseLost => return Ok(LineBatchOutcome::LeaseLost),
                };
            }
            Ok(LineBatchOutcome::Done(Vec::new()))
        }
        Err(error) if is_line_error(&error) => match parsed_rows.pop() {
            Some(one) => write_single_line(worker, one, position, now).await,
            None => Err(error),
        },
        other => other,
    };
    if !worker.context.suppresses_triggers {
        worker.app.delivery_wakeup.notify_one();
    }
    ended
}

async fn write_single_line(
    worker: &ImportLineWorker<'_>,
    one: ParsedImportRow,
    position: i32,
    now: Moment,
) -> Result<LineBatchOutcome, Error> {
    let batch = build_line_batch(worker, vec![one.clone()], position, now);
    match run_transaction(worker, batch).await {
        Err(error) if is_line_error(&error) => {
            let rejections = match error {
                Error::Refused(rejections) => rejections,
                error => {
                    tracing::error!(%error, line = one.line, import = %worker.lease.code, "a line could not be written");
                    vec![Rejection::Import(ImportProblem::LineFailed)]
                }
            };
            let more = worker.parser.names.describe_rejections(one.line, &rejections);
            let problems = one.problems.into_iter().chain(more).collect();
            let refused_row = ParsedImportRow { line: one.line, row: None, problems, key: None };
            run_transaction(worker, build_line_batch(worker, vec![refused_row], position, now)).await
        }
        other => other,
    }
}

fn build_line_batch(
    worker: &ImportLineWorker<'_>,
    parsed_rows: Vec<ParsedImportRow>,
    position: i32,
    now: Moment,
) -> ImportLineBatch {
    let context = ImportUnitContext { now, ..worker.context.clone() };
    let mut batch = ImportLineBatch {
        lease: worker.lease,
        context,
        rows: Vec::new(),
        lines: Vec::new(),
        refused: Vec::new(),
        problems: Vec::new(),
        position,
        until: now.plus(LEASE),
        names: Arc::clone(&worker.parser.names),
        members: worker.kind == ImportKind::Members,
    };
    for one in parsed_rows {
        match one.row {
            Some(row) if one.problems.is_empty() => {
                batch.rows.push(row);
                batch.lines.push(one.line);
            }
            _ => batch.refused.push(one.line),
        }
        batch.problems.extend(one.problems);
    }
    batch
}

async fn run_transaction(
    worker: &ImportLineWorker<'_>,
    batch: ImportLineBatch,
) -> Result<LineBatchOutcome, Error> {
    let lane = WriteLane::background(worker.lease.tenant);
    worker.app.db.write(lane, batch, |tx, batch| Box::pin(write_line_batch(tx, batch))).await
}
