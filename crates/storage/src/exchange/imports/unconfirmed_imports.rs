//! Imports that were uploaded and not started.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{ImportCode, ImportState, Moment, TenantId, UserCode};

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
