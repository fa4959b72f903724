//! One import transaction: the records of some lines, their results, and the position of the import, written
//! atomically.

use super::column_names::ImportColumnNames;
use super::map_row::ImportRecordDraft;
use super::{ImportLineCounts, ImportRowOutcome, ImportUnitContext, StoredLineProblem};
use app::members::{dependents, import_rows as members};
use app::register_snapshot::confirm_registers;
use app::sales::leads;
use app::{Error, benefits, registers};
use domain::{ImportOutcome, Moment};
use std::sync::Arc;
use storage::Tx;
use storage::exchange::imports::{self, LeasedImport, StoredLineResult};

pub(super) enum ImportUnitOutcome {
    /// Records and their lines.
    Done(Vec<(i32, i32)>),
    /// Another process took over the import.
    LeaseLost,
}

/// The input of one transaction.
pub(super) struct ImportUnit {
    pub lease: LeasedImport,
    pub context: ImportUnitContext,
    pub rows: Vec<ImportRecordDraft>,
    /// The line numbers of `rows`.
    pub lines: Vec<i32>,
    /// Lines without a valid record.
    pub refused: Vec<i32>,
    pub problems: Vec<StoredLineProblem>,
    pub position: i32,
    pub until: Moment,
    pub names: Arc<ImportColumnNames>,
    pub members: bool,
}

pub(super) async fn write_import_unit(tx: &mut Tx, unit: &ImportUnit) -> Result<ImportUnitOutcome, Error> {
    let (lease, tenant) = (&unit.lease, unit.lease.tenant);
    if !imports::advance_import(tx, lease, (unit.position, unit.until), &ImportLineCounts::default()).await? {
        return Ok(ImportUnitOutcome::LeaseLost);
    }
    confirm_registers(tx, tenant, &unit.context.registers).await?;
    let written = match unit.members {
        true => members::import_members(tx, &unit.context, &extract_member_rows(unit.rows.clone())).await?,
        false => write_rows(tx, unit).await?,
    };
    let mut counts = ImportLineCounts { refused: unit.refused.len() as i64, ..ImportLineCounts::default() };
    let refused_line = |line: i32| StoredLineResult {
        line,
        outcome: ImportOutcome::Refused,
        record: None,
        before: None,
        version: None,
    };
    let mut results: Vec<StoredLineResult> = unit.refused.iter().copied().map(refused_line).collect();
    let mut problems = unit.problems.clone();
    for (line, written) in unit.lines.iter().copied().zip(written) {
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
                problems.extend(unit.names.describe_rejections(line, &rejections));
                refused_line(line)
            }
        });
    }
    problems.sort_by_key(|problem| problem.line);
    let mut statements = imports::insert_line_results(tenant, lease.code, &results);
    statements.extend(imports::insert_line_problems(tenant, lease.code, &problems));
    tx.execute_batch(statements).await?;
    imports::advance_import(tx, lease, (unit.position, unit.until), &counts).await?;
    let records_by_line = results.iter().filter_map(|one| one.record.map(|record| (record, one.line)));
    Ok(ImportUnitOutcome::Done(records_by_line.filter(|_| !unit.members).collect()))
}

pub(super) fn extract_member_rows(rows: Vec<ImportRecordDraft>) -> Vec<members::MemberImportRow> {
    let member = |row: ImportRecordDraft| match row {
        ImportRecordDraft::Member(row) => Some(*row),
        _ => None,
    };
    rows.into_iter().filter_map(member).collect()
}

async fn write_rows(tx: &mut Tx, unit: &ImportUnit) -> Result<Vec<ImportRowOutcome>, Error> {
    let mut context = unit.context.clone();
    let mut written = Vec::with_capacity(unit.rows.len());
    for (row, line) in unit.rows.iter().zip(&unit.lines) {
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

async fn write_row(
    tx: &mut Tx,
    context: &ImportUnitContext,
    row: &ImportRecordDraft,
) -> Result<ImportRowOutcome, Error> {
    match row {
        ImportRecordDraft::Member(row) => {
            let rows = std::slice::from_ref(&**row);
            let written = members::import_members(tx, context, rows).await?.pop();
            written.ok_or_else(|| Error::Defect("an import row had no outcome".to_owned()))
        }
        ImportRecordDraft::Vehicle(row) => {
            benefits::import_rows::write_imported_benefit(tx, context, row).await
        }
        ImportRecordDraft::Dependent(row) => {
            dependents::import_rows::import_dependent(tx, context, row).await
        }
        ImportRecordDraft::Lead(row) => Box::pin(leads::import_rows::import_lead(tx, context, row)).await,
        ImportRecordDraft::Register(row) => registers::import_rows::import_record(tx, context, row).await,
    }
}

/// How the dry run of a row ended.
pub(super) enum DryRunInterruption {
    /// The row is valid and would be written. The transaction ends here, because one of its statements failed.
    WouldWrite(ImportRowOutcome),
    Failed(Error),
}

impl<E: Into<Error>> From<E> for DryRunInterruption {
    fn from(error: E) -> DryRunInterruption {
        DryRunInterruption::Failed(error.into())
    }
}

pub(super) async fn try_row(
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
