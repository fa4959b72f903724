//! Secrets that must be readable again, encrypted with the server's key.

use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{SecretOwnerKind, TenantId};

/// Whether anything is encrypted with the server's key, so that losing the key would lose data.
#[boxed::future]
pub async fn has_secrets(source: impl Into<ReadSource<'_>>) -> Result<bool, Error> {
    Ok(source.fetch_optional(sql("SELECT code FROM secrets LIMIT 1")).await?.is_some())
}

#[boxed::future]
pub async fn upsert_secret(
    tx: &mut Tx,
    tenant: TenantId,
    kind: SecretOwnerKind,
    code: i32,
    sealed: &[u8],
) -> Result<(), Error> {
    let statement = sql("INSERT INTO secrets (tenant, kind, code, sealed) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, kind, code) DO UPDATE SET sealed = excluded.sealed");
    tx.execute(statement.arg(tenant).arg(kind.name()).arg(code).arg(sealed)).await.map(drop)
}

#[boxed::future]
pub async fn find_secret(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: SecretOwnerKind,
    code: i32,
) -> Result<Option<Vec<u8>>, Error> {
    let statement = sql("SELECT sealed FROM secrets WHERE tenant = $1 AND kind = $2 AND code = $3");
    let row = source.fetch_optional(statement.arg(tenant).arg(kind.name()).arg(code)).await?;
    row.map(|row| row.get("sealed")).transpose()
}

#[boxed::future]
pub async fn delete_secret(
    tx: &mut Tx,
    tenant: TenantId,
    kind: SecretOwnerKind,
    code: i32,
) -> Result<(), Error> {
    let statement = sql("DELETE FROM secrets WHERE tenant = $1 AND kind = $2 AND code = $3");
    tx.execute(statement.arg(tenant).arg(kind.name()).arg(code)).await.map(drop)
}

/// How many secrets of a kind a tenant has.
#[boxed::future]
pub async fn count_secrets(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: SecretOwnerKind,
) -> Result<i64, Error> {
    let statement = sql("SELECT count(*) AS secrets FROM secrets WHERE tenant = $1 AND kind = $2");
    let rows = source.fetch_all(QueryWeight::Search, statement.arg(tenant).arg(kind.name())).await?;
    rows.first().map_or(Ok(0), |row| row.get("secrets"))
}

/// Deletes all secrets of a tenant.
pub fn delete_all_secrets(tenant: TenantId) -> Statement {
    sql("DELETE FROM secrets WHERE tenant = $1").arg(tenant)
}
