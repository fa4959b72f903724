//! Branches of a tenant.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{BranchCode, DisplayName, Moment, Scope, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBranch {
    pub code: BranchCode,
    pub name: String,
    pub active: bool,
}

#[boxed::future]
pub async fn insert_branch(
    tx: &mut Tx,
    tenant: TenantId,
    code: BranchCode,
    name: &DisplayName,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("INSERT INTO branches (tenant, code, name, active, version, created_at, updated_at)
         VALUES ($1, $2, $3, TRUE, 1, $4, $4)")
    .arg(tenant)
    .arg(code)
    .arg(name.as_str())
    .arg(now);
    tx.execute(statement).await.map(drop)
}

/// The branches in the scope, ordered by code.
#[boxed::future]
pub async fn list_visible_branches(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
) -> Result<Vec<StoredBranch>, Error> {
    let statement = sql("SELECT code, name, active FROM branches WHERE tenant = $1")
        .arg(scope.tenant())
        .filter_branches("code", scope.branches())
        .append_text("ORDER BY code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_branch_row).collect()
}

fn parse_branch_row(row: &Row) -> Result<StoredBranch, Error> {
    Ok(StoredBranch { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
}
