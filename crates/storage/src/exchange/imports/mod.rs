//! Imports of files: their lines, results and progress. Cells and undo snapshots are personal data;
//! `server/housekeeping.rs` deletes them once the import can no longer be undone.

mod lines;

pub use lines::{
    KeptRecord, StoredLineProblem, StoredLineResult, delete_line_problems, insert_import_lines,
    insert_line_problems, insert_line_results, insert_removed_code, list_cells_of_lines, list_import_lines,
    list_kept_records, list_line_problems, list_line_results_before, list_problem_lines,
    list_problems_of_lines, list_records_of_lines, list_removed_codes, update_kept_reason,
};

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{BranchCode, ImportCode, ImportKind, ImportState, Moment, TenantId, UserCode};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredImportRun {
    pub code: ImportCode,
    pub kind: ImportKind,
    pub state: ImportState,
    pub file_name: String,
    /// The column names.
    pub headers: Vec<String>,
    /// The target field of each column; empty for none.
    pub mapping: Vec<String>,
    pub triggers: bool,
    /// The branch of new records whose line names none.
    pub branch: Option<BranchCode>,
    pub user: Option<UserCode>,
    /// The user who requested the current stage; `None` for a command.
    pub acting: Option<UserCode>,
    /// Non-empty lines.
    pub total: i64,
    /// The last line that the current stage has processed.
    pub position: i32,
    pub counts: ImportLineCounts,
    pub leased_until: Moment,
    pub created_at: Moment,
    pub updated_at: Moment,
    pub started_at: Option<Moment>,
    pub finished_at: Option<Moment>,
}

/// Lines by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportLineCounts {
    pub created: i64,
    pub changed: i64,
    pub same: i64,
    pub refused: i64,
    /// By the undo.
    pub removed: i64,
    pub restored: i64,
    pub kept: i64,
}

impl ImportLineCounts {
    /// Lines processed by the run or dry run.
    pub fn processed_lines(&self) -> i64 {
        self.created + self.changed + self.same + self.refused
    }

    /// Lines processed by the undo.
    pub fn reverted_lines(&self) -> i64 {
        self.removed + self.restored + self.kept
    }
}

const COLUMNS: &str =
    "code, kind, state, file_name, headers, mapping, triggers, branch, user_code, acting_user, total, position,
     created, changed, same, refused, removed, restored, kept, leased_until, created_at, updated_at, started_at, finished_at";

fn parse_import_run(row: &Row) -> Result<StoredImportRun, Error> {
    Ok(StoredImportRun {
        code: row.get("code")?,
        kind: row.get("kind")?,
        state: row.get("state")?,
        file_name: row.get("file_name")?,
        headers: parse_text_list(&row.get::<String>("headers")?)?,
        mapping: parse_text_list(&row.get::<String>("mapping")?)?,
        triggers: row.get("triggers")?,
        branch: row.get("branch")?,
        user: row.get("user_code")?,
        acting: row.get("acting_user")?,
        total: row.get("total")?,
        position: row.get("position")?,
        counts: ImportLineCounts {
            created: row.get("created")?,
            changed: row.get("changed")?,
            same: row.get("same")?,
            refused: row.get("refused")?,
            removed: row.get("removed")?,
            restored: row.get("restored")?,
            kept: row.get("kept")?,
        },
        leased_until: row.get("leased_until")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
    })
}

/// Encodes a list of texts for a column.
pub fn encode_text_list(list: &[String]) -> String {
    serde_json::Value::from(list).to_string()
}

fn parse_text_list(text: &str) -> Result<Vec<String>, Error> {
    serde_json::from_str(text).map_err(|_| Error::Broken("a list is kept that cannot be read".to_owned()))
}

/// Stores an import before its file is read.
#[boxed::future]
pub async fn insert_import_run(tx: &mut Tx, tenant: TenantId, one: &StoredImportRun) -> Result<(), Error> {
    let statement = sql("INSERT INTO imports (tenant, code, kind, state, file_name, headers, mapping, triggers, user_code, acting_user,
             total, position, created, changed, same, refused, removed, restored, kept, leased_until, fence, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, 0, 0, 0, 0, 0, 0, 0, 0, $11, 0, $12, $12)")
    .arg(tenant)
    .arg(one.code)
    .arg(one.kind)
    .arg(one.state)
    .arg(one.file_name.as_str())
    .arg(encode_text_list(&one.headers))
    .arg(encode_text_list(&one.mapping))
    .arg(one.triggers)
    .arg(one.user)
    .arg(one.total)
    .arg(one.leased_until)
    .arg(one.created_at);
    tx.execute(statement).await.map(drop)
}

