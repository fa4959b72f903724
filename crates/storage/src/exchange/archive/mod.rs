//! Export and import of a complete tenant, table by table: which columns are transferred, how they are read on one
//! snapshot, and how they are written. `tables.txt` lists every transferred table and column; exclusions are listed
//! here with their reason, and a test checks that every part of the schema is in one of the lists.

mod required_columns;

pub use required_columns::{ColumnRequirement, list_required_columns};

use crate::name_index::{self, NameIndexKind};
use crate::triggers::receivers::PauseReason;
use crate::{Db, Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{BranchCode, Moment, TenantId};
use std::sync::LazyLock;

/// A table whose rows are transferred.
#[derive(Debug, PartialEq, Eq)]
pub struct ArchiveTable {
    pub name: &'static str,
    /// The columns that order its rows, after the tenant.
    key: Vec<&'static str>,
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

/// Excluded tables and columns, as `table` or `table.column`, with the reason.
pub const LEFT_BEHIND: &[(&str, &str)] = &[
    ("migrations", "of the server's database"),
    ("settings", "of the server"),
    ("processes", "of the server"),
    ("jobs", "of the server: what is due there is due again here"),
    ("versions", "tells processes what they remember: begins anew"),
    ("login_failures", "counted by the server"),
    ("tokens", "whoever was logged in logs in again"),
    ("entrances", "whoever was about to enter begins again"),
    ("password_resets", "asked for again"),
    ("idempotency_keys", "answers to requests to the other server"),
    ("imports", "undone only where they were made; what they did is in the history"),
    ("import_lines", "of an import"),
    ("import_results", "of an import"),
    ("import_problems", "of an import"),
    ("loose_files", "bytes of the other server that no file vouches for"),
    ("leases", "of the process that delivered there"),
];

/// The excluded tables with rows of a tenant that are deleted together with it, in an order that respects references.
const GO_WITH_IT: &[&str] = &[
    "tokens",
    "entrances",
    "password_resets",
    "idempotency_keys",
    "import_problems",
    "import_results",
    "import_lines",
    "imports",
    "loose_files",
    "leases",
    "jobs",
    "login_failures",
];

/// Version numbers by which processes notice changes: they must never restart, so they are not deleted.
#[cfg(test)]
const STAYS_WITHOUT_IT: &[&str] = &["versions"];

impl ArchiveTable {
    /// The positions of the key columns.
    pub fn key_positions(&self) -> Vec<usize> {
        self.key.iter().filter_map(|name| self.column_position(name)).collect()
    }

    /// The position of a column.
    pub fn column_position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|one| one.name == column)
    }

    /// The next page of rows after a key.
    fn select_page(&self, tenant: TenantId, after: Option<Vec<SqlScalar>>) -> Statement {
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
        statement.append(&format!("ORDER BY {key} LIMIT ?"), [PAGE])
    }

    fn extract_key(&self, values: &[SqlScalar]) -> Vec<SqlScalar> {
        let place = |name: &&str| self.column_position(name).and_then(|at| values.get(at)).cloned();
        self.key.iter().filter_map(place).collect()
    }

    /// Rows per statement: both engines limit the number of parameters.
    fn rows_per_statement(&self) -> usize {
        (MOST_VALUES / (self.columns.len() + 1)).clamp(1, 200)
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
const PAGE: i64 = 1_000;
const MOST_VALUES: usize = 10_000;

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

/// Converts rows of an older archive: finished deliveries used to be in the outbox, with their state. The values of
/// former columns follow the current ones.
pub fn upgrade_archive_rows(
    table: &'static ArchiveTable,
    rows: Vec<Vec<SqlScalar>>,
) -> Vec<(&'static ArchiveTable, Vec<Vec<SqlScalar>>)> {
    let ended = list_archive_tables().iter().find(|one| table.name == "outbox" && one.name == "deliveries");
    let Some(ended) = ended else { return vec![(table, rows)] };
    let at = |name: &str| {
        let former = table.former.iter().position(|one| one.name == name);
        table.column_position(name).or(former.map(|at| table.columns.len() + at))
    };
    let value = |row: &[SqlScalar], name: &str| {
        at(name).and_then(|at| row.get(at)).cloned().unwrap_or(SqlScalar::Null)
    };
    let is_pending =
        |row: &Vec<SqlScalar>| matches!(value(row, "state"), SqlScalar::Null | SqlScalar::Int(1));
    let (pending, over): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_pending);
    let moved = over.iter().map(|row| {
        let moment = match value(row, "ended_at") {
            SqlScalar::Null => value(row, "created_at"),
            moment => moment,
        };
        let one = |column: &ArchiveColumn| {
            if column.name == "ended_at" { moment.clone() } else { value(row, column.name) }
        };
        ended.columns.iter().map(one).collect()
    });
    let moved = moved.collect();
    vec![(table, pending), (ended, moved)]
}

/// Passes every row of a tenant to `take`, table by table in pages, all from one snapshot. Each table is passed at
/// least once, even if empty. The snapshot stays open throughout, so the database must be opened with long enough
/// time limits.
pub async fn read_tenant_rows<E, F>(db: &Db, tenant: TenantId, take: F) -> Result<(), E>
where
    F: Fn(&'static ArchiveTable, Vec<Vec<SqlScalar>>) -> Result<(), E> + Send + Sync + 'static,
    E: From<Error> + Send + 'static,
{
    db.read(take, move |tx, take| {
        Box::pin(async move {
            for table in list_archive_tables() {
                read_table_rows(tx, tenant, table, take).await?;
            }
            Ok(())
        })
    })
    .await
}

async fn read_table_rows<E: From<Error>>(
    tx: &mut Tx,
    tenant: TenantId,
    table: &'static ArchiveTable,
    take: &(impl Fn(&'static ArchiveTable, Vec<Vec<SqlScalar>>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let mut after = None;
    loop {
        let rows = tx.fetch_all(table.select_page(tenant, after)).await?;
        let rows: Vec<Vec<SqlScalar>> =
            rows.iter().map(|row| parse_table_row(table, row)).collect::<Result<_, Error>>()?;
        let is_last = table.key.is_empty() || rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
        after = rows.last().map(|last| table.extract_key(last));
        take(table, rows)?;
        if is_last {
            return Ok(());
        }
    }
}

fn parse_table_row(table: &ArchiveTable, row: &Row) -> Result<Vec<SqlScalar>, Error> {
    let value = |column: &ArchiveColumn| {
        Ok(match column.kind {
            ArchiveColumnKind::Int | ArchiveColumnKind::Moment => row.get::<Option<i64>>(column.name)?.into(),
            ArchiveColumnKind::Flag => row.get::<Option<bool>>(column.name)?.into(),
            ArchiveColumnKind::Text => row.get::<Option<String>>(column.name)?.into(),
            ArchiveColumnKind::Bytes | ArchiveColumnKind::Sealed => {
                row.get::<Option<Vec<u8>>>(column.name)?.map_or(SqlScalar::Null, SqlScalar::Bytes)
            }
        })
    };
    table.columns.iter().map(value).collect()
}

/// The name indexes, which are engine-specific: they are rebuilt, not transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveNameIndex {
    Rows,
    Dependents,
    Leads,
}

impl ArchiveNameIndex {
    pub const ALL: [ArchiveNameIndex; 3] =
        [ArchiveNameIndex::Rows, ArchiveNameIndex::Dependents, ArchiveNameIndex::Leads];

    pub const fn name(self) -> &'static str {
        self.kind().table()
    }

    const fn kind(self) -> NameIndexKind {
        match self {
            ArchiveNameIndex::Rows => NameIndexKind::Rows,
            ArchiveNameIndex::Dependents => NameIndexKind::Dependents,
            ArchiveNameIndex::Leads => NameIndexKind::Leads,
        }
    }
}

/// Indexes the names of the next page of rows; returns the key of the last row, or `None` if there was none.
#[boxed::future]
pub async fn index_names(
    tx: &mut Tx,
    tenant: TenantId,
    names: ArchiveNameIndex,
    after: i64,
) -> Result<Option<i64>, Error> {
    let next = match names {
        ArchiveNameIndex::Rows => {
            "SELECT l.slot AS place, l.branch AS branch, p.name AS name FROM listing l
             JOIN people p ON p.tenant = l.tenant AND p.code = l.person
             WHERE l.tenant = $1 AND l.slot > $2 ORDER BY l.slot LIMIT $3"
        }
        ArchiveNameIndex::Dependents => {
            "SELECT code AS place, CAST(NULL AS BIGINT) AS branch, name FROM dependents
             WHERE tenant = $1 AND code > $2 ORDER BY code LIMIT $3"
        }
        ArchiveNameIndex::Leads => {
            "SELECT code AS place, branch, name FROM leads
             WHERE tenant = $1 AND code > $2 ORDER BY code LIMIT $3"
        }
    };
    let rows = tx.fetch_all(sql(next).arg(tenant).arg(after).arg(PAGE)).await?;
    let rows: Vec<(i32, Option<BranchCode>, String)> = rows
        .iter()
        .map(|row| Ok((row.get("place")?, row.get("branch")?, row.get("name")?)))
        .collect::<Result<_, Error>>()?;
    let named = rows.iter().map(|(place, branch, name)| (*place, *branch, name.as_str()));
    tx.execute_batch(name_index::insert_index_rows(names.kind(), tenant, named)).await?;
    Ok(rows.last().map(|(place, ..)| i64::from(*place)))
}

/// Which of these logins are already taken.
#[boxed::future]
pub async fn list_taken_logins(
    source: impl Into<ReadSource<'_>>,
    emails: &[String],
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT email FROM logins WHERE 1 = 1")
        .filter_in("email", emails.iter().map(String::as_str))
        .append_text("ORDER BY email");
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(|row| row.get("email")).collect()
}

/// Enables or disables a tenant.
#[boxed::future]
pub async fn update_tenant_active(tx: &mut Tx, tenant: TenantId, active: bool) -> Result<(), Error> {
    let statement = sql("UPDATE tenants SET active = $2 WHERE tenant = $1").arg(tenant).arg(active);
    tx.execute(statement).await.map(drop)
}

/// Deletes queues, possible in older archives, whose head is not pending.
#[boxed::future]
pub async fn delete_dangling_queues(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    let deletion = sql("DELETE FROM queues WHERE tenant = $1 AND NOT EXISTS (SELECT 1 FROM outbox o
         WHERE o.tenant = queues.tenant AND o.receiver = queues.receiver AND o.history_code = queues.head)");
    tx.execute(deletion.arg(tenant)).await.map(drop)
}

/// Rows deleted per unit of work.
const DISCARDED: i64 = 500;

/// Deletes some rows of a tenant from a table, and their names from the indexes; returns how many.
#[boxed::future]
pub async fn delete_some_rows(tx: &mut Tx, tenant: TenantId, table: &ArchiveTable) -> Result<u64, Error> {
    let Some(first) = table.key.first().copied() else {
        let all = format!("DELETE FROM {} WHERE tenant = ?", table.name);
        return tx.execute(Statement::empty().append(&all, [tenant])).await;
    };
    let index = match table.name {
        "listing" => Some(NameIndexKind::Rows),
        "dependents" => Some(NameIndexKind::Dependents),
        "leads" => Some(NameIndexKind::Leads),
        _ => None,
    };
    let key = table.key.join(", ");
    let key_query = format!("SELECT {key} FROM {} WHERE tenant = ? ORDER BY {key} LIMIT ?", table.name);
    if let Some(index) = index {
        let rows = tx
            .fetch_all(Statement::empty().append(&key_query, [SqlScalar::from(tenant), DISCARDED.into()]))
            .await?;
        let places: Vec<i32> = rows.iter().map(|row| row.get(first)).collect::<Result<_, Error>>()?;
        tx.execute_batch(
            places.into_iter().map(|place| name_index::delete_name(index, tenant, place)).collect(),
        )
        .await?;
    }
    let delete = format!("DELETE FROM {} WHERE tenant = ? AND ({key}) IN ({key_query})", table.name);
    let values: [SqlScalar; 3] = [tenant.into(), tenant.into(), DISCARDED.into()];
    tx.execute(Statement::empty().append(&delete, values)).await
}

/// Deletes the rows of a tenant that are not transferred.
#[boxed::future]
pub async fn delete_untransferred_rows(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    let delete =
        |table: &&str| Statement::empty().append(&format!("DELETE FROM {table} WHERE tenant = ?"), [tenant]);
    tx.execute_batch(GO_WITH_IT.iter().map(delete).collect()).await
}

/// Cancels the unsent mails of a tenant; returns how many.
#[boxed::future]
pub async fn cancel_waiting_mails(tx: &mut Tx, tenant: TenantId) -> Result<u64, Error> {
    let update = sql("UPDATE mails SET due_at = NULL WHERE tenant = $1 AND due_at IS NOT NULL").arg(tenant);
    tx.execute(update).await
}

/// Pauses every receiver of a tenant.
#[boxed::future]
pub async fn pause_receivers(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let paused = sql("UPDATE receivers SET paused_at = $2, paused_because = $3
         WHERE tenant = $1 AND paused_at IS NULL")
    .arg(tenant)
    .arg(now)
    .arg(PauseReason::ByHand.number());
    tx.execute(paused).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::required_columns::parse_schema_tables;
    use super::*;
    use std::collections::BTreeSet;

    /// A migration that adds a table or column must add it to `tables.txt` or `LEFT_BEHIND`.
    #[test]
    fn every_table_and_column_travels_or_is_left_behind_for_a_reason() {
        let mut listed: BTreeSet<String> = BTreeSet::new();
        for table in list_archive_tables() {
            for column in &table.columns {
                assert!(listed.insert(format!("{}.{}", table.name, column.name)), "{} twice", column.name);
            }
        }
        listed.extend(LEFT_BEHIND.iter().map(|(what, _)| (*what).to_owned()));
        let mut unknown = listed.clone();
        let mut forgotten = Vec::new();
        for (table, columns) in parse_schema_tables() {
            if unknown.remove(&table) {
                continue;
            }
            for column in columns.keys().filter(|column| *column != "tenant") {
                let name = format!("{table}.{column}");
                unknown.remove(&name);
                if !listed.contains(&name) {
                    forgotten.push(name);
                }
            }
        }
        assert!(forgotten.is_empty(), "neither travels nor is left behind: {forgotten:?}");
        assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
    }

    /// Discarding a partly imported tenant leaves nothing behind.
    #[test]
    fn whatever_stays_behind_and_is_of_a_tenant_goes_with_it() {
        for (table, columns) in parse_schema_tables() {
            let stays = LEFT_BEHIND.iter().any(|(name, _)| *name == table);
            let goes = GO_WITH_IT.contains(&table.as_str()) || STAYS_WITHOUT_IT.contains(&table.as_str());
            assert_eq!(goes, stays && columns.contains_key("tenant"), "{table}");
        }
    }

    #[test]
    fn a_table_is_read_behind_the_last_key_and_written_in_few_texts() {
        let table = list_archive_tables().iter().find(|table| table.name == "user_branches").unwrap();
        let page = table.select_page(TenantId::new(7), Some(vec![1.into(), 2.into()]));
        assert_eq!(
            page.text(),
            "SELECT user_code, branch FROM user_branches WHERE tenant = $1 AND (user_code, branch) > ($2, $3) \
             ORDER BY user_code, branch LIMIT $4"
        );
        let rows: Vec<Vec<SqlScalar>> = (0..202).map(|user| vec![user.into(), 1.into()]).collect();
        let inserts = table.build_inserts(TenantId::new(7), &rows);
        assert_eq!(inserts.iter().map(|one| one.values().len()).collect::<Vec<_>>(), [600, 3, 3]);
        assert_eq!(
            inserts[1].text(),
            "INSERT INTO user_branches (tenant, user_code, branch) VALUES ($1, $2, $3)"
        );
        let older = table.build_inserts(TenantId::new(7), &[vec![1.into(), SqlScalar::Null]]);
        assert_eq!(older[0].text(), "INSERT INTO user_branches (tenant, user_code) VALUES ($1, $2)");
    }

    /// A null value stays null: a column that no row fills keeps its default.
    #[test]
    fn no_column_that_may_be_null_has_another_default() {
        for text in crate::schema_texts() {
            let lines = text.lines().map(|line| line.split("--").next().unwrap());
            for line in lines.filter(|line| line.contains(" DEFAULT ")) {
                assert!(line.contains("NOT NULL DEFAULT"), "{line}");
            }
        }
    }
}
