//! The lines of an import, their results and their problems.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, Tx, sql};
use domain::{ImportCode, ImportOutcome, TenantId};

const ROWS_PER_STATEMENT: usize = 100;

/// Stores lines of a file unchanged.
pub fn insert_import_lines(
    tenant: TenantId,
    import: ImportCode,
    lines: impl IntoIterator<Item = (i32, String)>,
) -> Vec<Statement> {
    let rows = lines
        .into_iter()
        .map(|(line, cells)| -> [SqlScalar; 4] { [tenant.into(), import.into(), line.into(), cells.into()] });
    build_inserts("INSERT INTO import_lines (tenant, import, line, cells) VALUES", ROWS_PER_STATEMENT, rows)
}

/// The next lines after a line, with their cells.
#[boxed::future]
pub async fn list_import_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<(i32, String)>, Error> {
    let statement =
        sql("SELECT line, cells FROM import_lines WHERE tenant = $1 AND import = $2 AND line > $3
         ORDER BY line LIMIT $4")
        .arg(tenant)
        .arg(import)
        .arg(after)
        .arg(limit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("line")?, row.get("cells")?))).collect()
}

#[boxed::future]
pub async fn list_cells_of_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    lines: &[i32],
) -> Result<Vec<(i32, String)>, Error> {
    let statement = sql("SELECT line, cells FROM import_lines WHERE tenant = $1 AND import = $2")
        .arg(tenant)
        .arg(import)
        .filter_in("line", lines.iter().copied())
        .append_text("ORDER BY line");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("line")?, row.get("cells")?))).collect()
}

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

/// A problem with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLineProblem {
    pub line: i32,
    /// The column name, if the problem concerns one column.
    pub header: Option<String>,
    pub text: String,
}

pub fn insert_line_problems(
    tenant: TenantId,
    import: ImportCode,
    problems: &[StoredLineProblem],
) -> Vec<Statement> {
    let (mut last, mut number) = (0, 0);
    let rows = problems.iter().map(|one| -> [SqlScalar; 6] {
        number = if one.line == last { number + 1 } else { 1 };
        last = one.line;
        let (header, text) = (one.header.as_deref(), one.text.as_str());
        [tenant.into(), import.into(), one.line.into(), number.into(), header.into(), text.into()]
    });
    let head = "INSERT INTO import_problems (tenant, import, line, number, header, text) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// Deletes some of the problems that a stage found, before it starts again; returns how many.
#[boxed::future]
pub async fn delete_line_problems(
    tx: &mut Tx,
    tenant: TenantId,
    import: ImportCode,
    limit: i64,
) -> Result<u64, Error> {
    let statement = sql("DELETE FROM import_problems WHERE tenant = $1 AND import = $2 AND line IN
         (SELECT DISTINCT line FROM import_problems WHERE tenant = $1 AND import = $2 ORDER BY line LIMIT $3)")
    .arg(tenant)
    .arg(import)
    .arg(limit);
    tx.execute(statement).await
}

/// The problems after a position, ordered by line and number.
#[boxed::future]
pub async fn list_line_problems(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<StoredLineProblem>, Error> {
    let statement = sql("SELECT line, header, text FROM import_problems
         WHERE tenant = $1 AND import = $2 AND line > $3 ORDER BY line, number LIMIT $4")
    .arg(tenant)
    .arg(import)
    .arg(after)
    .arg(limit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredLineProblem {
                line: row.get("line")?,
                header: row.get("header")?,
                text: row.get("text")?,
            })
        })
        .collect()
}

/// The problems of these lines, ordered by line and number.
#[boxed::future]
pub async fn list_problems_of_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    lines: &[i32],
) -> Result<Vec<StoredLineProblem>, Error> {
    let statement = sql("SELECT line, header, text FROM import_problems WHERE tenant = $1 AND import = $2")
        .arg(tenant)
        .arg(import)
        .filter_in("line", lines.iter().copied())
        .append_text("ORDER BY line, number");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredLineProblem {
                line: row.get("line")?,
                header: row.get("header")?,
                text: row.get("text")?,
            })
        })
        .collect()
}

/// The next lines with problems, after a line.
#[boxed::future]
pub async fn list_problem_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    import: ImportCode,
    (after, limit): (i32, i64),
) -> Result<Vec<i32>, Error> {
    let statement =
        sql("SELECT DISTINCT line FROM import_problems WHERE tenant = $1 AND import = $2 AND line > $3
         ORDER BY line LIMIT $4")
        .arg(tenant)
        .arg(import)
        .arg(after)
        .arg(limit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("line")).collect()
}

/// Records a code whose record was deleted.
pub fn insert_removed_code(tenant: TenantId, kind: &'static str, code: i32) -> Statement {
    sql("INSERT INTO removed_codes (tenant, kind, code) VALUES ($1, $2, $3) ON CONFLICT (tenant, kind, code) DO NOTHING")
        .arg(tenant)
        .arg(kind)
        .arg(code)
}

/// Which of these codes belonged to deleted records.
#[boxed::future]
pub async fn list_removed_codes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: &'static str,
    codes: &[i32],
) -> Result<Vec<i32>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT code FROM removed_codes WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .filter_in("code", codes.iter().copied());
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