/// The import of this code: of any user, or only of this one.
#[boxed::future]
pub async fn find_import_run(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: ImportCode,
    owner: Option<UserCode>,
) -> Result<Option<StoredImportRun>, Error> {
    let statement = sql("SELECT")
        .append_text(COLUMNS)
        .append_text("FROM imports WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .append_if_some("AND user_code = ?", owner);
    source.fetch_optional(statement).await?.map(|row| parse_import_run(&row)).transpose()
}

/// A page of the imports whose file was read, latest first, and the total.
#[boxed::future]
pub async fn list_import_runs(
    tx: &mut Tx,
    tenant: TenantId,
    owner: Option<UserCode>,
    (limit, offset): (i64, i64),
) -> Result<(Vec<StoredImportRun>, i64), Error> {
    let filter_runs = |head: Statement| {
        let known = head.append_text("FROM imports WHERE tenant = $1").arg(tenant);
        known.append_if_some("AND user_code = ?", owner).append("AND state <> ?", [ImportState::Reading])
    };
    let total = tx.fetch_optional(filter_runs(sql("SELECT COUNT(*) AS count"))).await?;
    let rows = filter_runs(sql("SELECT").append_text(COLUMNS));
    let rows = tx.fetch_all(rows.append("ORDER BY code DESC LIMIT ? OFFSET ?", [limit, offset])).await?;
    let total = total.map_or(Ok(0), |row| row.get("count"))?;
    Ok((rows.iter().map(parse_import_run).collect::<Result<_, _>>()?, total))
}

/// An uploaded import that has not been started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnconfirmedImport {
    pub code: ImportCode,
    pub state: ImportState,
    pub user: Option<UserCode>,
    pub updated_at: Moment,
}

/// The imports of a tenant changed since a moment, oldest first; includes those whose file is being read.
#[boxed::future]
pub async fn list_unconfirmed_imports(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    since: Moment,
) -> Result<Vec<UnconfirmedImport>, Error> {
    let statement = sql("SELECT code, state, user_code, updated_at FROM imports WHERE tenant = $1")
        .arg(tenant)
        .filter_in("state", [ImportState::Reading, ImportState::Ready, ImportState::Checked])
        .append("AND updated_at >= ?", [since])
        .append_text("ORDER BY updated_at, code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    let one = |row: &Row| {
        Ok(UnconfirmedImport {
            code: row.get("code")?,
            state: row.get("state")?,
            user: row.get("user_code")?,
            updated_at: row.get("updated_at")?,
        })
    };
    rows.iter().map(one).collect()
}

/// The imports of a tenant that have work to do and no lease.
#[boxed::future]
pub async fn list_due_imports(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    now: Moment,
) -> Result<Vec<ImportCode>, Error> {
    let working = [ImportState::Checking, ImportState::Running, ImportState::Undoing];
    let statement = sql("SELECT code FROM imports WHERE tenant = $1")
        .arg(tenant)
        .filter_in("state", working)
        .append("AND leased_until <= ?", [now])
        .append_text("ORDER BY code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(|row| row.get("code")).collect()
}

/// What else changes with a state.
#[derive(Clone, Debug, Default)]
pub struct ImportStateChange {
    /// The stage starts over: resets the position and counts.
    pub restart: bool,
    /// Where it starts, if not before the first line.
    pub position: Option<i32>,
    pub triggers: Option<bool>,
    pub total: Option<i64>,
    pub mapping: Option<Vec<String>>,
    /// The branch of new records; the inner `None` clears it.
    pub branch: Option<Option<BranchCode>>,
    /// The user who requests the stage; the inner `None` is a command.
    pub acting: Option<Option<UserCode>>,
    pub started: bool,
    pub finished: bool,
}

/// Sets the state of an import; a process working on it loses its lease.
#[boxed::future]
pub async fn update_import_state(
    tx: &mut Tx,
    tenant: TenantId,
    code: ImportCode,
    (state, now): (ImportState, Moment),
    change: &ImportStateChange,
) -> Result<(), Error> {
    let counts =
        "position = 0, created = 0, changed = 0, same = 0, refused = 0, removed = 0, restored = 0, kept = 0,";
    let statement = sql("UPDATE imports SET")
        .append_text(if change.restart { counts } else { "" })
        .append("state = ?,", [state])
        .append_if_some("position = ?,", change.position)
        .append_if_some("triggers = ?,", change.triggers)
        .append_if_some("total = ?,", change.total)
        .append_if_some("mapping = ?,", change.mapping.as_deref().map(encode_text_list))
        .append_if_some("branch = ?,", change.branch)
        .append_if_some("acting_user = ?,", change.acting)
        .append_if_some("started_at = ?,", change.started.then_some(now))
        .append_if_some("finished_at = ?,", change.finished.then_some(now))
        .append("fence = fence + 1, leased_until = 0, updated_at = ?", [now])
        .append("WHERE tenant = ?", [tenant])
        .append("AND code = ?", [code]);
    tx.execute(statement).await.map(drop)
}

/// A leased import in a stage. The fence tells it from a later lease of the same import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeasedImport {
    pub tenant: TenantId,
    pub code: ImportCode,
    pub state: ImportState,
    fence: i64,
}

