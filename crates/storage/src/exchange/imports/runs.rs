//! Imports: their rows and the lists of them.

use crate::{Error, ReadSource, Row, Statement, Tx, sql};
use domain::{BranchCode, ImportCode, ImportKind, ImportState, Moment, TenantId, UserCode};

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
