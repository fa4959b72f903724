//! What people work on from its opening to its end: claims, inspections, tickets and appointments. They are opened, changed,
//! moved to a situation, noted, read and listed alike; what differs is judged in `own.rs`, and told in `shown.rs`.

pub mod board;
mod given;
mod moves;
mod own;
mod read;
mod search;
mod shown;

pub use moves::{move_to, note};
pub use read::{History, Told, Whole, due, history, one};
pub use search::{Item, PAGE, behind, list, overdue, overdue_counts};
pub use storage::cases::Case;
pub use storage::cases::inspections::Checked;
pub use storage::field_changes::Written;
pub use storage::history::Told as Moved;
pub use storage::notes::Note;

use crate::access::Session;
use crate::audit::saw;
use crate::base::confirm;
use crate::benefits::{Asked, ask};
use crate::differences::{self, Present};
use crate::once::{Done, Once};
use crate::situations::cases::{Store, store};
use crate::{App, Error};
use domain::{CaseKind, Field};
use given::{Judge, Ready};
use shown::{Names, fields};
use storage::{Tx, cases, claims};
use wire::read::Given;
use wire::records::{
    CasoCampos, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, VistoriaGestaoInput,
};

/// What was sent, by what it is about.
#[derive(Clone, Debug)]
pub enum Input {
    Claim(Box<EventoGestaoInput>),
    Inspection(Box<VistoriaGestaoInput>),
    Ticket(Box<HelpDeskGestaoInput>),
    Appointment(Box<ConsultaGestaoInput>),
}

impl Input {
    pub fn kind(&self) -> CaseKind {
        match self {
            Input::Claim(_) => CaseKind::Claim,
            Input::Inspection(_) => CaseKind::Inspection,
            Input::Ticket(_) => CaseKind::Ticket,
            Input::Appointment(_) => CaseKind::Appointment,
        }
    }

    fn common(&self) -> &CasoCampos {
        match self {
            Input::Claim(input) => &input.case,
            Input::Inspection(input) => &input.case,
            Input::Ticket(input) => &input.case,
            Input::Appointment(input) => &input.case,
        }
    }
}

/// Method and route of what is done to a kind.
pub(crate) struct Operations {
    list: &'static str,
    one: &'static str,
    open: &'static str,
    change: &'static str,
    move_to: &'static str,
    note: &'static str,
    history: &'static str,
}

macro_rules! operations {
    ($path:literal, $code:literal) => {
        Operations {
            list: concat!("GET /gestao/", $path),
            one: concat!("GET /gestao/", $path, "/{", $code, "}"),
            open: concat!("POST /gestao/", $path),
            change: concat!("PUT /gestao/", $path, "/{", $code, "}"),
            move_to: concat!("PUT /gestao/", $path, "/{", $code, "}/situacao"),
            note: concat!("POST /gestao/", $path, "/{", $code, "}/nota"),
            history: concat!("GET /gestao/", $path, "/{", $code, "}/historico"),
        }
    };
}

pub(crate) const fn operations(kind: CaseKind) -> Operations {
    match kind {
        CaseKind::Claim => operations!("evento", "codEvento"),
        CaseKind::Inspection => operations!("vistoria", "codVistoria"),
        CaseKind::Ticket => operations!("helpDesk", "codHelpDesk"),
        CaseKind::Appointment => operations!("consulta", "codConsulta"),
    }
}

/// There is none of this code, or not for the caller.
fn unknown(kind: CaseKind, code: i32) -> Error {
    let field = match kind {
        CaseKind::Claim => Field::Claim,
        CaseKind::Inspection => Field::Inspection,
        CaseKind::Ticket => Field::Ticket,
        CaseKind::Appointment => Field::Appointment,
    };
    Error::NoSuch { field, code }
}

/// Opens a case: in the situation in which its kind begins.
#[boxed::future]
pub async fn open(
    app: &App,
    caller: &Session,
    input: Input,
    once: Once<Whole>,
) -> Result<Done<Whole>, Error> {
    let operation = operations(input.kind()).open;
    ask(app, caller, operation, input, once, |tx, asked| Box::pin(write_new(tx, asked))).await
}