/// Leases an import that has work to do and no lease.
#[boxed::future]
pub async fn lease_import(
    tx: &mut Tx,
    tenant: TenantId,
    code: ImportCode,
    (now, until): (Moment, Moment),
) -> Result<Option<LeasedImport>, Error> {
    let working = [ImportState::Checking, ImportState::Running, ImportState::Undoing];
    let statement = sql("UPDATE imports SET fence = fence + 1, leased_until = $4
         WHERE tenant = $1 AND code = $2 AND leased_until <= $3")
    .arg(tenant)
    .arg(code)
    .arg(now)
    .arg(until)
    .filter_in("state", working)
    .append_text("RETURNING fence, state");
    let row = tx.fetch_optional(statement).await?;
    row.map(|row| Ok(LeasedImport { tenant, code, state: row.get("state")?, fence: row.get("fence")? }))
        .transpose()
}

/// Stores the progress and extends the lease; `false` if the lease was lost: then nothing else may be written.
#[boxed::future]
pub async fn advance_import(
    tx: &mut Tx,
    lease: &LeasedImport,
    (position, until): (i32, Moment),
    more: &ImportLineCounts,
) -> Result<bool, Error> {
    let statement = sql("UPDATE imports SET position = $5, leased_until = $6, created = created + $7, changed = changed + $8,
             same = same + $9, refused = refused + $10, removed = removed + $11, restored = restored + $12, kept = kept + $13
         WHERE tenant = $1 AND code = $2 AND fence = $3 AND state = $4")
    .arg(lease.tenant)
    .arg(lease.code)
    .arg(lease.fence)
    .arg(lease.state)
    .arg(position)
    .arg(until)
    .arg(more.created)
    .arg(more.changed)
    .arg(more.same)
    .arg(more.refused)
    .arg(more.removed)
    .arg(more.restored)
    .arg(more.kept);
    Ok(tx.execute(statement).await? == 1)
}

/// Releases an import that still has work to do.
#[boxed::future]
pub async fn release_import(tx: &mut Tx, lease: &LeasedImport) -> Result<(), Error> {
    let statement = sql("UPDATE imports SET leased_until = 0 WHERE tenant = $1 AND code = $2 AND fence = $3")
        .arg(lease.tenant)
        .arg(lease.code)
        .arg(lease.fence);
    tx.execute(statement).await.map(drop)
}

/// Deletes the lines of an import whose file could not be read, some at a time, and finally the import; `false` if
/// there is more to delete.
#[boxed::future]
pub async fn delete_unfinished_import(
    tx: &mut Tx,
    tenant: TenantId,
    code: ImportCode,
    limit: u64,
) -> Result<bool, Error> {
    let lines = sql("DELETE FROM import_lines WHERE tenant = $1 AND import = $2 AND line IN
         (SELECT line FROM import_lines WHERE tenant = $1 AND import = $2 ORDER BY line LIMIT $3)")
    .arg(tenant)
    .arg(code)
    .arg(limit.cast_signed());
    if tx.execute(lines).await? == limit {
        return Ok(false);
    }
    tx.execute(sql("DELETE FROM imports WHERE tenant = $1 AND code = $2").arg(tenant).arg(code)).await?;
    Ok(true)
}

/// The last target field of each of these columns, by folded name; empty if the column was left out.
#[boxed::future]
pub async fn list_column_mappings(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: ImportKind,
    headers: &[String],
) -> Result<BTreeMap<String, String>, Error> {
    let statement = sql("SELECT header, field FROM import_columns WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .filter_in("header", headers.iter().map(String::as_str));
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("header")?, row.get("field")?))).collect()
}

/// Remembers the target field of a column.
pub fn upsert_column_mapping(tenant: TenantId, kind: ImportKind, header: &str, field: &str) -> Statement {
    sql("INSERT INTO import_columns (tenant, kind, header, field) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, kind, header) DO UPDATE SET field = excluded.field")
    .arg(tenant)
    .arg(kind)
    .arg(header)
    .arg(field)
}
