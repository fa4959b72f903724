//! What members ask the help desk.

use super::Head;
use crate::{Error, Row, Value};
use domain::{Priority, TicketTypeCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub head: Head,
    pub kind: TicketTypeCode,
    pub priority: Priority,
    pub description: Option<String>,
}

/// What a ticket has besides its head, in the order of [`values`].
macro_rules! ticket_columns {
    () => {
        "kind, priority, description"
    };
}
pub(crate) use ticket_columns;

pub(super) fn values(own: &Ticket) -> Vec<Value> {
    vec![own.kind.into(), own.priority.into(), own.description.as_deref().into()]
}

pub(super) fn ticket(row: &Row) -> Result<Ticket, Error> {
    Ok(Ticket {
        head: super::head(row)?,
        kind: row.get("kind")?,
        priority: row.get("priority")?,
        description: row.get("description")?,
    })
}
