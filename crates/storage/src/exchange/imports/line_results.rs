//! The results of the lines of an import, and the records that an undo did not revert.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{ImportCode, ImportOutcome, TenantId};

const ROWS_PER_STATEMENT: usize = 100;

/// The result of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLineResult {
    pub line: i32,
    pub outcome: ImportOutcome,
    pub record: Option<i32>,
    pub before: Option<String>,
    pub version: Option<i64>,
}

pub fn insert_line_results(
    tenant: TenantId,
    import: ImportCode,
    results: &[StoredLineResult],
) -> Vec<Statement> {
    let rows = results.iter().map(|one| -> [SqlScalar; 7] {
        [
            tenant.into(),
            import.into(),
            one.line.into(),
            one.outcome.into(),
            one.record.into(),
            one.before.as_deref().into(),
            one.version.into(),
        ]
    });
    let head = "INSERT INTO import_results (tenant, import, line, outcome, record, before, version) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// The last results before a line that can be undone, latest first.
#[boxed::future]
pub async fn list_line_results_before(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (before, limit): (i32, i64),
) -> Result<Vec<StoredLineResult>, Error> {
    let statement = sql("SELECT line, outcome, record, before, version FROM import_results
         WHERE tenant = $1 AND import = $2 AND line < $3")
    .arg(tenant)
    .arg(import)
    .arg(before)
    .filter_in("outcome", [ImportOutcome::Created, ImportOutcome::Changed])
    .append("ORDER BY line DESC LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredLineResult {
                line: row.get("line")?,
                outcome: row.get("outcome")?,
                record: row.get("record")?,
                before: row.get("before")?,
                version: row.get("version")?,
            })
        })
        .collect()
}

/// The records of the lines in a range, each with its line.
#[boxed::future]
pub async fn list_records_of_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, last): (i32, i32),
) -> Result<Vec<(i32, i32)>, Error> {
    let statement = sql(
        "SELECT record, line FROM import_results
         WHERE tenant = $1 AND import = $2 AND line > $3 AND line <= $4 AND record IS NOT NULL ORDER BY line",
    )
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(last);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("record")?, row.get("line")?))).collect()
}

/// A record that the undo did not revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRecord {
    pub line: i32,
    pub record: Option<i32>,
    pub because: String,
}

pub fn update_kept_reason(tenant: TenantId, import: ImportCode, line: i32, reason: &str) -> Statement {
    sql("UPDATE import_results SET kept_because = $4 WHERE tenant = $1 AND import = $2 AND line = $3")
        .arg(tenant)
        .arg(import)
        .arg(line)
        .arg(reason)
}

/// The records that the undo did not revert, after a line.
#[boxed::future]
pub async fn list_kept_records(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<KeptRecord>, Error> {
    let statement = sql(
        "SELECT line, record, kept_because FROM import_results
         WHERE tenant = $1 AND import = $2 AND line > $3 AND kept_because IS NOT NULL ORDER BY line LIMIT $4",
    )
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(limit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(KeptRecord {
                line: row.get("line")?,
                record: row.get("record")?,
                because: row.get("kept_because")?,
            })
        })
        .collect()
}
