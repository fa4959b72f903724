//! Which tables and columns an archive has, read from `tables.txt`.

use crate::{SqlScalar, Statement, sql};
use domain::TenantId;
use std::sync::LazyLock;

/// A table whose rows are transferred.
#[derive(Debug, PartialEq, Eq)]
pub struct ArchiveTable {
    pub name: &'static str,
    /// The columns that order its rows, after the tenant.
    pub(super) key: Vec<&'static str>,
    pub columns: Vec<ArchiveColumn>,
    /// Dropped columns that archives of an older schema still contain.
    pub former: Vec<ArchiveColumn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveColumn {
    pub name: &'static str,
    pub kind: ArchiveColumnKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveColumnKind {
    Int,
    Flag,
    Text,
    Bytes,
    /// Milliseconds since 1970.
    Moment,
    /// Encrypted with the server's key, which is not transferred.
    Sealed,
}

impl ArchiveTable {
    /// Whether its rows are in the database of activity.
    pub fn is_activity(&self) -> bool {
        self.name == "sightings"
    }

    /// The positions of the key columns.
    pub fn key_positions(&self) -> Vec<usize> {
        self.key.iter().filter_map(|name| self.column_position(name)).collect()
    }

    /// The position of a column.
    pub fn column_position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|one| one.name == column)
    }

    /// The next page of rows after a key.
    pub(super) fn select_page(&self, tenant: TenantId, after: Option<Vec<SqlScalar>>) -> Statement {
        let columns: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let selection = format!("{} FROM {} WHERE tenant = ?", columns.join(", "), self.name);
        let mut statement = sql("SELECT").append(&selection, [tenant]);
        if self.key.is_empty() {
            return statement;
        }
        let key = self.key.join(", ");
        if let Some(after) = after {
            let marks = vec!["?"; after.len()].join(", ");
            statement = statement.append(&format!("AND ({key}) > ({marks})"), after);
        }
        statement.append(&format!("ORDER BY {key} LIMIT ?"), [ROWS_PER_READ])
    }

    pub(super) fn extract_key(&self, values: &[SqlScalar]) -> Vec<SqlScalar> {
        let place = |name: &&str| self.column_position(name).and_then(|at| values.get(at)).cloned();
        self.key.iter().filter_map(place).collect()
    }

    /// Rows per statement: both engines limit the number of parameters.
    fn rows_per_statement(&self) -> usize {
        (VALUES_PER_STATEMENT / (self.columns.len() + 1)).clamp(1, 200)
    }

    /// The INSERT statements for rows. A column that no row fills keeps its default: the archive may come from a
    /// schema without it.
    pub fn build_inserts(&self, tenant: TenantId, rows: &[Vec<SqlScalar>]) -> Vec<Statement> {
        let is_filled = |at: &usize| rows.iter().any(|row| row.get(*at) != Some(&SqlScalar::Null));
        let filled: Vec<usize> = (0..self.columns.len()).filter(is_filled).collect();
        let names = filled.iter().map(|at| format!(", {}", self.columns[*at].name));
        let head = format!("{} (tenant{}) VALUES", self.name, names.collect::<String>());
        let insert = |rows: &[Vec<SqlScalar>]| {
            let filled_values =
                |row: &Vec<SqlScalar>| filled.iter().map(|at| row[*at].clone()).collect::<Vec<SqlScalar>>();
            let complete_rows =
                rows.iter().map(|row| std::iter::once(tenant.into()).chain(filled_values(row)));
            sql("INSERT INTO").append_text(&head).append_rows(complete_rows)
        };
        let blocks = rows.chunks_exact(self.rows_per_statement());
        // The rest is inserted one by one, so that the engines cache only two prepared statements.
        let rest = blocks.remainder().chunks(1);
        blocks.chain(rest).map(insert).collect()
    }
}

/// Rows per read.
pub(super) const ROWS_PER_READ: i64 = 1_000;

const VALUES_PER_STATEMENT: usize = 10_000;

/// Every transferred table, each after the tables it references.
pub fn list_archive_tables() -> &'static [ArchiveTable] {
    static TABLES: LazyLock<Vec<ArchiveTable>> = LazyLock::new(|| parse_tables(include_str!("tables.txt")));
    &TABLES
}

fn parse_tables(text: &'static str) -> Vec<ArchiveTable> {
    let mut tables: Vec<ArchiveTable> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut rest = line;
        if !line.starts_with(' ') {
            let (head, columns) = line.split_once("] ").unwrap_or((line, ""));
            let (name, key) = head.split_once(" [").unwrap_or((head, ""));
            let key = key.split_whitespace().collect();
            tables.push(ArchiveTable { name, key, columns: Vec::new(), former: Vec::new() });
            rest = columns;
        }
        if let Some(table) = tables.last_mut() {
            for text in rest.split_whitespace() {
                match text.strip_prefix('~') {
                    Some(former) => table.former.push(parse_column(former)),
                    None => table.columns.push(parse_column(text)),
                }
            }
        }
    }
    tables
}

fn parse_column(text: &'static str) -> ArchiveColumn {
    let (name, kind) = text.split_once(':').unwrap_or((text, "int"));
    let kind = match kind {
        "flag" => ArchiveColumnKind::Flag,
        "text" => ArchiveColumnKind::Text,
        "bytes" => ArchiveColumnKind::Bytes,
        "moment" => ArchiveColumnKind::Moment,
        "sealed" => ArchiveColumnKind::Sealed,
        _ => ArchiveColumnKind::Int,
    };
    ArchiveColumn { name, kind }
}
