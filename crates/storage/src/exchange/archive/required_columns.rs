//! Which columns are required, parsed from the migrations, so that rows of an archive can be validated before the
//! database rejects them.

use super::tables::ArchiveTable;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnRequirement {
    Always,
    /// Has a default, for rows of a schema without the column.
    AllOrNone,
}

/// A column of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SchemaColumn {
    need: Option<ColumnRequirement>,
}

pub(super) type SchemaTables = BTreeMap<String, BTreeMap<String, SchemaColumn>>;

/// Every table of a schema with its columns.
pub(super) fn parse_schema_tables(texts: impl Iterator<Item = &'static str>) -> SchemaTables {
    let mut tables = SchemaTables::new();
    for text in texts {
        let code: Vec<&str> = text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
        for statement in code.join("\n").split(';').map(str::trim) {
            if let Some((name, body)) =
                statement.strip_prefix("CREATE TABLE ").and_then(|rest| rest.split_once(" ("))
            {
                let columns = body.lines().map(str::trim).filter(|line| is_column_line(line));
                let columns = columns.filter_map(|line| {
                    Some((line.split_whitespace().next()?.to_owned(), parse_schema_column(line)))
                });
                tables.insert(name.to_owned(), columns.collect());
            } else if let Some(alteration) = statement.strip_prefix("ALTER TABLE ") {
                apply_alteration(&mut tables, alteration);
            }
        }
    }
    tables
}

fn is_column_line(line: &str) -> bool {
    !line.is_empty() && !["PRIMARY", "FOREIGN", "CHECK", ")"].iter().any(|word| line.starts_with(word))
}

fn apply_alteration(tables: &mut SchemaTables, alteration: &str) {
    let mut words = alteration.split_whitespace();
    let (table, verb, _, column) = (words.next(), words.next(), words.next(), words.next());
    let (Some(columns), Some(column)) = (table.and_then(|table| tables.get_mut(table)), column) else {
        return;
    };
    match verb {
        Some("ADD") => {
            columns.insert(column.to_owned(), parse_schema_column(alteration));
        }
        Some("DROP") => {
            columns.remove(column);
        }
        _ => {}
    }
}

fn parse_schema_column(line: &str) -> SchemaColumn {
    let need = match (line.contains("NOT NULL"), line.contains(" DEFAULT ")) {
        (true, false) => Some(ColumnRequirement::Always),
        (true, true) => Some(ColumnRequirement::AllOrNone),
        (false, _) => None,
    };
    SchemaColumn { need }
}

/// The required columns of a table, by position.
pub fn list_required_columns(table: &ArchiveTable) -> Vec<(usize, ColumnRequirement)> {
    static NEEDS: LazyLock<HashMap<String, BTreeMap<String, SchemaColumn>>> =
        LazyLock::new(|| parse_schema_tables(crate::schema_texts()).into_iter().collect());
    let Some(columns) = NEEDS.get(table.name) else { return Vec::new() };
    let need = |name: &str| columns.get(name).and_then(|schema_column| schema_column.need);
    table.columns.iter().enumerate().filter_map(|(at, column)| Some((at, need(column.name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::archive::list_archive_tables;

    #[test]
    fn what_must_be_there_is_what_the_schema_says() {
        let need = |table: &str, column: &str| {
            let table = list_archive_tables().iter().find(|one| one.name == table).unwrap();
            let at = table.column_position(column).unwrap();
            list_required_columns(table).into_iter().find(|(place, _)| *place == at).map(|(_, need)| need)
        };
        assert_eq!(need("users", "email"), Some(ColumnRequirement::Always));
        assert_eq!(need("receivers", "concurrency"), Some(ColumnRequirement::AllOrNone));
        assert_eq!(need("history", "reason"), None);
    }
}
