//! What people work on from its opening to its end: claims, inspections, tickets, appointments. They share a head, and live
//! alike; what each has besides stands in its own module. `app::situations` is the one place that writes them.

pub mod appointments;
pub mod board;
pub mod inspections;
mod search;
pub mod tickets;

pub use search::{Criteria, Driver, Late, Overdue, Place, Since, codes, count, driver, late, late_count};

use crate::claims::{self, Claim, claim_columns};
use crate::{Error, Row, Source, Statement, Value, Weight, sql};
use appointments::{Appointment, appointment_columns};
use domain::{
    BenefitCode, BranchCode, CaseKind, Moment, PersonCode, Priority, Scope, SituationCode, TenantId, UserCode,
};
use inspections::{Inspection, inspection_columns};
use tickets::{Ticket, ticket_columns};

/// What all of them have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// By which people speak of it; unique among its kind in the tenant.
    pub protocol: i32,
    pub branch: BranchCode,
    /// The member.
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub situation: SituationCode,
    /// Since when it is in it.
    pub situation_since: Moment,
    /// The user who sees to it.
    pub responsible: Option<UserCode>,
    pub opened_at: Moment,
    pub closed_at: Option<Moment>,
    /// Counts its changes, from 1.
    pub version: i32,
    pub updated_at: Moment,
}

