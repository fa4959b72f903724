//! What stands in the file itself, for whoever looks at an import: its first lines, and the lines that a page speaks of.

use super::{By, Import};
use crate::{App, Error};
use std::collections::BTreeMap;
use storage::imports;

/// The first lines with their cells, as examples of what the columns hold.
#[boxed::future]
pub async fn first_lines(app: &App, by: &By, import: &Import, limit: i64) -> Result<Vec<Vec<String>>, Error> {
    let lines = imports::lines(&app.db, by.tenant(), import.code, (0, limit)).await?;
    Ok(lines.iter().map(|(_, cells)| cells_of(cells)).collect())
}

/// The cells of these lines, by line. Those that were swept are absent.
#[boxed::future]
pub async fn cells(
    app: &App,
    by: &By,
    import: &Import,
    lines: &[i32],
) -> Result<BTreeMap<i32, Vec<String>>, Error> {
    if lines.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = imports::cells_at(&app.db, by.tenant(), import.code, lines).await?;
    Ok(found.iter().map(|(line, cells)| (*line, cells_of(cells))).collect())
}

fn cells_of(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_default()
}
