//! Dry run: lines are checked on a read-only snapshot, and their problems are recorded.

use super::leased_import::LEASE;
use super::line_batch::LineBatchOutcome;
use super::line_errors::is_line_error;
use super::line_worker::ImportLineWorker;
use super::parsed_row::{ImportRecordDraft, ParsedImportRow};
use super::write_row::{extract_member_rows, write_row};
use app::import_row::{ImportRowOutcome, ImportUnitContext};
use app::members::dependents;
use app::members::import_rows::{MemberImportRow, import_members};
use app::register_snapshot::confirm_registers;
use app::sales::leads;
use app::{Error, benefits, registers};
use domain::{ImportKind, ImportProblem, Rejection};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use storage::exchange::imports::leases::advance_import;
use storage::exchange::imports::line_problems::insert_line_problems;
use storage::exchange::imports::runs::ImportLineCounts;
use storage::{Tx, WriteLane};

/// Lines checked concurrently.
const CONCURRENT_CHECKS: usize = 8;

/// Checks lines and stores their problems.
pub(super) async fn dry_run_lines(
    worker: &ImportLineWorker<'_>,
    parsed_rows: Vec<ParsedImportRow>,
    position: i32,
) -> Result<LineBatchOutcome, Error> {
    let rows = parsed_rows.iter().filter_map(|one| one.row.clone()).collect();
    let outcomes = if worker.kind == ImportKind::Members {
        try_members(worker, rows).await?
    } else {
        try_rows(worker, rows).await?
    };
    let mut outcomes = outcomes.into_iter();
    let (mut counts, mut problems) = (ImportLineCounts::default(), Vec::new());
    for mut one in parsed_rows {
        let written = one.row.as_ref().and_then(|_| outcomes.next());
        if let Some(ImportRowOutcome::Refused(rejections)) = &written {
            let reported_headers: Vec<_> =
                one.problems.iter().map(|problem| problem.header.clone()).collect();
            let more = worker.parser.names.describe_rejections(one.line, rejections);
            one.problems.extend(
                more.into_iter().filter(|problem| {
                    problem.header.is_none() || !reported_headers.contains(&problem.header)
                }),
            );
        }
        // A record that would be created has no code yet.
        let known = written.as_ref().and_then(ImportRowOutcome::record).filter(|record| *record != 0);
        if let Some(record) = known.filter(|_| worker.kind != ImportKind::Members)
            && let [(line, first)] = worker.context.record_lines.insert_lines([(record, one.line)])[..]
        {
            let duplicate = [Rejection::Import(ImportProblem::SameRecord(first))];
            one.problems.extend(worker.parser.names.describe_rejections(line, &duplicate));
        }
        match written {
            _ if !one.problems.is_empty() => counts.refused += 1,
            Some(ImportRowOutcome::Created { .. }) => counts.created += 1,
            Some(ImportRowOutcome::Changed { .. }) => counts.changed += 1,
            Some(ImportRowOutcome::Same { .. }) => counts.same += 1,
            Some(ImportRowOutcome::Refused(_)) | None => counts.refused += 1,
        }
        problems.extend(one.problems);
    }
    let unit = (worker.lease, position, worker.app.now().plus(LEASE), counts, problems);
    let lane = WriteLane::background(worker.lease.tenant);
    let write = worker.app.db.write(lane, unit, |tx, (lease, position, until, counts, problems)| {
        Box::pin(async move {
            if !advance_import(tx, lease, (*position, *until), counts).await? {
                return Ok::<_, Error>(false);
            }
            tx.execute_batch(insert_line_problems(lease.tenant, lease.code, problems)).await?;
            Ok(true)
        })
    });
    Ok(if write.await? { LineBatchOutcome::Done(Vec::new()) } else { LineBatchOutcome::LeaseLost })
}

