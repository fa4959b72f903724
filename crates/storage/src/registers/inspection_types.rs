//! Types of inspections and their checklists.

use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{InspectionTypeCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredInspectionType {
    pub code: InspectionTypeCode,
    pub name: String,
    /// The items to inspect, in order.
    pub checklist: Vec<String>,
    pub active: bool,
}

/// Every type, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_inspection_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredInspectionType>, Error> {
    let statement =
        sql("SELECT code, name, checklist, active FROM inspection_types WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            let checklist: Option<String> = row.get("checklist")?;
            Ok(StoredInspectionType {
                code: row.get("code")?,
                name: row.get("name")?,
                checklist: checklist.as_deref().unwrap_or("").lines().map(str::to_owned).collect(),
                active: row.get("active")?,
            })
        })
        .collect()
}
