//! What is written together: the records of some lines, what became of each, and how far the import is; all of it or nothing.

use super::shaped::{Names, Row};
use super::{Counts, Doing, Problem, Written};
use crate::base::confirm;
use crate::people::imported as members;
use crate::{Error, benefits, dependents, leads, registering};
use domain::{ImportOutcome, Moment};
use std::sync::Arc;
use storage::Tx;
use storage::imports::{self, Lease, LineResult};

/// How a unit ended.
pub(super) enum Ended {
    /// The records, by the lines that meant them.
    Done(Vec<(i32, i32)>),
    /// The import is no longer ours.
    Lost,
}

/// What is written together.
pub(super) struct Unit {
    pub lease: Lease,
    pub doing: Doing,
    pub rows: Vec<Row>,
    /// The lines of the rows.
    pub lines: Vec<i32>,
    /// Lines that mean nothing.
    pub refused: Vec<i32>,
    pub problems: Vec<Problem>,
    pub position: i32,
    pub until: Moment,
    pub names: Arc<Names>,
    pub members: bool,
}

pub(super) async fn write_unit(tx: &mut Tx, unit: &Unit) -> Result<Ended, Error> {
    let (lease, tenant) = (&unit.lease, unit.lease.tenant);
    if !imports::advance(tx, lease, (unit.position, unit.until), &Counts::default()).await? {
        return Ok(Ended::Lost);
    }
    confirm(tx, tenant, &unit.doing.registers).await?;
    let written = match unit.members {
        true => members::write(tx, &unit.doing, &member_rows(unit.rows.clone())).await?,
        false => write_rows(tx, unit).await?,
    };
    let mut counts = Counts { refused: unit.refused.len() as i64, ..Counts::default() };
    let refused = |line: i32| LineResult {
        line,
        outcome: ImportOutcome::Refused,
        record: None,
        before: None,
        version: None,
    };
    let mut results: Vec<LineResult> = unit.refused.iter().copied().map(refused).collect();
    let mut problems = unit.problems.clone();
    for (line, written) in unit.lines.iter().copied().zip(written) {
        results.push(match written {
            Written::Created { record, version, joined } => {
                counts.created += 1;
                LineResult {
                    outcome: ImportOutcome::Created,
                    record: Some(record),
                    version: Some(version),
                    before: joined,
                    ..refused(line)
                }
            }
            Written::Changed { record, before, version } => {
                counts.changed += 1;
                let outcome = ImportOutcome::Changed;
                LineResult {
                    line,
                    outcome,
                    record: Some(record),
                    before: Some(before),
                    version: Some(version),
                }
            }
            Written::Same { record } => {
                counts.same += 1;
                LineResult { outcome: ImportOutcome::Same, record: Some(record), ..refused(line) }
            }
            Written::Refused(rejections) => {
                counts.refused += 1;
                problems.extend(unit.names.refused(line, &rejections));
                refused(line)
            }
        });
    }
    problems.sort_by_key(|problem| problem.line);
    let mut statements = imports::add_results(tenant, lease.code, &results);
    statements.extend(imports::add_problems(tenant, lease.code, &problems));
    tx.batch(statements).await?;
    imports::advance(tx, lease, (unit.position, unit.until), &counts).await?;
    let meant = results.iter().filter_map(|one| one.record.map(|record| (record, one.line)));
    Ok(Ended::Done(meant.filter(|_| !unit.members).collect()))
}

pub(super) fn member_rows(rows: Vec<Row>) -> Vec<members::Row> {
    let member = |row: Row| match row {
        Row::Member(row) => Some(*row),
        _ => None,
    };
    rows.into_iter().filter_map(member).collect()
}

async fn write_rows(tx: &mut Tx, unit: &Unit) -> Result<Vec<Written>, Error> {
    let mut doing = unit.doing.clone();
    let mut written = Vec::with_capacity(unit.rows.len());
    for (row, line) in unit.rows.iter().zip(&unit.lines) {
        let before = tx.writes();
        let one = match Box::pin(write_row(tx, &doing, row)).await {
            Err(Error::Refused(problems)) if tx.writes() == before => Written::Refused(problems),
            other => other?,
        };
        if let Some(record) = one.record() {
            doing.meant.here.insert(record, *line);
        }
        written.push(one);
    }
    Ok(written)
}

async fn write_row(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Error> {
    match row {
        Row::Member(row) => {
            let rows = std::slice::from_ref(&**row);
            let written = members::write(tx, doing, rows).await?.pop();
            written.ok_or_else(|| Error::Text("a line came to nothing".to_owned()))
        }
        Row::Vehicle(row) => benefits::imported::write(tx, doing, row).await,
        Row::Dependent(row) => dependents::imported::write(tx, doing, row).await,
        Row::Lead(row) => Box::pin(leads::imported::write(tx, doing, row)).await,
        Row::Register(row) => registering::imported::write(tx, doing, row).await,
    }
}

/// How a trial ended that went as far as writing.
pub(super) enum Stopped {
    /// It would have been written: the unit ends here, for a statement of it has failed.
    Would(Written),
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Stopped {
    fn from(error: E) -> Stopped {
        Stopped::Failed(error.into())
    }
}

pub(super) async fn try_row(tx: &mut Tx, doing: &Doing, row: &Row) -> Result<Written, Stopped> {
    confirm(tx, doing.scope.tenant(), &doing.registers).await?;
    let known = match row {
        Row::Member(_) => None,
        Row::Vehicle(row) => benefits::imported::find(tx, doing, row).await?,
        Row::Dependent(row) => dependents::imported::find(tx, doing, row).await?,
        Row::Lead(row) => Box::pin(leads::imported::find(tx, doing, row)).await?,
        Row::Register(row) => registering::imported::find(tx, doing, row).await?,
    };
    match Box::pin(write_row(tx, doing, row)).await {
        Err(Error::Refused(problems)) => Ok(Written::Refused(problems)),
        Err(error @ Error::Stale) => Err(Stopped::Failed(error)),
        Err(error) if error.is_passing() => Err(Stopped::Failed(error)),
        // Nothing spoke against it before it was to be written.
        Err(_) => Err(Stopped::Would(match known {
            Some(record) => Written::Changed { record, before: String::new(), version: 0 },
            None => Written::Created { record: 0, version: 0, joined: None },
        })),
        Ok(written) => Ok(written),
    }
}