async fn write_new(tx: &mut Tx, asked: &Asked<Input>) -> Result<Whole, Error> {
    confirm(tx, asked.scope.tenant(), &asked.registers).await?;
    let kind = asked.input.kind();
    let mut judge = Judge::new(&mut *tx, asked);
    let ready = judge.new_case(&asked.input).await?;
    let problems = judge.problems;
    let (Some(Ready { case, benefit, related }), []) = (ready, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    let tenant = asked.scope.tenant();
    let written = Store {
        before: None,
        after: case,
        benefit: benefit.as_ref(),
        reason: None,
        differences: Vec::new(),
        also: Box::new(move |code| {
            let code = domain::ClaimCode::new(code);
            claims::relate(tenant, related.iter().flat_map(|other| [(code, *other), (*other, code)]))
        }),
    };
    let (code, _) = store(tx, &asked.acting(), written).await?;
    read::whole(tx, asked, kind, code, true).await?.ok_or_else(|| unknown(kind, code))
}

/// Changes the fields of a case.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    (code, input): (i32, Input),
    once: Once<Whole>,
) -> Result<Done<Whole>, Error> {
    let operation = operations(input.kind()).change;
    let done =
        ask(app, caller, operation, (code, input), once, |tx, asked| Box::pin(write_changed(tx, asked)))
            .await?;
    note_look(app, caller, operation, &done)?;
    Ok(done)
}

async fn write_changed(tx: &mut Tx, asked: &Asked<(i32, Input)>) -> Result<Whole, Error> {
    let (tenant, (code, input)) = (asked.scope.tenant(), &asked.input);
    let (code, kind, registers) = (*code, input.kind(), &asked.registers);
    confirm(tx, tenant, registers).await?;
    let before = cases::find(&mut *tx, &asked.scope, kind, code).await?.map(|told| told.case);
    let had = match kind {
        CaseKind::Claim if before.is_some() => read::related(&mut *tx, &asked.scope, code).await?,
        _ => Vec::new(),
    };
    let mut judge = Judge::new(&mut *tx, asked);
    let ready = judge.changed_case(input, (code, before.as_ref()), &had).await?;
    let problems = judge.problems;
    // What was sent is judged before the code in the path.
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let (Some(before), Some(Ready { case: after, benefit, related })) = (before, ready) else {
        return Err(unknown(kind, code));
    };
    let names = Names::of(&mut *tx, asked, [&before, &after]).await?;
    let differences = differences::between(
        fields(registers, &names, &before, &had),
        fields(registers, &names, &after, &related),
    );
    refuse_old(asked, &before, &input.common().version, &differences)?;
    if after == before && related == had {
        return read::whole(tx, asked, kind, code, false).await?.ok_or_else(|| unknown(kind, code));
    }
    let own = domain::ClaimCode::new(code);
    let gone: Vec<_> = had.iter().filter(|other| !related.contains(other)).copied().collect();
    let come: Vec<_> = related.iter().filter(|other| !had.contains(other)).copied().collect();
    let written = Store {
        before: Some((code, &before)),
        after,
        benefit: benefit.as_ref(),
        reason: None,
        differences,
        also: Box::new(move |_| {
            let mut statements = claims::part(tenant, own, &gone);
            statements.extend(claims::relate(tenant, come.iter().flat_map(|to| [(own, *to), (*to, own)])));
            statements
        }),
    };
    store(tx, &asked.acting(), written).await?;
    read::whole(tx, asked, kind, code, true).await?.ok_or_else(|| unknown(kind, code))
}

/// Refuses what was decided by another version than the present one.
fn refuse_old<I>(
    asked: &Asked<I>,
    before: &Case,
    given: &Given<i32>,
    wanted: &[differences::Difference],
) -> Result<(), Error> {
    let head = before.head();
    let present = Present { version: head.version.into(), since: head.updated_at };
    let Given::Set(given) = given else { return Ok(()) };
    match differences::refuse_old((*given).into(), present, &asked.registers.zone, wanted) {
        Some(old) => Err(old.into()),
        None => Ok(()),
    }
}

/// An answer that nothing was changed for shows somebody's data all the same.
fn note_look(app: &App, caller: &Session, operation: &'static str, done: &Done<Whole>) -> Result<(), Error> {
    match done {
        Done::Now(whole) if !whole.changed => saw(app, caller, operation, whole.people()),
        _ => Ok(()),
    }
}
