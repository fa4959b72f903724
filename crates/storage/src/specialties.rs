//! What doctors are skilled in.

use crate::{Error, Source, Weight, sql};
use domain::{SpecialtyCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specialty {
    pub code: SpecialtyCode,
    pub name: String,
    pub active: bool,
}

/// Every specialty, also those no longer used; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<Specialty>, Error> {
    let statement = sql("SELECT code, name, active FROM specialties WHERE tenant = $1 ORDER BY code");
    let rows = from.all(Weight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(Specialty { code: row.get("code")?, name: row.get("name")?, active: row.get("active")? })
        })
        .collect()
}
