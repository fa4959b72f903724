//! The board of a funnel as people look at it: a part of a stage after another, and what changed since somebody looked.

use super::list::{load_all_deals, narrow_scope};
use super::{FoundDeal, deals};
use crate::access::Session;
use crate::audit::access_log::record_access;
use crate::registers::snapshot::{StoredFunnel, TenantRegisters, load_registers};
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
pub struct BoardQuery {
    pub funnel: Option<FunnelCode>,
    pub branch: Option<BranchCode>,
    pub responsible: Option<UserCode>,
    pub only: Option<(StageCode, Option<DealCode>)>,
}

/// A stage with some of its open deals, the oldest first.
pub struct BoardColumn {
    pub stage: StageCode,
    pub count: i64,
    /// In cents.
    pub total: i64,
    pub cards: Vec<FoundDeal>,
    /// Behind which deal the next part begins, if there is one.
    pub next: Option<DealCode>,
}

pub struct BoardView {
    pub funnel: FunnelCode,
    /// In their order.
    pub columns: Vec<BoardColumn>,
    /// Of those that changed, the ones that are on this board no longer.
    pub gone: Vec<FoundDeal>,
    pub registers: Arc<TenantRegisters>,
    pub now: Moment,
}

fn find_funnel(registers: &TenantRegisters, funnel: Option<FunnelCode>) -> Result<&StoredFunnel, Error> {
    let named = funnel.and_then(|code| registers.funnel(code));
    named.or_else(|| registers.first_funnel()).ok_or_else(|| Rejection::NoStage.into())
}

/// The columns as they stand, each with `cards` of its deals.
async fn read_board_columns(
    app: &App,
    caller: &Session,
    funnel: &StoredFunnel,
    look: BoardQuery,
    cards: i64,
) -> Result<Vec<BoardColumn>, Error> {
    let is_meant = |code: StageCode| look.only.is_none_or(|(stage, _)| stage == code);
    let stages: Vec<StageCode> =
        funnel.stages.iter().map(|one| one.code).filter(|code| is_meant(*code)).collect();
    let Some(scope) = narrow_scope(caller, look.branch) else { return Ok(Vec::new()) };
    let behind = look.only.and_then(|(_, behind)| behind);
    let input = (scope, stages, look.responsible, (behind, cards + 1));
    let read = app.db.read(input, |tx, (scope, stages, responsible, part)| {
        Box::pin(deals::list_stage_summaries(tx, scope, stages, *responsible, *part))
    });
    let is_used = |code: StageCode| funnel.stages.iter().any(|one| one.code == code && one.active);
    let mut all = Vec::new();
    for mut standing in read.await?.into_iter().filter(|one| one.count > 0 || is_used(one.stage)) {
        let has_more = standing.first.len() as i64 > cards;
        standing.first.truncate(usize::try_from(cards).unwrap_or(usize::MAX));
        let next = standing.first.last().copied().filter(|_| has_more);
        let cards = load_all_deals(app, caller, &standing.first).await?;
        let (stage, count, total) = (standing.stage, standing.count, standing.total);
        all.push(BoardColumn { stage, count, total, cards, next });
    }
    Ok(all)
}

/// The board, or a part of one of its stages.
#[boxed::future]
pub async fn view_board(app: &App, caller: &Session, look: BoardQuery) -> Result<BoardView, Error> {
    let (registers, now) = (load_registers(app, caller.scope.tenant()).await?, app.now());
    let funnel = find_funnel(&registers, look.funnel)?;
    let columns = read_board_columns(app, caller, funnel, look, CARDS).await?;
    record_access(app, caller, BOARD, columns.iter().flat_map(|one| &one.cards).map(|card| card.person))?;
    Ok(BoardView { funnel: funnel.code, columns, gone: Vec::new(), now, registers: Arc::clone(&registers) })
}

/// What changed on the board since somebody looked; `None` where it is better looked at anew.
#[boxed::future]
pub async fn view_board_changes(
    app: &App,
    caller: &Session,
    look: BoardQuery,
    since: Moment,
) -> Result<Option<BoardView>, Error> {
    let (registers, now) = (load_registers(app, caller.scope.tenant()).await?, app.now());
    if now.duration_since(since) > LOOKED_AWAY {
        return Ok(None);
    }
    let funnel = find_funnel(&registers, look.funnel)?;
    let input = (caller.scope.clone(), since.minus(LATER));
    let read = app
        .db
        .read(input, |tx, (scope, since)| Box::pin(deals::list_changed_deals(tx, scope, *since, CHANGES)));
    let codes: Vec<DealCode> = read.await?;
    if codes.len() as i64 == CHANGES {
        return Ok(None);
    }
    let mut columns = read_board_columns(app, caller, funnel, BoardQuery { only: None, ..look }, 0).await?;
    let mut gone = Vec::new();
    for card in load_all_deals(app, caller, &codes).await? {
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
    record_access(app, caller, BOARD, seen.map(|card| card.person))?;
    Ok(Some(BoardView { funnel: funnel.code, columns, gone, now, registers: Arc::clone(&registers) }))
}
