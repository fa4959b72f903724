//! The table of each kind of case.

use super::appointments::appointment_columns;
use super::claims::claim_columns;
use super::head::{insert_head, select_head};
use super::inspections::inspection_columns;
use super::tickets::ticket_columns;
use domain::CaseKind;

/// The table of a case kind.
pub(super) struct CaseTableLayout {
    pub(super) table: &'static str,
    /// The columns in addition to the head.
    pub(super) columns: &'static str,
    pub(super) insert: &'static str,
    pub(super) select: &'static str,
    /// The column that holds its type.
    pub(super) typed_by: &'static str,
}

pub(super) const fn describe_case_table(kind: CaseKind) -> CaseTableLayout {
    match kind {
        CaseKind::Claim => CaseTableLayout {
            table: "claims",
            columns: claim_columns!(),
            insert: insert_head!("claims", claim_columns!()),
            select: select_head!("claims", claim_columns!()),
            typed_by: "kind",
        },
        CaseKind::Inspection => CaseTableLayout {
            table: "inspections",
            columns: inspection_columns!(),
            insert: insert_head!("inspections", inspection_columns!()),
            select: select_head!("inspections", inspection_columns!()),
            typed_by: "kind",
        },
        CaseKind::Ticket => CaseTableLayout {
            table: "tickets",
            columns: ticket_columns!(),
            insert: insert_head!("tickets", ticket_columns!()),
            select: select_head!("tickets", ticket_columns!()),
            typed_by: "kind",
        },
        CaseKind::Appointment => CaseTableLayout {
            table: "appointments",
            columns: appointment_columns!(),
            insert: insert_head!("appointments", appointment_columns!()),
            select: select_head!("appointments", appointment_columns!()),
            typed_by: "specialty",
        },
    }
}
