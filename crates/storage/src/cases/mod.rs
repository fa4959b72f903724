//! Cases: claims, inspections, tickets and appointments. They share a head and a life cycle; their own columns are in
//! their modules. `app::situations` and the mirror write them.

pub mod claims;
pub mod notes;

pub mod appointments;
pub mod board;
pub mod inspections;
mod search;
pub mod tickets;

pub use search::{
    CaseCriteria, DrivingCaseCriterion, OverdueCase, ResultWindow, SituationAge, SituationTimeLimit,
    choose_driver, count_cases, count_overdue_cases, list_case_codes, list_overdue_cases,
};

use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, sql};
use appointments::appointment_columns;
use claims::claim_columns;
use domain::{Case, CaseHead, CaseKind, Scope, TenantId};
use inspections::inspection_columns;
use tickets::ticket_columns;

/// The columns of a [`CaseHead`].
macro_rules! head_columns {
    () => {
        "protocol, branch, person, benefit, situation, situation_since, responsible, opened_at, closed_at, version, \
         updated_at"
    };
}
pub(crate) use head_columns;

/// The INSERT for a table with these own columns ([`build_case_row`]).
macro_rules! insert_head {
    ($table:literal, $columns:expr) => {
        concat!(
            "INSERT INTO ",
            $table,
            " (tenant, code, created_at, ",
            $crate::cases::head_columns!(),
            ", ",
            $columns,
            ") VALUES"
        )
    };
}
pub(crate) use insert_head;

/// The SELECT of a table, with the names behind codes that are not in the registers.
macro_rules! select_head {
    ($table:literal, $columns:expr) => {
        concat!(
            "SELECT code, ",
            $crate::cases::head_columns!(),
            ", ",
            $columns,
            ", (SELECT p.name FROM people p WHERE p.tenant = ",
            $table,
            ".tenant AND p.code = ",
            $table,
            ".person) AS person_name, (SELECT p.document FROM people p WHERE p.tenant = ",
            $table,
            ".tenant AND p.code = ",
            $table,
            ".person) AS person_document, (SELECT b.plate FROM benefits b WHERE b.tenant = ",
            $table,
            ".tenant AND b.code = ",
            $table,
            ".benefit) AS benefit_plate, (SELECT u.name FROM users u WHERE u.tenant = ",
            $table,
            ".tenant AND u.code = ",
            $table,
            ".responsible) AS responsible_name FROM ",
            $table,
            " WHERE tenant = $1"
        )
    };
}

fn build_head_values(head: &CaseHead) -> [SqlScalar; 11] {
    [
        head.protocol.into(),
        head.branch.into(),
        head.person.into(),
        head.benefit.into(),
        head.situation.into(),
        head.situation_since.into(),
        head.responsible.into(),
        head.opened_at.into(),
        head.closed_at.into(),
        head.version.into(),
        head.updated_at.into(),
    ]
}

/// A row in the column order of `insert_head`.
pub(crate) fn build_case_row(
    tenant: TenantId,
    code: i32,
    head: &CaseHead,
    own_values: Vec<SqlScalar>,
) -> Vec<SqlScalar> {
    let key: [SqlScalar; 3] = [tenant.into(), code.into(), head.opened_at.into()];
    key.into_iter().chain(build_head_values(head)).chain(own_values).collect()
}

pub(crate) fn parse_case_head(row: &Row) -> Result<CaseHead, Error> {
    Ok(CaseHead {
        protocol: row.get("protocol")?,
        branch: row.get("branch")?,
        person: row.get("person")?,
        benefit: row.get("benefit")?,
        situation: row.get("situation")?,
        situation_since: row.get("situation_since")?,
        responsible: row.get("responsible")?,
        opened_at: row.get("opened_at")?,
        closed_at: row.get("closed_at")?,
        version: row.get("version")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The table of a case kind.
struct CaseTableLayout {
    table: &'static str,
    /// The columns in addition to the head.
    columns: &'static str,
    insert: &'static str,
    select: &'static str,
    /// The column that holds its type.
    typed_by: &'static str,
}

const fn describe_case_table(kind: CaseKind) -> CaseTableLayout {
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

fn build_own_values(case: &Case) -> Vec<SqlScalar> {
    match case {
        Case::Claim(claim) => claims::build_claim_values(claim),
        Case::Inspection(inspection) => inspections::build_inspection_values(inspection),
        Case::Ticket(ticket) => tickets::build_ticket_values(ticket),
        Case::Appointment(appointment) => appointments::build_appointment_values(appointment),
    }
}

/// Rows per statement.
const ROWS: usize = 50;

/// Inserts cases of one kind.
pub fn insert_cases<'c>(
    tenant: TenantId,
    kind: CaseKind,
    all: impl IntoIterator<Item = (i32, &'c Case)>,
) -> Vec<Statement> {
    let rows =
        all.into_iter().map(|(code, case)| build_case_row(tenant, code, case.head(), build_own_values(case)));
    crate::executor::statement::build_inserts(describe_case_table(kind).insert, ROWS, rows)
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
