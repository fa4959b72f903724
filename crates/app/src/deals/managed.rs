//! Deals as the association itself moves them: from stage to stage, lost, and opened again.

use super::{Deal, FoundDeal, deals, moved, told};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm};
use crate::benefits::{Asked, ask};
use crate::differences::{self, Difference, Fields, Present, refuse_old};
use crate::once::{Done, Once};
use crate::situations::DEAL;
use crate::{App, Error};
use domain::{DealCode, DealState, Field, PersonCode, Rejection};
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::{Tx, audit};
use wire::read::Given;
use wire::records::{EtapaInput, PerdaInput, ReaberturaInput};

const STAGE: &str = "PUT /gestao/negocio/{codNegocio}/etapa";
const LOSE: &str = "PUT /gestao/negocio/{codNegocio}/perder";
const REOPEN: &str = "PUT /gestao/negocio/{codNegocio}/reabrir";

pub(super) fn unknown(code: DealCode) -> Error {
    Error::NoSuch { field: Field::Deal, code: code.get() }
}

/// A deal as it is now.
#[derive(Clone, Debug)]
pub struct Managed {
    pub found: FoundDeal,
    pub registers: Arc<Registers>,
    pub(super) changed: bool,
}

pub(super) fn note(
    app: &App,
    caller: &Session,
    operation: &'static str,
    done: Done<Managed>,
) -> Result<Done<Managed>, Error> {
    if let Done::Now(Managed { found, changed: false, .. }) = &done {
        saw(app, caller, operation, std::iter::once(found.person))?;
    }
    Ok(done)
}

/// The deal that is meant, if the caller sees it.
pub(super) async fn meant<I>(tx: &mut Tx, asked: &Asked<I>, code: DealCode) -> Result<FoundDeal, Error> {
    confirm(tx, asked.scope.tenant(), &asked.registers).await?;
    let found = deals::at(&mut *tx, &asked.scope, &[code], false).await?.pop();
    found.ok_or(unknown(code))
}

pub(super) fn old<I>(
    asked: &Asked<I>,
    given: Option<i32>,
    before: &Deal,
    wanted: &[Difference],
) -> Option<Rejection> {
    let present = Present { version: before.version, since: before.updated_at };
    given.and_then(|given| refuse_old(given.into(), present, &asked.registers.zone, wanted))
}

/// Moves a deal to another stage of the board.
#[boxed::future]
pub async fn move_to(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: EtapaInput,
    once: Once<Managed>,
) -> Result<Done<Managed>, Error> {
    let done =
        ask(app, caller, STAGE, (code, input), once, |tx, asked| Box::pin(write_stage(tx, asked))).await?;
    note(app, caller, STAGE, done)
}

async fn write_stage(tx: &mut Tx, asked: &Asked<(DealCode, EtapaInput)>) -> Result<Managed, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let registers = &asked.registers;
    let of = registers.funnels.iter().find(|one| one.stages.iter().any(|stage| stage.code == input.stage));
    let is_used = |funnel: &&crate::base::Funnel| {
        funnel.active && funnel.stages.iter().any(|stage| stage.code == input.stage && stage.active)
    };
    let found = meant(tx, asked, code).await;
    let present = found.as_ref().ok().map(|found| found.deal.stage);
    let Some(of) = of.filter(|of| is_used(of) || present == Some(input.stage)) else {
        return Err(Rejection::UnknownCode { field: Field::Stage, code: input.stage.get() }.into());
    };
    let found = found?;
    let before = &found.deal;
    let mut after = before.clone();
    if before.stage != input.stage {
        (after.funnel, after.stage, after.stage_since) = (of.code, input.stage, asked.now);
    }
    let wanted = between(before, &after);
    let mut problems: Vec<Rejection> =
        old(asked, Some(input.version.get()), before, &wanted).into_iter().collect();
    problems.extend(closed(code, before));
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(store(tx, asked, found, after, "mudou de etapa".to_owned())).await
}

/// Only what is open moves.
fn closed(deal: DealCode, before: &Deal) -> Option<Rejection> {
    let won = before.state == DealState::Won;
    (before.state != DealState::Open).then_some(Rejection::ClosedDeal { deal, won })
}

/// Loses a deal, with the reason.
#[boxed::future]
pub async fn lose(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: PerdaInput,
    once: Once<Managed>,
) -> Result<Done<Managed>, Error> {
    let done =
        ask(app, caller, LOSE, (code, input), once, |tx, asked| Box::pin(write_lost(tx, asked))).await?;
    note(app, caller, LOSE, done)
}

async fn write_lost(tx: &mut Tx, asked: &Asked<(DealCode, PerdaInput)>) -> Result<Managed, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let found = meant(tx, asked, code).await?;
    let reason = Some(input.reason.as_str().to_owned());
    let after = Deal { state: DealState::Lost, lost_because: reason, ..found.deal.clone() };
    let wanted = between(&found.deal, &after);
    let version = input.version.clone().set().map(wire::read::Between::get);
    let mut problems: Vec<Rejection> = old(asked, version, &found.deal, &wanted).into_iter().collect();
    if found.deal.state == DealState::Won {
        problems.push(Rejection::ClosedDeal { deal: code, won: true });
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    Box::pin(store(tx, asked, found, after, "perdido".to_owned())).await
}

