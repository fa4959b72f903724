//! Medical specialties.

use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{SpecialtyCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSpecialty {
    pub code: SpecialtyCode,
    pub name: String,
    pub active: bool,
}

/// Every specialty, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_specialties(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredSpecialty>, Error> {
    let statement = sql("SELECT code, name, active FROM specialties WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredSpecialty { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
        })
        .collect()
}
