//! Help desk tickets of members.

use super::CaseHead;
use crate::{Error, Row, SqlScalar};
use domain::{Priority, TicketTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTicket {
    pub head: CaseHead,
    pub kind: TicketTypeCode,
    pub priority: Priority,
    pub description: Option<String>,
}

/// The columns in addition to the case head, in the order of [`build_ticket_values`].
macro_rules! ticket_columns {
    () => {
        "kind, priority, description"
    };
}
pub(crate) use ticket_columns;

pub(super) fn build_ticket_values(ticket: &StoredTicket) -> Vec<SqlScalar> {
    vec![ticket.kind.into(), ticket.priority.into(), ticket.description.as_deref().into()]
}

pub(super) fn parse_ticket_row(row: &Row) -> Result<StoredTicket, Error> {
    Ok(StoredTicket {
        head: super::parse_case_head(row)?,
        kind: row.get("kind")?,
        priority: row.get("priority")?,
        description: row.get("description")?,
    })
}
