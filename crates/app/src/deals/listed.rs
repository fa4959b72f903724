//! Deals in every situation: as a list, as a board, and one whole with what happened to it.

use super::managed::unknown;
use super::search::read;
use super::{FoundDeal, View, deals};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers, registers};
use crate::happened::{self, History};
use crate::leads;
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
use storage::deals::InStage;
use storage::searches::PAGE;

const LIST: &str = "GET /gestao/negocio";
const BOARD: &str = "GET /gestao/negocio/quadro";
const READ: &str = "GET /gestao/negocio/{codNegocio}";
const HISTORY: &str = "GET /gestao/negocio/{codNegocio}/historico";
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

pub(super) fn within(caller: &Session, branch: Option<BranchCode>) -> Option<Scope> {
    match branch {
        Some(branch) => caller.scope.narrowed(branch),
        None => Some(caller.scope.clone()),
    }
}

/// A page of the deals that were asked for, the last one first.
#[boxed::future]
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

/// The deals of a member that the caller may see, the last one first.
#[boxed::future]
pub async fn of_person(
    app: &App,
    caller: &Session,
    person: PersonCode,
) -> Result<(Vec<FoundDeal>, Arc<Registers>), Error> {
    let registers = registers(app, caller.scope.tenant()).await?;
    let codes = deals::of_person(&app.db, &caller.scope, person, PAGE).await?;
    let rows = found(app, caller, &codes).await?;
    saw(app, caller, LIST, rows.iter().map(|one| one.person))?;
    Ok((rows, registers))
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
#[boxed::future]
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
                Box::pin(deals::in_stages(tx, scope, codes, *responsible, (None, CARDS)))
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

pub(super) async fn found_all(
    app: &App,
    caller: &Session,
    codes: &[DealCode],
) -> Result<Vec<FoundDeal>, Error> {
    let mut all = Vec::with_capacity(codes.len());
    for some in codes.chunks(PAGE as usize) {
        all.extend(found(app, caller, some).await?);
    }
    Ok(all)
}

/// The deal of this code, whole.
#[boxed::future]
pub async fn whole(app: &App, caller: &Session, code: DealCode) -> Result<(View, Arc<Registers>), Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (view, registers) =
        read_by_registers(app, tenant, asked, |tx, (scope, code)| Box::pin(read(tx, scope, *code))).await?;
    saw(app, caller, READ, std::iter::once(view.found.person))?;
    Ok((view, registers))
}

/// What changed of a deal, its stage and its situation included, in order.
#[boxed::future]
pub async fn history(app: &App, caller: &Session, code: DealCode) -> Result<History, Error> {
    let asked = |_: &Registers| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_by_registers(app, tenant, asked, |tx, (scope, code)| {
        Box::pin(async move {
            let deal = deals::at(&mut *tx, scope, &[*code], false).await?.pop().ok_or(unknown(*code))?;
            let found = happened::fields(tx, scope.tenant(), DEAL, code.get()).await?;
            Ok::<_, Error>((deal.person, found))
        })
    })
    .await?;
    saw(app, caller, HISTORY, std::iter::once(person))?;
    Ok(happened::in_order(found, registers))
}
