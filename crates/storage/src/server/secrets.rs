//! Secrets that must be readable again, encrypted with the server's key.

use super::settings::{self, ServerSetting};
use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{SealedSecret, SecretOwnerKind, TenantId};

/// A secret and its place among those of its tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    pub kind: String,
    pub code: i32,
    pub sealed: Vec<u8>,
}

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
    sealed: &SealedSecret,
) -> Result<(), Error> {
    ensure_key_in_use(tx, &sealed.key_fingerprint).await?;
    let statement = sql("INSERT INTO secrets (tenant, kind, code, sealed) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, kind, code) DO UPDATE SET sealed = excluded.sealed");
    tx.execute(statement.arg(tenant).arg(kind.name()).arg(code).arg(&sealed.bytes[..])).await.map(drop)
}

/// Replaces a secret that is there, for a caller who has called [`ensure_key_in_use`].
pub fn update_secret(tenant: TenantId, kind: SecretOwnerKind, code: i32, sealed: &SealedSecret) -> Statement {
    let statement = sql("UPDATE secrets SET sealed = $4 WHERE tenant = $1 AND kind = $2 AND code = $3");
    statement.arg(tenant).arg(kind.name()).arg(code).arg(&sealed.bytes[..])
}

/// Refuses what was encrypted with a key that another has taken the place of.
#[boxed::future]
pub async fn ensure_key_in_use(tx: &mut Tx, key_fingerprint: &str) -> Result<(), Error> {
    let expected = settings::find_setting(&mut *tx, ServerSetting::KeyFingerprint).await?;
    if expected.is_none_or(|expected| expected == key_fingerprint) {
        return Ok(());
    }
    let retiring = settings::find_setting(&mut *tx, ServerSetting::RetiringKey).await?;
    match retiring.is_some_and(|retiring| retiring == key_fingerprint) {
        true => Ok(()),
        false => Err(Error::Unavailable("the server key was changed meanwhile".to_owned())),
    }
}

#[boxed::future]
pub async fn list_tenants_with_secrets(source: impl Into<ReadSource<'_>>) -> Result<Vec<TenantId>, Error> {
    let statement = sql("SELECT DISTINCT tenant FROM secrets ORDER BY tenant");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("tenant")).collect()
}

/// At most `count` secrets of a tenant, those after a place.
#[boxed::future]
pub async fn list_secrets_after(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    after: Option<&(String, i32)>,
    count: usize,
) -> Result<Vec<StoredSecret>, Error> {
    let (kind, code) = after.map_or(("", 0), |(kind, code)| (kind.as_str(), *code));
    let statement = sql("SELECT kind, code, sealed FROM secrets
         WHERE tenant = $1 AND (kind > $2 OR kind = $2 AND code > $3) ORDER BY kind, code LIMIT $4");
    let statement = statement.arg(tenant).arg(kind).arg(code).arg(count as i64);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredSecret { kind: row.get("kind")?, code: row.get("code")?, sealed: row.get("sealed")? })
        })
        .collect()
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
