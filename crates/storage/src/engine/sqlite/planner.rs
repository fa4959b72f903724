//! Fixed statistics for the query planner of SQLite. Without statistics it assumes ten rows per tenant and scans a
//! tenant instead of using an index. ANALYZE would depend on the current data of each database; with fixed statistics
//! every database uses the plans that were tested.

use rusqlite::Connection;

/// Rows of every table, and of one tenant in it: a large tenant among some others.
const TABLE_ROWS: i64 = 1_000_000;
const TENANT_ROWS: i64 = 200_000;
/// Rows that share an identifying value: a document, a plate, a person.
const ROWS_PER_IDENTIFIER: i64 = 5;

/// Number of distinct values of a column within a tenant, for columns that do not identify a record.
const DISTINCT_VALUES: &[(&str, i64)] = &[
    ("launch_kind", 3),
    ("protection_group", 3),
    ("ordering", 4),
    ("entity", 5),
    ("kind", 5),
    ("situation", 6),
    ("state", 10),
    ("branch", 20),
    ("plan", 20),
    ("representative", 50),
    ("user_code", 50),
    ("consultant", 100),
    ("account", 100),
    ("block", 1_000),
    ("registered_on", 1_000),
    ("updated_on", 1_000),
    ("booked_on", 1_000),
    ("due_on", 1_000),
    ("original_due_on", 1_000),
    ("issued_on", 1_000),
    ("settled_on", 1_000),
    ("paid_on", 1_000),
    ("born_on", 10_000),
];

/// Writes the statistics that the planner reads when a connection opens.
pub fn write_planner_statistics(connection: &Connection) -> rusqlite::Result<()> {
    // Creates the table; its contents are replaced.
    connection.execute_batch("ANALYZE migrations; DELETE FROM sqlite_stat1")?;
    // The tables of the name index belong to FTS5 and are left out.
    let mut tables = connection.prepare(
        "SELECT name, sql FROM sqlite_schema
         WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'name_index%'",
    )?;
    let tables: Vec<(String, String)> =
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    for (table, made_by) in tables {
        let mut indexes = connection.prepare("SELECT name, origin FROM pragma_index_list(?1)")?;
        let indexes: Vec<(String, String)> = indexes
            .query_map([&table], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for (index, origin) in indexes {
            let mut columns = connection.prepare("SELECT name FROM pragma_index_info(?1) ORDER BY seqno")?;
            let columns: Vec<String> =
                columns.query_map([&index], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            // The key of a WITHOUT ROWID table uses the name of the table.
            let is_table = origin == "pk" && made_by.contains("WITHOUT ROWID");
            let name = if is_table { &table } else { &index };
            connection.execute(
                "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?2, ?3)",
                (&table, name, render_index_statistics(&columns)),
            )?;
        }
    }
    Ok(())
}

/// `1000000 200000 5 1`: the rows, and how many of them share the first column, the first two, and so on.
fn render_index_statistics(columns: &[String]) -> String {
    let mut shared = TABLE_ROWS;
    let mut text = TABLE_ROWS.to_string();
    for (at, column) in columns.iter().enumerate() {
        let parts = DISTINCT_VALUES.iter().find(|(name, _)| name == column).map(|(_, parts)| *parts);
        shared = match (column.as_str(), parts) {
            _ if at + 1 == columns.len() && at > 0 && parts.is_none() => 1,
            ("tenant", _) => shared.min(TENANT_ROWS),
            (_, Some(parts)) => (shared / parts).max(1),
            (_, None) => shared.min(ROWS_PER_IDENTIFIER),
        };
        text.push_str(&format!(" {shared}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_is_many_rows_and_a_plate_is_few() {
        let statistics = |columns: &[&str]| {
            render_index_statistics(&columns.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(statistics(&["tenant", "slot"]), "1000000 200000 1");
        assert_eq!(statistics(&["tenant", "plate_key", "slot"]), "1000000 200000 5 1");
        assert_eq!(statistics(&["tenant", "branch", "situation", "slot"]), "1000000 200000 10000 1666 1");
        assert_eq!(
            statistics(&["tenant", "ordering", "branch", "situation", "block"]),
            "1000000 200000 50000 2500 416 1"
        );
    }
}