/// Opens a deal again that was lost, or won without coming to a benefit.
#[boxed::future]
pub async fn reopen(
    app: &App,
    caller: &Session,
    code: DealCode,
    input: ReaberturaInput,
    once: Once<Managed>,
) -> Result<Done<Managed>, Error> {
    let done =
        ask(app, caller, REOPEN, (code, input), once, |tx, asked| Box::pin(write_open(tx, asked))).await?;
    note(app, caller, REOPEN, done)
}

async fn write_open(tx: &mut Tx, asked: &Asked<(DealCode, ReaberturaInput)>) -> Result<Managed, Error> {
    let (code, input) = (asked.input.0, &asked.input.1);
    let found = meant(tx, asked, code).await?;
    let mut after = Deal { state: DealState::Open, lost_because: None, ..found.deal.clone() };
    if found.deal.state != DealState::Open {
        after.stage_since = asked.now;
    }
    let wanted = between(&found.deal, &after);
    let version = input.version.clone().set().map(wire::read::Between::get);
    let mut problems: Vec<Rejection> = old(asked, version, &found.deal, &wanted).into_iter().collect();
    if found.deal.benefit.is_some() {
        problems.push(Rejection::ClosedDeal { deal: code, won: true });
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let done = match &input.reason {
        Given::Set(reason) => format!("reaberto: {}", reason.as_str()),
        Given::Keep | Given::Clear => "reaberto".to_owned(),
    };
    Box::pin(store(tx, asked, found, after, done)).await
}

/// Writes a deal as it becomes, with its move, its changed fields and the audit.
pub(super) async fn store<I>(
    tx: &mut Tx,
    asked: &Asked<I>,
    found: FoundDeal,
    after: Deal,
    done: String,
) -> Result<Managed, Error> {
    let (acting, code) = (asked.acting(), found.code);
    let registers = Arc::clone(&asked.registers);
    if after == found.deal {
        return Ok(Managed { found, registers, changed: false });
    }
    let deal = write(tx, &acting, (code, found.person), &found.deal, after, &done).await?;
    Ok(Managed { found: FoundDeal { deal, ..found }, registers, changed: true })
}

/// The same for every way in which a deal changes.
pub(super) async fn write(
    tx: &mut Tx,
    acting: &crate::situations::Acting<'_>,
    (code, person): (DealCode, PersonCode),
    before: &Deal,
    mut after: Deal,
    done: &str,
) -> Result<Deal, Error> {
    let tenant = acting.tenant;
    after.updated_at = acting.now;
    let changes = between(before, &after);
    let mut statements = vec![deals::update(tenant, code, &after)];
    if (after.stage, after.state) != (before.stage, before.state) {
        let number = deals::last_move(&mut *tx, tenant, code).await? + 1;
        statements.extend(deals::insert_moves(tenant, [(code, &moved(&after, number, acting))]));
    }
    let count = i32::try_from(changes.len()).unwrap_or(i32::MAX);
    let wanted = [(Counter::Audit, 1), (Counter::FieldChange, count)];
    let [audit_code, first] = counters::take_all(tx, tenant, wanted).await?;
    statements.extend(acting.kept(DEAL, code.get(), first, changes));
    statements.push(audit::insert(&told(acting, code, person, done), audit_code));
    tx.batch(statements).await?;
    after.version = before.version + 1;
    Ok(after)
}

pub(super) fn between(before: &Deal, after: &Deal) -> Vec<Difference> {
    differences::between(fields(before), fields(after))
}

/// A deal, field by field.
fn fields(deal: &Deal) -> Fields {
    let plans: Vec<String> = deal.plans.iter().map(ToString::to_string).collect();
    let mut fields = vec![
        ("codLead", Some(deal.lead.to_string())),
        ("titulo", deal.title.clone()),
        ("codFunil", Some(deal.funnel.to_string())),
        ("codEtapa", Some(deal.stage.to_string())),
        ("codLoja", Some(deal.branch.to_string())),
        ("codUsuarioResponsavel", deal.responsible.map(|code| code.to_string())),
        ("tipoBeneficio", deal.kind.map(|kind| wire::names::benefit_kind(kind).to_owned())),
        ("planos", (!plans.is_empty()).then(|| plans.join(", "))),
        ("valor", crate::benefits::told::money(deal.price)),
        ("dataPrevisao", deal.expected_on.clone()),
        ("situacao", Some(wire::names::deal_state(deal.state).to_owned())),
        ("motivoPerda", deal.lost_because.clone()),
        ("observacao", deal.note.clone()),
        ("codBeneficio", deal.benefit.map(|code| code.to_string())),
    ];
    fields.extend(crate::benefits::told::vehicle(&deal.vehicle));
    fields
}
