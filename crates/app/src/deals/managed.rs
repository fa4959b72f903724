//! Deals as the association itself sees and moves them: in every situation, as a list and as a board.

use super::search::read;
use super::{Deal, FoundDeal, View, deals, moved, told};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, confirm, read_by_registers, registers};
use crate::benefits::{Asked, ask};
use crate::differences::{self, Difference, Fields, Present, refuse_old};
use crate::leads;
use crate::once::{Done, Once};
use crate::searches::Page;
use crate::situations::DEAL;
use crate::{App, Error};
use domain::{
    BranchCode, DealCode, DealState, Field, FunnelCode, LeadCode, PersonCode, Rejection, Scope, StageCode,
    UserCode,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::deals::InStage;
use storage::searches::PAGE;
use storage::{Tx, audit};
use wire::read::Given;
use wire::records::{EtapaInput, PerdaInput, ReaberturaInput};

const LIST: &str = "GET /gestao/negocio";
const BOARD: &str = "GET /gestao/negocio/quadro";
const READ: &str = "GET /gestao/negocio/{codNegocio}";
const STAGE: &str = "PUT /gestao/negocio/{codNegocio}/etapa";
const LOSE: &str = "PUT /gestao/negocio/{codNegocio}/perder";
const REOPEN: &str = "PUT /gestao/negocio/{codNegocio}/reabrir";
/// Cards that a board shows of each stage.
const CARDS: i64 = 20;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Which deals are asked for; what is empty asks for nothing.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub filter: Option<String>,
    pub branch: Option<BranchCode>,
    pub funnel: Option<FunnelCode>,
    pub stage: Option<StageCode>,
    pub state: Option<DealState>,
    pub responsible: Option<UserCode>,
    /// For so many days in their stage, or longer.
    pub stalled: Option<i32>,
    /// From 1.
    pub page: i32,
}

pub(super) fn unknown(code: DealCode) -> Error {
    Error::NoSuch { field: Field::Deal, code: code.get() }
}

fn within(caller: &Session, branch: Option<BranchCode>) -> Option<Scope> {
    match branch {
        Some(branch) => caller.scope.narrowed(branch),
        None => Some(caller.scope.clone()),
    }
}

/// A page of the deals that were asked for, the last one first.
pub async fn page(app: &App, caller: &Session, wanted: Wanted) -> Result<Page<FoundDeal>, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let number = wanted.page;
    let Some(scope) = within(caller, wanted.branch) else {
        return Ok(Page { rows: Vec::new(), number, total: 0, registers });
    };
    let days = |days: i32| DAY.saturating_mul(u32::try_from(days).unwrap_or_default());
    let asked = deals::Wanted {
        funnel: wanted.funnel,
        stage: wanted.stage,
        state: wanted.state,
        responsible: wanted.responsible,
        since: wanted.stalled.map(|count| app.now().minus(days(count))),
    };
    let skip = i64::from(number - 1) * PAGE;
    let (codes, total) = match &wanted.filter {
        Some(text) => filtered(app, &scope, asked, text, skip).await?,
        None => {
            let input = (scope, asked, skip);
            let read = app.db.read(input, |tx, (scope, asked, skip)| {
                Box::pin(deals::page(tx, scope, asked, (PAGE, *skip)))
            });
            read.await?
        }
    };
    let rows = found(app, caller, &codes).await?;
    saw(app, caller, LIST, rows.iter().map(|one| one.person))?;
    Ok(Page { rows, number, total, registers })
}

/// Those of whom the words may speak. They are few enough to be gone through here.
async fn filtered(
    app: &App,
    scope: &Scope,
    asked: deals::Wanted,
    text: &str,
    skip: i64,
) -> Result<(Vec<DealCode>, i64), Error> {
    let leads::Filter { contacts, sequence } = leads::filter(text, true);
    // A deal may be in another branch than its lead: the deal's own is looked at.
    let of = leads::with(app, &Scope::whole(scope.tenant()), &contacts).await?;
    let mut of: Vec<LeadCode> = of.into_iter().map(|key| key.code).collect();
    of.sort_unstable();
    of.dedup();
    let input = (scope.clone(), asked, of, sequence);
    let read = app.db.read(input, |tx, (scope, asked, leads, sequence)| {
        Box::pin(deals::of_some(tx, scope, asked, (leads, *sequence)))
    });
    let mut codes: Vec<DealCode> = read.await?;
    codes.sort_unstable_by(|one, other| other.cmp(one));
    codes.dedup();
    let total = codes.len() as i64;
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    Ok((codes.into_iter().skip(skip).take(PAGE as usize).collect(), total))
}

/// The deals of these codes, in their order.
async fn found(app: &App, caller: &Session, codes: &[DealCode]) -> Result<Vec<FoundDeal>, Error> {
    let found = deals::at(&app.db, &caller.scope, codes, false).await?;
    let mut found: HashMap<DealCode, FoundDeal> = found.into_iter().map(|one| (one.code, one)).collect();
    Ok(codes.iter().filter_map(|code| found.remove(code)).collect())
}

/// The board of a funnel.
pub struct Board {
    pub funnel: FunnelCode,
    /// In their order.
    pub stages: Vec<Column>,
    pub registers: Arc<Registers>,
}

/// A stage of the board, with its first cards.
pub struct Column {
    pub standing: InStage,
    pub cards: Vec<FoundDeal>,
}

/// The open deals of a funnel, stage by stage; of the first funnel, where none is named.
pub async fn board(
    app: &App,
    caller: &Session,
    (funnel, branch, responsible): (Option<FunnelCode>, Option<BranchCode>, Option<UserCode>),
) -> Result<Board, Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let found = match funnel {
        Some(code) => {
            registers.funnel(code).ok_or(Rejection::UnknownCode { field: Field::Funnel, code: code.get() })?
        }
        None => registers.first_funnel().ok_or(Rejection::NoStage)?,
    };
    let (funnel, stages) = (found.code, found.stages.clone());
    let codes: Vec<StageCode> = stages.iter().map(|stage| stage.code).collect();
    let standing = match within(caller, branch) {
        Some(scope) => {
            let read = app.db.read((scope, codes, responsible), |tx, (scope, codes, responsible)| {
                Box::pin(deals::in_stages(tx, scope, codes, *responsible, CARDS))
            });
            read.await?
        }
        None => Vec::new(),
    };
    let cards: Vec<DealCode> = standing.iter().flat_map(|one| one.first.iter().copied()).collect();
    let cards = found_all(app, caller, &cards).await?;
    let is_shown =
        |one: &InStage| one.count > 0 || stages.iter().any(|stage| stage.code == one.stage && stage.active);
    let columns = standing.into_iter().filter(is_shown).map(|standing| {
        let own = cards.iter().filter(|card| standing.first.contains(&card.code));
        Column { cards: own.cloned().collect(), standing }
    });
    let board = Board { funnel, stages: columns.collect(), registers };
    saw(app, caller, BOARD, cards.iter().map(|one| one.person))?;
    Ok(board)
}

async fn found_all(app: &App, caller: &Session, codes: &[DealCode]) -> Result<Vec<FoundDeal>, Error> {
    let mut all = Vec::with_capacity(codes.len());
    for some in codes.chunks(PAGE as usize) {
        all.extend(found(app, caller, some).await?);
    }
    Ok(all)
}

/// The deal of this code, whole.
pub async fn whole(app: &App, caller: &Session, code: DealCode) -> Result<(View, Arc<Registers>), Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (view, registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, code)| Box::pin(read(tx, scope, *code))).await?;
    saw(app, caller, READ, std::iter::once(view.found.person))?;
    Ok((view, registers))
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
