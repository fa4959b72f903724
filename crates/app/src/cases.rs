//! What people work on from its opening to its end: claims, inspections, tickets and appointments. They are opened, changed,
//! moved to a situation, noted, read and listed alike; what differs is judged in `own.rs`, and told in `shown.rs`.

mod given;
mod own;
mod read;
mod search;
mod shown;

pub use read::{History, Told, Whole, due, history, one};
pub use search::{Item, list, overdue};
pub use storage::cases::Case;
pub use storage::cases::inspections::Checked;
pub use storage::field_changes::Written;
pub use storage::history::Told as Moved;
pub use storage::notes::Note;

use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::{Asked, ask};
use crate::differences::{self, Present};
use crate::once::{Done, Once};
use crate::situations::cases::{Store, name, store};
use crate::{App, Error};
use domain::{CaseKind, Field, Rejection, SituationCode, SituationKind};
use given::{Judge, Ready};
use shown::{Names, fields};
use storage::counters::{self, Counter};
use storage::situations::Situation;
use storage::{Tx, audit, cases, claims, notes};
use wire::read::Given;
use wire::records::{
    CasoCampos, ConsultaGestaoInput, EventoGestaoInput, HelpDeskGestaoInput, NotaInput, SituacaoInput,
    VistoriaGestaoInput,
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

/// Moves a case to a situation.
pub async fn move_to(
    app: &App,
    caller: &Session,
    (kind, code): (CaseKind, i32),
    input: SituacaoInput,
    once: Once<Whole>,
) -> Result<Done<Whole>, Error> {
    let operation = operations(kind).move_to;
    let input = (kind, code, input);
    let done = ask(app, caller, operation, input, once, |tx, asked| Box::pin(write_moved(tx, asked))).await?;
    note_look(app, caller, operation, &done)?;
    Ok(done)
}

async fn write_moved(tx: &mut Tx, asked: &Asked<(CaseKind, i32, SituacaoInput)>) -> Result<Whole, Error> {
    let (kind, code, input) = &asked.input;
    let (kind, code, registers) = (*kind, *code, &asked.registers);
    confirm(tx, asked.scope.tenant(), registers).await?;
    let reason = input.reason.clone().set().map(|reason| reason.as_str().to_owned());
    let to = meant(registers, kind, input)?;
    let before =
        cases::find(&mut *tx, &asked.scope, kind, code).await?.ok_or_else(|| unknown(kind, code))?.case;
    let from = registers.situation(before.head().situation);
    let wanted = differences::between(
        vec![("situacao", from.map(|one| one.name.to_uppercase()))],
        vec![("situacao", Some(to.name.to_uppercase()))],
    );
    let is_same = before.head().situation == to.code;
    if !is_same {
        refuse_reasonless(from, to, reason.as_deref())?;
    }
    refuse_old(asked, &before, &input.version, &wanted)?;
    if is_same {
        return read::whole(tx, asked, kind, code, false).await?.ok_or_else(|| unknown(kind, code));
    }
    refuse_move(registers, from, to)?;
    let mut after = before.clone();
    after.head_mut().situation = to.code;
    let benefit = match before.head().benefit {
        Some(benefit) => read::benefit(&mut *tx, asked.scope.tenant(), benefit).await?,
        None => None,
    };
    let written = Store {
        before: Some((code, &before)),
        after,
        benefit: benefit.as_ref(),
        reason,
        differences: Vec::new(),
        also: Box::new(|_| Vec::new()),
    };
    store(tx, &asked.acting(), written).await?;
    read::whole(tx, asked, kind, code, true).await?.ok_or_else(|| unknown(kind, code))
}

/// The situation that was asked for, which must be in use.
fn meant<'r>(
    registers: &'r Registers,
    kind: CaseKind,
    input: &SituacaoInput,
) -> Result<&'r Situation, Error> {
    let entity = kind.entity();
    let known = || registers.situations_of(entity).map(|one| one.name.to_uppercase()).collect::<Vec<_>>();
    let by_code = |code: SituationCode| {
        let found = registers.situations_of(entity).find(|one| one.code == code);
        found.ok_or_else(|| Rejection::UnknownSituationCode { given: code.get(), known: known() })
    };
    let by_name = |name: &str| {
        let found = registers.situation_named(entity, name).filter(|one| one.active);
        found.ok_or_else(|| Rejection::UnknownSituation { given: name.to_owned(), known: known() })
    };
    match (&input.code, &input.name) {
        (Given::Set(code), Given::Set(name)) => match (by_code(*code), by_name(name)) {
            (Ok(one), Ok(other)) if one.code == other.code => Ok(one),
            (Ok(_), Ok(_)) => {
                Err(Rejection::Disagree { field: Field::Situation, with: Field::SituationCode }.into())
            }
            (Err(one), Err(other)) => Err(Error::Refused(vec![one, other])),
            (Err(one), Ok(_)) | (Ok(_), Err(one)) => Err(one.into()),
        },
        (Given::Set(code), _) => Ok(by_code(*code)?),
        (_, Given::Set(name)) => Ok(by_name(name)?),
        _ => Err(Rejection::NoSituationNamed.into()),
    }
}

