//! Writes a batch of lines in one transaction: their records, their results, and the position of the import.

use super::line_batch::{ImportLineBatch, LineBatchOutcome};
use super::write_row::{extract_member_rows, write_row};
use app::Error;
use app::import_row::ImportRowOutcome;
use app::members::import_rows::import_members;
use app::register_snapshot::confirm_registers;
use domain::ImportOutcome;
use storage::Tx;
use storage::exchange::imports::leases::advance_import;
use storage::exchange::imports::line_problems::insert_line_problems;
use storage::exchange::imports::line_results::{StoredLineResult, insert_line_results};
use storage::exchange::imports::runs::ImportLineCounts;

pub(super) async fn write_line_batch(
    tx: &mut Tx,
    batch: &ImportLineBatch,
) -> Result<LineBatchOutcome, Error> {
    let (lease, tenant) = (&batch.lease, batch.lease.tenant);
    if !advance_import(tx, lease, (batch.position, batch.until), &ImportLineCounts::default()).await? {
        return Ok(LineBatchOutcome::LeaseLost);
    }
    confirm_registers(tx, tenant, &batch.context.registers).await?;
    let written = match batch.members {
        true => import_members(tx, &batch.context, &extract_member_rows(batch.rows.clone())).await?,
        false => write_rows(tx, batch).await?,
    };
    let mut counts = ImportLineCounts { refused: batch.refused.len() as i64, ..ImportLineCounts::default() };
    let refused_line = |line: i32| StoredLineResult {
        line,
        outcome: ImportOutcome::Refused,
        record: None,
        before: None,
        version: None,
    };
    let mut results: Vec<StoredLineResult> = batch.refused.iter().copied().map(refused_line).collect();
    let mut problems = batch.problems.clone();
    for (line, written) in batch.lines.iter().copied().zip(written) {
        results.push(match written {
            ImportRowOutcome::Created { record, version, joined } => {
                counts.created += 1;
                StoredLineResult {
                    outcome: ImportOutcome::Created,
                    record: Some(record),
                    version: Some(version),
                    before: joined,
                    ..refused_line(line)
                }
            }
            ImportRowOutcome::Changed { record, before, version } => {
                counts.changed += 1;
                let outcome = ImportOutcome::Changed;
                StoredLineResult {
                    line,
                    outcome,
                    record: Some(record),
                    before: Some(before),
                    version: Some(version),
                }
            }
            ImportRowOutcome::Same { record } => {
                counts.same += 1;
                StoredLineResult { outcome: ImportOutcome::Same, record: Some(record), ..refused_line(line) }
            }
            ImportRowOutcome::Refused(rejections) => {
                counts.refused += 1;
                problems.extend(batch.names.describe_rejections(line, &rejections));
                refused_line(line)
            }
        });
    }
    problems.sort_by_key(|problem| problem.line);
    let mut statements = insert_line_results(tenant, lease.code, &results);
    statements.extend(insert_line_problems(tenant, lease.code, &problems));
    tx.execute_batch(statements).await?;
    advance_import(tx, lease, (batch.position, batch.until), &counts).await?;
    let records_by_line = results.iter().filter_map(|one| one.record.map(|record| (record, one.line)));
    Ok(LineBatchOutcome::Done(records_by_line.filter(|_| !batch.members).collect()))
}

async fn write_rows(tx: &mut Tx, batch: &ImportLineBatch) -> Result<Vec<ImportRowOutcome>, Error> {
    let mut context = batch.context.clone();
    let mut written = Vec::with_capacity(batch.rows.len());
    for (row, line) in batch.rows.iter().zip(&batch.lines) {
        let before = tx.write_count();
        let one = match Box::pin(write_row(tx, &context, row)).await {
            Err(Error::Refused(problems)) if tx.write_count() == before => {
                ImportRowOutcome::Refused(problems)
            }
            other => other?,
        };
        if let Some(record) = one.record() {
            context.record_lines.current.insert(record, *line);
        }
        written.push(one);
    }
    Ok(written)
}
