//! Leases of imports: one process works on an import at a time.

use super::runs::ImportLineCounts;
use crate::{Error, QueryWeight, ReadSource, Tx, sql};
use domain::{ImportCode, ImportState, Moment, TenantId};

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

/// Releases all imports of a tenant, and returns how many were leased.
#[boxed::future]
pub async fn release_all_imports(tx: &mut Tx, tenant: TenantId) -> Result<u64, Error> {
    let statement =
        sql("UPDATE imports SET leased_until = 0 WHERE tenant = $1 AND leased_until > 0").arg(tenant);
    tx.execute(statement).await
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
