//! The codes of deleted records, which an import does not give to others.

use crate::{Error, QueryWeight, ReadSource, Statement, sql};
use domain::TenantId;

/// Records a code whose record was deleted.
pub fn insert_removed_code(tenant: TenantId, kind: &'static str, code: i32) -> Statement {
    sql("INSERT INTO removed_codes (tenant, kind, code) VALUES ($1, $2, $3) ON CONFLICT (tenant, kind, code) DO NOTHING")
        .arg(tenant)
        .arg(kind)
        .arg(code)
}

/// Which of these codes belonged to deleted records.
#[boxed::future]
pub async fn list_removed_codes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: &'static str,
    codes: &[i32],
) -> Result<Vec<i32>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT code FROM removed_codes WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .filter_in("code", codes.iter().copied());
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
