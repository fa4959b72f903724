//! A case moved to a situation, which has its own rules, and notes about it.

use super::{Note, Whole, note_look, operations, read, refuse_old, unknown};
use crate::access::Session;
use crate::base::{Registers, confirm};
use crate::benefits::{Asked, ask};
use crate::differences;
use crate::once::{Done, Once};
use crate::situations::cases::{Store, name, store};
use crate::{App, Error};
use domain::{CaseKind, Field, Rejection, SituationCode, SituationKind};
use storage::counters::{self, Counter};
use storage::situations::Situation;
use storage::{Tx, audit, cases, notes};
use wire::read::Given;
use wire::records::{NotaInput, SituacaoInput};

/// Moves a case to a situation.
#[boxed::future]
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
#[boxed::future]
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