async fn try_members(
    worker: &ImportLineWorker<'_>,
    rows: Vec<ImportRecordDraft>,
) -> Result<Vec<ImportRowOutcome>, Error> {
    let rows = extract_member_rows(rows);
    match try_member_batch(worker, rows.clone()).await {
        Err(error) if is_line_error(&error) => {}
        other => return other,
    }
    // One line cannot be checked; the others can, one by one.
    let mut outcomes = Vec::with_capacity(rows.len());
    for row in rows {
        match try_member_batch(worker, vec![row]).await {
            Ok(checked) => outcomes.extend(checked),
            Err(error) if is_line_error(&error) => outcomes.push(refuse_failed_line(worker, &error)),
            Err(error) => return Err(error),
        }
    }
    Ok(outcomes)
}

/// The outcome of a line that fails for a reason that is no rule.
fn refuse_failed_line(worker: &ImportLineWorker<'_>, error: &Error) -> ImportRowOutcome {
    tracing::error!(%error, import = %worker.lease.code, "a line could not be checked");
    ImportRowOutcome::Refused(vec![Rejection::Import(ImportProblem::LineFailed)])
}

async fn try_member_batch(
    worker: &ImportLineWorker<'_>,
    rows: Vec<MemberImportRow>,
) -> Result<Vec<ImportRowOutcome>, Error> {
    let input = (worker.context.clone(), rows);
    let read = worker.app.db.read(input, |tx, (context, rows)| {
        Box::pin(async move {
            confirm_registers(tx, context.scope.tenant(), &context.registers).await?;
            import_members(tx, context, rows).await
        })
    });
    read.await
}

/// Each row uses its own snapshot; the first attempted write ends the dry run.
async fn try_rows(
    worker: &ImportLineWorker<'_>,
    rows: Vec<ImportRecordDraft>,
) -> Result<Vec<ImportRowOutcome>, Error> {
    let outcomes = rows.into_iter().map(|row| {
        let input = (worker.context.clone(), row);
        let read = worker.app.db.read(input, |tx, (context, row)| Box::pin(try_row(tx, context, row)));
        async move {
            match read.await {
                Ok(written) | Err(DryRunInterruption::WouldWrite(written)) => Ok(written),
                Err(DryRunInterruption::Failed(error)) if is_line_error(&error) => {
                    Ok(refuse_failed_line(worker, &error))
                }
                Err(DryRunInterruption::Failed(error)) => Err(error),
            }
        }
    });
    stream::iter(outcomes).buffered(CONCURRENT_CHECKS).try_collect().await
}

/// How the dry run of a row ended.
enum DryRunInterruption {
    /// The row is valid and would be written. The transaction ends here, because one of its statements failed.
    WouldWrite(ImportRowOutcome),
    Failed(Error),
}

impl<E: Into<Error>> From<E> for DryRunInterruption {
    fn from(error: E) -> DryRunInterruption {
        DryRunInterruption::Failed(error.into())
    }
}

async fn try_row(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &ImportRecordDraft,
) -> Result<ImportRowOutcome, DryRunInterruption> {
    confirm_registers(tx, context.scope.tenant(), &context.registers).await?;
    let known = match row {
        ImportRecordDraft::Member(_) => None,
        ImportRecordDraft::Vehicle(row) => {
            benefits::import_rows::find_imported_benefit(tx, context, row).await?
        }
        ImportRecordDraft::Dependent(row) => {
            dependents::import_rows::find_imported_dependent(tx, context, row).await?
        }
        ImportRecordDraft::Lead(row) => {
            Box::pin(leads::import_rows::find_imported_lead(tx, context, row)).await?
        }
        ImportRecordDraft::Register(row) => {
            registers::import_rows::find_imported_record(tx, context, row).await?
        }
        // Money is never changed by a later line, only added.
        ImportRecordDraft::Title(_) | ImportRecordDraft::OpeningBalance(_) => None,
    };
    match Box::pin(write_row(tx, context, row)).await {
        Err(Error::Refused(problems)) => Ok(ImportRowOutcome::Refused(problems)),
        // No rule rejected the row before its first write.
        Err(Error::Storage(storage::Error::ReadOnlyTransaction(_))) => {
            Err(DryRunInterruption::WouldWrite(match known {
                Some(record) => ImportRowOutcome::Changed { record, before: String::new(), version: 0 },
                None => ImportRowOutcome::Created { record: 0, version: 0, joined: None },
            }))
        }
        Err(error) => Err(DryRunInterruption::Failed(error)),
        Ok(written) => Ok(written),
    }
}
