//! Finds cases, with the names behind their codes.

use super::appointments;
use super::claims;
use super::inspections;
use super::table_layout::describe_case_table;
use super::tickets;
use crate::{Error, QueryWeight, ReadSource, Row, sql};
use domain::{Case, CaseKind, Scope};

/// A case with the names behind its codes that are not in the registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedCase {
    pub code: i32,
    pub case: Case,
    pub name: String,
    /// In its stored form.
    pub document: Option<String>,
    pub plate: Option<String>,
    pub responsible: Option<String>,
}

/// The cases of these codes in the scope, newest opening first.
#[boxed::future]
pub async fn list_cases_by_codes(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    codes: &[i32],
) -> Result<Vec<ResolvedCase>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql(describe_case_table(kind).select)
        .arg(scope.tenant())
        .filter_in("code", codes.iter().copied())
        .filter_branches("branch + 0", scope.branches())
        .append_text("ORDER BY opened_at DESC, code DESC");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| parse_resolved_case(kind, row)).collect()
}

/// The case of this code, if it is in the scope.
#[boxed::future]
pub async fn find_case(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    code: i32,
) -> Result<Option<ResolvedCase>, Error> {
    let statement = sql(describe_case_table(kind).select).arg(scope.tenant()).append("AND code = ?", [code]);
    let found =
        source.fetch_optional(statement).await?.map(|row| parse_resolved_case(kind, &row)).transpose()?;
    Ok(found.filter(|resolved| scope.can_see(resolved.case.head().branch)))
}

fn parse_resolved_case(kind: CaseKind, row: &Row) -> Result<ResolvedCase, Error> {
    let case = match kind {
        CaseKind::Claim => Case::Claim(Box::new(claims::parse_claim_row(row)?)),
        CaseKind::Inspection => Case::Inspection(inspections::parse_inspection_row(row)?),
        CaseKind::Ticket => Case::Ticket(tickets::parse_ticket_row(row)?),
        CaseKind::Appointment => Case::Appointment(appointments::parse_appointment_row(row)?),
    };
    Ok(ResolvedCase {
        code: row.get("code")?,
        case,
        name: row.get("person_name")?,
        document: row.get("person_document")?,
        plate: row.get("benefit_plate")?,
        responsible: row.get("responsible_name")?,
    })
}
