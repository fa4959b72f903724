//! Branches of a tenant.

use crate::{Error, Row, Source, Tx, Weight, sql};
use domain::{BranchCode, Moment, Name, Scope, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub code: BranchCode,
    pub name: String,
    pub active: bool,
}

#[boxed::future]
pub async fn insert(
    tx: &mut Tx,
    tenant: TenantId,
    code: BranchCode,
    name: &Name,
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

/// The branches that the scope sees, by code.
#[boxed::future]
pub async fn visible(from: impl Into<Source<'_>>, scope: &Scope) -> Result<Vec<Branch>, Error> {
    let statement = sql("SELECT code, name, active FROM branches WHERE tenant = $1")
        .arg(scope.tenant())
        .scoped("code", scope.branches())
        .ending("ORDER BY code");
    from.all(Weight::Point, statement).await?.iter().map(branch).collect()
}

fn branch(row: &Row) -> Result<Branch, Error> {
    Ok(Branch { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
}
