//! Everything a database holds, as text: what two engines must agree on.

use storage::{Db, QueryWeight, SqlScalar, sql};

/// The tables, in the order in which they are dumped, with the columns that order their rows.
pub fn tables() -> Vec<(String, String)> {
    let mut tables = Vec::new();
    for part in storage::schema_texts().flat_map(|text| text.split("CREATE TABLE ").skip(1)) {
        let name = part.split_whitespace().next().unwrap().to_owned();
        let body = part.split(';').next().unwrap();
        let key = match body.split_once("    PRIMARY KEY (") {
            Some((_, rest)) => rest.split(')').next().unwrap().to_owned(),
            None => {
                let line = body.lines().find(|line| line.contains("PRIMARY KEY")).unwrap();
                line.split_whitespace().next().unwrap().to_owned()
            }
        };
        tables.push((name, key));
    }
    tables
}

/// Every row of every table but those that only say how and when this database was run.
pub async fn dump(db: &Db) -> String {
    let mut out = String::new();
    for (table, key) in tables() {
        if table != "processes" && table != "migrations" {
            out.push_str(&rows(db, &table, &key).await);
        }
    }
    out
}

/// Every row of one table.
pub async fn dump_table(db: &Db, table: &str) -> String {
    let (_, key) = tables().into_iter().find(|(name, _)| name == table).unwrap();
    rows(db, table, &key).await
}

/// What is in a database of activity counts as part of the database that it belongs to.
async fn rows(db: &Db, table: &str, key: &str) -> String {
    let is_about_accesses = |line: &String| line.contains(" | \"access\" | ");
    match (table, db.separate_activity()) {
        ("sightings", Some(activity)) => own_rows(activity, table, key).await.concat(),
        ("counters", Some(activity)) => {
            let mut lines = own_rows(db, table, key).await;
            lines.retain(|line| !is_about_accesses(line));
            lines.extend(own_rows(activity, table, key).await);
            lines.sort();
            lines.concat()
        }
        ("counters", None) => {
            let mut lines = own_rows(db, table, key).await;
            lines.sort();
            lines.concat()
        }
        // The name of the file of activity is a matter of chance.
        ("settings", _) => {
            let lines = own_rows(db, table, key).await;
            lines.into_iter().filter(|line| !line.contains("activity_file")).collect()
        }
        _ => own_rows(db, table, key).await.concat(),
    }
}

async fn own_rows(db: &Db, table: &str, key: &str) -> Vec<String> {
    let columns = columns(table);
    let select = sql("SELECT").append_text(&format!("{} FROM {table} ORDER BY {key}", columns.join(", ")));
    let rows = db.query(QueryWeight::Search, select).await.unwrap();
    let cells = |row: &storage::Row| -> Vec<String> {
        columns.iter().map(|name| cell(&row.get::<Cell>(name).unwrap().0)).collect()
    };
    rows.iter().map(|row| format!("{table}: {}\n", cells(row).join(" | "))).collect()
}

fn columns(table: &str) -> Vec<&'static str> {
    let (created, added) = (format!("CREATE TABLE {table} ("), format!("ALTER TABLE {table} ADD COLUMN "));
    let body =
        storage::schema_texts().find_map(|text| text.split_once(&created)).unwrap().1.split("\n)").next();
    let later = storage::schema_texts().flat_map(|text| text.split(&added).skip(1));
    let dropped = |column: &&str| {
        let dropped = format!("ALTER TABLE {table} DROP COLUMN {column};");
        storage::schema_texts().any(|text| text.contains(&dropped))
    };
    let lines = body.unwrap().lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .filter(|line| !["PRIMARY", "FOREIGN", "CHECK", "--"].iter().any(|start| line.starts_with(start)))
        .chain(later)
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|column| !dropped(column))
        .collect()
}

/// Any value, as it came.
struct Cell(SqlScalar);

impl storage::FromColumn for Cell {
    fn from_value(value: storage::SqlScalarRef<'_>) -> Option<Cell> {
        Some(Cell(value.to_owned()))
    }
}

fn cell(value: &SqlScalar) -> String {
    match value {
        // One engine keeps booleans as numbers.
        SqlScalar::Bool(flag) => i64::from(*flag).to_string(),
        SqlScalar::Int(number) => number.to_string(),
        SqlScalar::Null => "∅".to_owned(),
        SqlScalar::Text(text) => format!("{text:?}"),
        SqlScalar::Bytes(bytes) => format!("{bytes:02x?}"),
    }
}
