//! Cells of the uploaded file for the import pages: its first lines, and the lines shown on a page.

use super::caller::ImportCaller;
use app::{App, Error};
use std::collections::BTreeMap;
use storage::exchange::imports::lines::{list_cells_of_lines, list_import_lines};
use storage::exchange::imports::runs::StoredImportRun;

/// The first lines, as examples for the column mapping.
#[boxed::future]
pub async fn list_first_lines(
    app: &App,
    caller: &ImportCaller,
    import: &StoredImportRun,
    limit: i64,
) -> Result<Vec<Vec<String>>, Error> {
    let lines = list_import_lines(&app.db, caller.tenant(), import.code, (0, limit)).await?;
    Ok(lines.iter().map(|(_, cells)| parse_cells(cells)).collect())
}

/// The cells of these lines. Lines that were already deleted are absent.
#[boxed::future]
pub async fn list_cells_by_line(
    app: &App,
    caller: &ImportCaller,
    import: &StoredImportRun,
    lines: &[i32],
) -> Result<BTreeMap<i32, Vec<String>>, Error> {
    if lines.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = list_cells_of_lines(&app.db, caller.tenant(), import.code, lines).await?;
    Ok(found.iter().map(|(line, cells)| (*line, parse_cells(cells))).collect())
}

fn parse_cells(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}
