//! The lines of an import.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{ImportCode, TenantId};

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
