//! What stands in the file itself, for whoever looks at an import: its first lines, and the lines that a page speaks of.

use super::{ImportCaller, StoredImportRun};
use app::{App, Error};
use std::collections::BTreeMap;
use storage::exchange::imports;

/// The first lines with their cells, as examples of what the columns hold.
#[boxed::future]
pub async fn list_first_lines(
    app: &App,
    by: &ImportCaller,
    import: &StoredImportRun,
    limit: i64,
) -> Result<Vec<Vec<String>>, Error> {
    let lines = imports::list_import_lines(&app.db, by.tenant(), import.code, (0, limit)).await?;
    Ok(lines.iter().map(|(_, cells)| parse_cells(cells)).collect())
}

/// The cells of these lines, by line. Those that were swept are absent.
#[boxed::future]
pub async fn list_cells_by_line(
    app: &App,
    by: &ImportCaller,
    import: &StoredImportRun,
    lines: &[i32],
) -> Result<BTreeMap<i32, Vec<String>>, Error> {
    if lines.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = imports::list_cells_of_lines(&app.db, by.tenant(), import.code, lines).await?;
    Ok(found.iter().map(|(line, cells)| (*line, parse_cells(cells))).collect())
}

fn parse_cells(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}