/// What is cancelled, or over and taken up again, needs a reason.
fn refuse_reasonless(from: Option<&Situation>, to: &Situation, reason: Option<&str>) -> Result<(), Error> {
    let reopens = from.is_some_and(|from| from.kind.closes()) && !to.kind.closes();
    let needed = reopens || to.kind == SituationKind::Cancelled;
    if needed && reason.is_none_or(|reason| reason.trim().is_empty()) {
        return Err(Rejection::ReasonNeeded { reopens }.into());
    }
    Ok(())
}

fn refuse_move(registers: &Registers, from: Option<&Situation>, to: &Situation) -> Result<(), Error> {
    let Some(from) = from.filter(|from| !registers.may_move(from.code, to.code)) else { return Ok(()) };
    let allowed = read::next_situations(registers, from).map(|one| one.name.to_uppercase()).collect();
    Err(Rejection::MayNotMove { from: from.name.to_uppercase(), to: to.name.to_uppercase(), allowed }.into())
}

/// Writes a note about a case, or to the member. It changes nothing of the case itself, and so no version.
pub async fn note(
    app: &App,
    caller: &Session,
    (kind, code): (CaseKind, i32),
    input: NotaInput,
    once: Once<Whole>,
) -> Result<Done<Whole>, Error> {
    let input = (kind, code, input);
    let operation = operations(kind).note;
    ask(app, caller, operation, input, once, |tx, asked| Box::pin(write_note(tx, asked))).await
}

async fn write_note(tx: &mut Tx, asked: &Asked<(CaseKind, i32, NotaInput)>) -> Result<Whole, Error> {
    let (tenant, (kind, code, input)) = (asked.scope.tenant(), &asked.input);
    let (kind, code, acting) = (*kind, *code, asked.acting());
    confirm(tx, tenant, &asked.registers).await?;
    let told = cases::find(&mut *tx, &asked.scope, kind, code).await?.ok_or_else(|| unknown(kind, code))?;
    let record = (kind.entity(), code);
    let note = Note {
        number: notes::last(&mut *tx, tenant, record).await? + 1,
        written_at: asked.now,
        user: acting.user,
        user_name: None,
        is_message: input.to_member.clone().set().unwrap_or(false),
        text: input.text.as_str().to_owned(),
    };
    let entry = audit::Entry {
        tenant,
        at: asked.now,
        user: acting.user,
        operation: acting.operation,
        person: Some(told.case.head().person),
        detail: Some(format!("{} {code} anotado", name(kind))),
    };
    let audit_code = counters::next(tx, tenant, Counter::Audit).await?;
    tx.batch(vec![notes::insert(tenant, record, &note), audit::insert(&entry, audit_code)]).await?;
    read::whole(tx, asked, kind, code, true).await?.ok_or_else(|| unknown(kind, code))
}

/// An answer that nothing was changed for shows somebody's data all the same.
fn note_look(app: &App, caller: &Session, operation: &'static str, done: &Done<Whole>) -> Result<(), Error> {
    match done {
        Done::Now(whole) if !whole.changed => saw(app, caller, operation, whole.people()),
        _ => Ok(()),
    }
}
