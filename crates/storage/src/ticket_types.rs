//! What a ticket of the help desk may be about.

use crate::{Error, Source, Weight, sql};
use domain::{Priority, TenantId, TicketTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketType {
    pub code: TicketTypeCode,
    pub name: String,
    /// What a ticket of this type has that names none.
    pub priority: Priority,
    pub active: bool,
}

/// Every type, also those no longer used; by code.
#[boxed::future]
pub async fn all(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<TicketType>, Error> {
    let statement =
        sql("SELECT code, name, priority, active FROM ticket_types WHERE tenant = $1 ORDER BY code");
    let rows = from.all(Weight::Point, statement.arg(tenant)).await?;
    rows.iter()
        .map(|row| {
            Ok(TicketType {
                code: row.get("code")?,
                name: row.get("name")?,
                priority: row.get("priority")?,
                active: row.get("active")?,
            })
        })
        .collect()
}
