//! Types of claims.

use crate::{Error, QueryWeight, ReadSource, Tx, sql};
use domain::{ClaimTypeCode, DisplayName, Moment, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredClaimType {
    pub code: ClaimTypeCode,
    pub name: String,
    pub active: bool,
}

/// Every type, including inactive ones.
#[boxed::future]
pub async fn list_claim_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredClaimType>, Error> {
    let statement =
        sql("SELECT code, name, active FROM claim_types WHERE tenant = $1 ORDER BY code").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredClaimType { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
        })
        .collect()
}

#[boxed::future]
pub async fn insert_claim_types(
    tx: &mut Tx,
    tenant: TenantId,
    types: &[(ClaimTypeCode, DisplayName)],
    now: Moment,
) -> Result<(), Error> {
    let insert = |(code, name): &(ClaimTypeCode, DisplayName)| {
        sql("INSERT INTO claim_types (tenant, code, name, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, TRUE, 1, $4, $4)")
        .arg(tenant)
        .arg(*code)
        .arg(name.as_str())
        .arg(now)
    };
    tx.execute_batch(types.iter().map(insert).collect()).await
}
