//! Help desk tickets of members.

use crate::{Error, Row, SqlScalar};
use domain::Ticket;

/// The columns in addition to the case head, in the order of [`build_ticket_values`].
macro_rules! ticket_columns {
    () => {
        "kind, priority, description"
    };
}
pub(crate) use ticket_columns;

pub(super) fn build_ticket_values(ticket: &Ticket) -> Vec<SqlScalar> {
    vec![ticket.kind.into(), ticket.priority.into(), ticket.description.as_deref().into()]
}

pub(super) fn parse_ticket_row(row: &Row) -> Result<Ticket, Error> {
    Ok(Ticket {
        head: super::head::parse_case_head(row)?,
        kind: row.get("kind")?,
        priority: row.get("priority")?,
        description: row.get("description")?,
    })
}
