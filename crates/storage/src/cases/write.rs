//! Writes cases.

use super::appointments;
use super::claims;
use super::head::{build_case_row, build_head_values, head_columns};
use super::inspections;
use super::table_layout::describe_case_table;
use super::tickets;
use crate::{SqlScalar, Statement, sql};
use domain::{Case, CaseKind, TenantId};

fn build_own_values(case: &Case) -> Vec<SqlScalar> {
    match case {
        Case::Claim(claim) => claims::build_claim_values(claim),
        Case::Inspection(inspection) => inspections::build_inspection_values(inspection),
        Case::Ticket(ticket) => tickets::build_ticket_values(ticket),
        Case::Appointment(appointment) => appointments::build_appointment_values(appointment),
    }
}

const ROWS_PER_STATEMENT: usize = 50;

/// Inserts cases of one kind.
pub fn insert_cases<'c>(
    tenant: TenantId,
    kind: CaseKind,
    all: impl IntoIterator<Item = (i32, &'c Case)>,
) -> Vec<Statement> {
    let rows =
        all.into_iter().map(|(code, case)| build_case_row(tenant, code, case.head(), build_own_values(case)));
    crate::executor::statement::build_inserts(describe_case_table(kind).insert, ROWS_PER_STATEMENT, rows)
}

pub fn update_case(tenant: TenantId, code: i32, case: &Case) -> Statement {
    let layout = describe_case_table(case.kind());
    let columns = head_columns!().split(", ").chain(layout.columns.split(", "));
    let set: Vec<String> = columns.map(|column| format!("{column} = ?")).collect();
    let values = build_head_values(case.head()).into_iter().chain(build_own_values(case));
    sql("UPDATE")
        .append_text(layout.table)
        .append(&format!("SET {}", set.join(", ")), values)
        .append("WHERE tenant = ? AND code = ?", [SqlScalar::from(tenant), code.into()])
}
