//! The problems of the lines of an import.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{ImportCode, TenantId};

const ROWS_PER_STATEMENT: usize = 100;

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
    rows.iter().map(parse_line_problem).collect()
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
    rows.iter().map(parse_line_problem).collect()
}

fn parse_line_problem(row: &Row) -> Result<StoredLineProblem, Error> {
    Ok(StoredLineProblem { line: row.get("line")?, header: row.get("header")?, text: row.get("text")? })
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
