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
use appointments::{StoredAppointment, appointment_columns};
use claims::{StoredClaim, claim_columns};
use domain::{
    BenefitCode, BranchCode, CaseKind, Moment, PersonCode, Priority, Scope, SituationCode, TenantId, UserCode,
};
use inspections::{StoredInspection, inspection_columns};
use tickets::{StoredTicket, ticket_columns};

/// The columns that all cases share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseHead {
    /// The number shown to people; unique per kind and tenant.
    pub protocol: i32,
    pub branch: BranchCode,
    /// The member.
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub situation: SituationCode,
    /// When it entered its situation.
    pub situation_since: Moment,
    /// The user in charge.
    pub responsible: Option<UserCode>,
    pub opened_at: Moment,
    pub closed_at: Option<Moment>,
    /// Number of changes, starting at 1.
    pub version: i32,
    pub updated_at: Moment,
}

impl CaseHead {
    /// The head of a new case, before its numbers are assigned.
    pub fn from_opening(
        branch: BranchCode,
        person: PersonCode,
        situation: SituationCode,
        now: Moment,
    ) -> CaseHead {
        CaseHead {
            protocol: 0,
            branch,
            person,
            benefit: None,
            situation,
            situation_since: now,
            responsible: None,
            opened_at: now,
            closed_at: None,
            version: 1,
            updated_at: now,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredCase {
    Claim(Box<StoredClaim>),
    Inspection(StoredInspection),
    Ticket(StoredTicket),
    Appointment(StoredAppointment),
}

impl StoredCase {
    pub fn kind(&self) -> CaseKind {
        match self {
            StoredCase::Claim(_) => CaseKind::Claim,
            StoredCase::Inspection(_) => CaseKind::Inspection,
            StoredCase::Ticket(_) => CaseKind::Ticket,
            StoredCase::Appointment(_) => CaseKind::Appointment,
        }
    }

    pub fn head(&self) -> &CaseHead {
        match self {
            StoredCase::Claim(claim) => &claim.head,
            StoredCase::Inspection(inspection) => &inspection.head,
            StoredCase::Ticket(ticket) => &ticket.head,
            StoredCase::Appointment(appointment) => &appointment.head,
        }
    }

    pub fn head_mut(&mut self) -> &mut CaseHead {
        match self {
            StoredCase::Claim(claim) => &mut claim.head,
            StoredCase::Inspection(inspection) => &mut inspection.head,
            StoredCase::Ticket(ticket) => &mut ticket.head,
            StoredCase::Appointment(appointment) => &mut appointment.head,
        }
    }

    pub fn priority(&self) -> Option<Priority> {
        match self {
            StoredCase::Claim(claim) => Some(claim.priority),
            StoredCase::Ticket(ticket) => Some(ticket.priority),
            StoredCase::Inspection(_) | StoredCase::Appointment(_) => None,
        }
    }
}

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

fn build_own_values(case: &StoredCase) -> Vec<SqlScalar> {
    match case {
        StoredCase::Claim(claim) => claims::build_claim_values(claim),
        StoredCase::Inspection(inspection) => inspections::build_inspection_values(inspection),
        StoredCase::Ticket(ticket) => tickets::build_ticket_values(ticket),
        StoredCase::Appointment(appointment) => appointments::build_appointment_values(appointment),
    }
}

/// Rows per statement.
const ROWS: usize = 50;

/// Inserts cases of one kind.
pub fn insert_cases<'c>(
    tenant: TenantId,
    kind: CaseKind,
    all: impl IntoIterator<Item = (i32, &'c StoredCase)>,
) -> Vec<Statement> {
    let rows =
        all.into_iter().map(|(code, case)| build_case_row(tenant, code, case.head(), build_own_values(case)));
    crate::executor::statement::build_inserts(describe_case_table(kind).insert, ROWS, rows)
}

pub fn update_case(tenant: TenantId, code: i32, case: &StoredCase) -> Statement {
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
    pub case: StoredCase,
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
        CaseKind::Claim => StoredCase::Claim(Box::new(claims::parse_claim_row(row)?)),
        CaseKind::Inspection => StoredCase::Inspection(inspections::parse_inspection_row(row)?),
        CaseKind::Ticket => StoredCase::Ticket(tickets::parse_ticket_row(row)?),
        CaseKind::Appointment => StoredCase::Appointment(appointments::parse_appointment_row(row)?),
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
