//! What a claim may be about.

use crate::{Error, Source, Tx, Weight, sql};
use domain::{ClaimTypeCode, Moment, Name, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimType {
    pub code: ClaimTypeCode,
    pub name: String,
    pub active: bool,
}

/// Every type, also those no longer in use.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<ClaimType>, Error> {
    let statement =
        sql("SELECT code, name, active FROM claim_types WHERE tenant = $1 ORDER BY code").arg(tenant);
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(ClaimType { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
        })
        .collect()
}

#[boxed::future]
pub async fn insert_all(
    tx: &mut Tx,
    tenant: TenantId,
    types: &[(ClaimTypeCode, Name)],
    now: Moment,
) -> Result<(), Error> {
    let insert = |(code, name): &(ClaimTypeCode, Name)| {
        sql("INSERT INTO claim_types (tenant, code, name, active, version, created_at, updated_at)
             VALUES ($1, $2, $3, TRUE, 1, $4, $4)")
        .arg(tenant)
        .arg(*code)
        .arg(name.as_str())
        .arg(now)
    };
    tx.batch(types.iter().map(insert).collect()).await
}