impl Head {
    /// One that was just opened, but for what is counted.
    pub fn opened(branch: BranchCode, person: PersonCode, situation: SituationCode, now: Moment) -> Head {
        Head {
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

/// One of the four.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Case {
    Claim(Box<Claim>),
    Inspection(Inspection),
    Ticket(Ticket),
    Appointment(Appointment),
}

impl Case {
    pub fn kind(&self) -> CaseKind {
        match self {
            Case::Claim(_) => CaseKind::Claim,
            Case::Inspection(_) => CaseKind::Inspection,
            Case::Ticket(_) => CaseKind::Ticket,
            Case::Appointment(_) => CaseKind::Appointment,
        }
    }

    pub fn head(&self) -> &Head {
        match self {
            Case::Claim(own) => &own.head,
            Case::Inspection(own) => &own.head,
            Case::Ticket(own) => &own.head,
            Case::Appointment(own) => &own.head,
        }
    }

    pub fn head_mut(&mut self) -> &mut Head {
        match self {
            Case::Claim(own) => &mut own.head,
            Case::Inspection(own) => &mut own.head,
            Case::Ticket(own) => &mut own.head,
            Case::Appointment(own) => &mut own.head,
        }
    }

    pub fn priority(&self) -> Option<Priority> {
        match self {
            Case::Claim(own) => Some(own.priority),
            Case::Ticket(own) => Some(own.priority),
            Case::Inspection(_) | Case::Appointment(_) => None,
        }
    }
}

/// The columns of a [`Head`].
macro_rules! head_columns {
    () => {
        "protocol, branch, person, benefit, situation, situation_since, responsible, opened_at, closed_at, version, \
         updated_at"
    };
}
pub(crate) use head_columns;

/// What writes rows of a table whose own columns these are ([`row`]).
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

/// What reads rows of a table, with what their codes stand for where the registers do not say it.
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

fn head_values(head: &Head) -> [Value; 11] {
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

/// A row as [`insert_head`] writes it.
pub(crate) fn row(tenant: TenantId, code: i32, head: &Head, own: Vec<Value>) -> Vec<Value> {
    let key: [Value; 3] = [tenant.into(), code.into(), head.opened_at.into()];
    key.into_iter().chain(head_values(head)).chain(own).collect()
}

pub(crate) fn head(row: &Row) -> Result<Head, Error> {
    Ok(Head {
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

/// How a kind is kept.
struct Kept {
    table: &'static str,
    /// The columns of its own.
    own: &'static str,
    insert: &'static str,
    select: &'static str,
    /// By which of its columns it has a type.
    typed_by: &'static str,
}

const fn kept(kind: CaseKind) -> Kept {
    match kind {
        CaseKind::Claim => Kept {
            table: "claims",
            own: claim_columns!(),
            insert: insert_head!("claims", claim_columns!()),
            select: select_head!("claims", claim_columns!()),
            typed_by: "kind",
        },
        CaseKind::Inspection => Kept {
            table: "inspections",
            own: inspection_columns!(),
            insert: insert_head!("inspections", inspection_columns!()),
            select: select_head!("inspections", inspection_columns!()),
            typed_by: "kind",
        },
        CaseKind::Ticket => Kept {
            table: "tickets",
            own: ticket_columns!(),
            insert: insert_head!("tickets", ticket_columns!()),
            select: select_head!("tickets", ticket_columns!()),
            typed_by: "kind",
        },
        CaseKind::Appointment => Kept {
            table: "appointments",
            own: appointment_columns!(),
            insert: insert_head!("appointments", appointment_columns!()),
            select: select_head!("appointments", appointment_columns!()),
            typed_by: "specialty",
        },
    }
}

fn own_values(case: &Case) -> Vec<Value> {
    match case {
        Case::Claim(own) => claims::values(own),
        Case::Inspection(own) => inspections::values(own),
        Case::Ticket(own) => tickets::values(own),
        Case::Appointment(own) => appointments::values(own),
    }
}

/// How many rows travel in one statement.
const ROWS: usize = 50;

/// Writes cases of one kind that are not there yet, each with its code.
pub fn insert<'c>(
    tenant: TenantId,
    kind: CaseKind,
    all: impl IntoIterator<Item = (i32, &'c Case)>,
) -> Vec<Statement> {
    let rows = all.into_iter().map(|(code, case)| row(tenant, code, case.head(), own_values(case)));
    crate::statement::inserts(kept(kind).insert, ROWS, rows)
}

/// Writes everything that is known of a case anew.
pub fn update(tenant: TenantId, code: i32, case: &Case) -> Statement {
    let kept = kept(case.kind());
    let columns = head_columns!().split(", ").chain(kept.own.split(", "));
    let set: Vec<String> = columns.map(|column| format!("{column} = ?")).collect();
    let values = head_values(case.head()).into_iter().chain(own_values(case));
    sql("UPDATE")
        .ending(kept.table)
        .then(&format!("SET {}", set.join(", ")), values)
        .then("WHERE tenant = ? AND code = ?", [Value::from(tenant), code.into()])
}

/// A case with what its codes stand for where the registers do not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub code: i32,
    pub case: Case,
    pub name: String,
    /// As it is kept.
    pub document: Option<String>,
    pub plate: Option<String>,
    pub responsible: Option<String>,
}

/// Those of these cases that the scope sees, newest opening first.
#[boxed::future]
pub async fn some(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    codes: &[i32],
) -> Result<Vec<Told>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql(kept(kind).select)
        .arg(scope.tenant())
        .within("code", codes.iter().copied())
        .scoped("branch + 0", scope.branches())
        .ending("ORDER BY opened_at DESC, code DESC");
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter().map(|row| told(kind, row)).collect()
}

/// The case of this code, if the scope sees it.
#[boxed::future]
pub async fn find(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    code: i32,
) -> Result<Option<Told>, Error> {
    let statement = sql(kept(kind).select).arg(scope.tenant()).then("AND code = ?", [code]);
    let found = from.one(statement).await?.map(|row| told(kind, &row)).transpose()?;
    Ok(found.filter(|told| scope.sees(told.case.head().branch)))
}

fn told(kind: CaseKind, row: &Row) -> Result<Told, Error> {
    let case = match kind {
        CaseKind::Claim => Case::Claim(Box::new(claims::claim(row)?)),
        CaseKind::Inspection => Case::Inspection(inspections::inspection(row)?),
        CaseKind::Ticket => Case::Ticket(tickets::ticket(row)?),
        CaseKind::Appointment => Case::Appointment(appointments::appointment(row)?),
    };
    Ok(Told {
        code: row.get("code")?,
        case,
        name: row.get("person_name")?,
        document: row.get("person_document")?,
        plate: row.get("benefit_plate")?,
        responsible: row.get("responsible_name")?,
    })
}
