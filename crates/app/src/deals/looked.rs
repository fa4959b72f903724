//! The board of a funnel as people look at it: a part of a stage after another, and what changed since somebody looked.

use super::listed::{found_all, within};
use super::{FoundDeal, deals};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Funnel, Registers, registers};
use crate::{App, Error};
use domain::{BranchCode, DealCode, DealState, FunnelCode, Moment, Rejection, StageCode, UserCode};
use std::sync::Arc;
use std::time::Duration;

/// Cards of a stage that are read at once.
pub const CARDS: i64 = 50;
/// Whoever has looked away for longer looks anew.
const LOOKED_AWAY: Duration = Duration::from_secs(15 * 60);
/// A unit may be committed this much later than the moment that stands in it, by whatever clock.
const LATER: Duration = Duration::from_secs(10);
/// Changes that are told at once.
const CHANGES: i64 = 100;
const BOARD: &str = "GET /gestao/negocio/quadro";

/// What somebody looks at: a funnel (the first, where none is named), in one branch or all of his, whoever sees to them or
/// one of them; one stage behind a deal, or all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub funnel: Option<FunnelCode>,
    pub branch: Option<BranchCode>,
    pub responsible: Option<UserCode>,
    pub only: Option<(StageCode, Option<DealCode>)>,
}

/// A stage with some of its open deals, the oldest first.
pub struct Column {
    pub stage: StageCode,
    pub count: i64,
    /// In cents.
    pub total: i64,
    pub cards: Vec<FoundDeal>,
    /// Behind which deal the next part begins, if there is one.
    pub next: Option<DealCode>,
}

pub struct Board {
    pub funnel: FunnelCode,
    /// In their order.
    pub columns: Vec<Column>,
    /// Of those that changed, the ones that are on this board no longer.
    pub gone: Vec<FoundDeal>,
    pub registers: Arc<Registers>,
    pub now: Moment,
}

fn meant(registers: &Registers, funnel: Option<FunnelCode>) -> Result<&Funnel, Error> {
    let named = funnel.and_then(|code| registers.funnel(code));
    named.or_else(|| registers.first_funnel()).ok_or_else(|| Rejection::NoStage.into())
}

/// The columns as they stand, each with `cards` of its deals.
async fn columns(
    app: &App,
    caller: &Session,
    funnel: &Funnel,
    look: Look,
    cards: i64,
) -> Result<Vec<Column>, Error> {
    let is_meant = |code: StageCode| look.only.is_none_or(|(stage, _)| stage == code);
    let stages: Vec<StageCode> =
        funnel.stages.iter().map(|one| one.code).filter(|code| is_meant(*code)).collect();
    let Some(scope) = within(caller, look.branch) else { return Ok(Vec::new()) };
    let behind = look.only.and_then(|(_, behind)| behind);
    let input = (scope, stages, look.responsible, (behind, cards + 1));
    let read = app.db.read(input, |tx, (scope, stages, responsible, part)| {
        Box::pin(deals::in_stages(tx, scope, stages, *responsible, *part))
    });
    let is_used = |code: StageCode| funnel.stages.iter().any(|one| one.code == code && one.active);
    let mut all = Vec::new();
    for mut standing in read.await?.into_iter().filter(|one| one.count > 0 || is_used(one.stage)) {
        let has_more = standing.first.len() as i64 > cards;
        standing.first.truncate(usize::try_from(cards).unwrap_or(usize::MAX));
        let next = standing.first.last().copied().filter(|_| has_more);
        let cards = found_all(app, caller, &standing.first).await?;
        let (stage, count, total) = (standing.stage, standing.count, standing.total);
        all.push(Column { stage, count, total, cards, next });
    }
    Ok(all)
}

/// The board, or a part of one of its stages.
#[boxed::future]
pub async fn board(app: &App, caller: &Session, look: Look) -> Result<Board, Error> {
    let (registers, now) = (registers(app, caller.scope.tenant()).await?, app.now());
    let funnel = meant(&registers, look.funnel)?;
    let columns = columns(app, caller, funnel, look, CARDS).await?;
    saw(app, caller, BOARD, columns.iter().flat_map(|one| &one.cards).map(|card| card.person))?;
    Ok(Board { funnel: funnel.code, columns, gone: Vec::new(), now, registers: Arc::clone(&registers) })
}

/// What changed on the board since somebody looked; `None` where it is better looked at anew.
#[boxed::future]
pub async fn changes(app: &App, caller: &Session, look: Look, since: Moment) -> Result<Option<Board>, Error> {
    let (registers, now) = (registers(app, caller.scope.tenant()).await?, app.now());
    if now.since(since) > LOOKED_AWAY {
        return Ok(None);
    }
    let funnel = meant(&registers, look.funnel)?;
    let input = (caller.scope.clone(), since.minus(LATER));
    let read = app.db.read(input, |tx, (scope, since)| Box::pin(deals::changed(tx, scope, *since, CHANGES)));
    let codes: Vec<DealCode> = read.await?;
    if codes.len() as i64 == CHANGES {
        return Ok(None);
    }
    let mut columns = columns(app, caller, funnel, Look { only: None, ..look }, 0).await?;
    let mut gone = Vec::new();
    for card in found_all(app, caller, &codes).await? {
        let deal = &card.deal;
        let is_here = deal.state == DealState::Open
            && look.branch.is_none_or(|branch| deal.branch == branch)
            && look.responsible.is_none_or(|user| deal.responsible == Some(user));
        match columns.iter_mut().find(|column| is_here && column.stage == deal.stage) {
            Some(column) => column.cards.push(card),
            None => gone.push(card),
        }
    }
    let seen = columns.iter().flat_map(|one| &one.cards).chain(&gone);
    saw(app, caller, BOARD, seen.map(|card| card.person))?;
    Ok(Some(Board { funnel: funnel.code, columns, gone, now, registers: Arc::clone(&registers) }))
}
