//! Types of help desk tickets.

use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{Priority, TenantId, TicketTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTicketType {
    pub code: TicketTypeCode,
    pub name: String,
    /// The default priority of its tickets.
    pub priority: Priority,
    pub active: bool,
}

/// Every type, including inactive ones, ordered by code.
#[boxed::future]
pub async fn list_ticket_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<StoredTicketType>, Error> {
    let statement =
        sql("SELECT code, name, priority, active FROM ticket_types WHERE tenant = $1 ORDER BY code");
    let rows = source.fetch_all(QueryWeight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredTicketType {
                code: row.get("code")?,
                name: row.get("name")?,
                priority: row.get("priority")?,
                active: row.get("active")?,
            })
        })
        .collect()
}
