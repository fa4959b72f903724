//! The board of a funnel, read page by page, and the changes since the last read.

use super::list::{load_all_deals, narrow_scope};
use super::{FoundDeal, deals};
use crate::audit::access_log::record_access;
use crate::register_snapshot::{StoredFunnel, TenantRegisters, load_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BranchCode, DealCode, DealState, FunnelCode, Moment, Money, Rejection, StageCode,
    UserCode,
};
use std::sync::Arc;
use std::time::Duration;

/// Page size of a stage.
pub const CARDS_PER_COLUMN: i64 = 50;
/// After this time a client must read the board again instead of its changes.
const LONGEST_ABSENCE: Duration = Duration::from_mins(15);
/// Allowance for transactions that commit later than their timestamp, and for clock differences.
const CHANGE_OVERLAP: Duration = Duration::from_secs(10);
/// Maximum number of changed deals in one answer.
const CHANGES_PER_ANSWER: i64 = 100;
const BOARD: AuditedOperation = AuditedOperation::ShowDealBoard;

/// A funnel (default: the first), one branch or all visible ones, one responsible user or any; all stages or one page
/// of a single stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardQuery {
    pub funnel: Option<FunnelCode>,
    pub branch: Option<BranchCode>,
    pub responsible: Option<UserCode>,
    pub only: Option<(StageCode, Option<DealCode>)>,
}

/// A stage with a page of its open deals, oldest first.
pub struct BoardColumn {
    pub stage: StageCode,
    pub count: i64,
    pub total: Money,
    pub cards: Vec<FoundDeal>,
    /// Cursor of the next page, if there is one.
    pub next: Option<DealCode>,
}

pub struct BoardView {
    pub funnel: FunnelCode,
    /// In stage order.
    pub columns: Vec<BoardColumn>,
    /// Changed deals that are no longer on this board.
    pub gone: Vec<FoundDeal>,
    pub registers: Arc<TenantRegisters>,
    pub now: Moment,
}

fn find_funnel(registers: &TenantRegisters, funnel: Option<FunnelCode>) -> Result<&StoredFunnel, Error> {
    let named = funnel.and_then(|code| registers.funnel(code));
    named.or_else(|| registers.first_funnel()).ok_or_else(|| Rejection::NoStage.into())
}

/// Reads the columns, each with up to `cards` deals.
async fn read_board_columns(
    app: &App,
    caller: &Session,
    funnel: &StoredFunnel,
    query: BoardQuery,
    cards: i64,
) -> Result<Vec<BoardColumn>, Error> {
    let is_requested = |code: StageCode| query.only.is_none_or(|(stage, _)| stage == code);
    let stages: Vec<StageCode> =
        funnel.stages.iter().map(|one| one.code).filter(|code| is_requested(*code)).collect();
    let Some(scope) = narrow_scope(caller, query.branch) else { return Ok(Vec::new()) };
    let cursor = query.only.and_then(|(_, cursor)| cursor);
    let input = (scope, stages, query.responsible, (cursor, cards + 1));
    let read = app.db.read(input, |tx, (scope, stages, responsible, page)| {
        Box::pin(deals::list_stage_summaries(tx, scope, stages, *responsible, *page))
    });
    let is_used = |code: StageCode| funnel.stages.iter().any(|one| one.code == code && one.active);
    let mut all = Vec::new();
    for mut summary in read.await?.into_iter().filter(|one| one.count > 0 || is_used(one.stage)) {
        let has_more = summary.first.len() as i64 > cards;
        summary.first.truncate(usize::try_from(cards).unwrap_or(usize::MAX));
        let next = summary.first.last().copied().filter(|_| has_more);
        let cards = load_all_deals(app, caller, &summary.first).await?;
        let (stage, count, total) = (summary.stage, summary.count, summary.total);
        all.push(BoardColumn { stage, count, total, cards, next });
    }
    Ok(all)
}

/// Reads all stages, or one page of a single stage.
#[boxed::future]
pub async fn view_board(app: &App, caller: &Session, query: BoardQuery) -> Result<BoardView, Error> {
    let (registers, now) = (load_registers(app, caller.scope.tenant()).await?, app.now());
    let funnel = find_funnel(&registers, query.funnel)?;
    let columns = read_board_columns(app, caller, funnel, query, CARDS_PER_COLUMN).await?;
    record_access(app, caller, BOARD, columns.iter().flat_map(|one| &one.cards).map(|card| card.person))?;
    Ok(BoardView { funnel: funnel.code, columns, gone: Vec::new(), now, registers: Arc::clone(&registers) })
}

/// Reads the changes since a moment; `None` if the board must be read again.
#[boxed::future]
pub async fn view_board_changes(
    app: &App,
    caller: &Session,
    query: BoardQuery,
    since: Moment,
) -> Result<Option<BoardView>, Error> {
    let (registers, now) = (load_registers(app, caller.scope.tenant()).await?, app.now());
    if now.duration_since(since) > LONGEST_ABSENCE {
        return Ok(None);
    }
    let funnel = find_funnel(&registers, query.funnel)?;
    let input = (caller.scope.clone(), since.minus(CHANGE_OVERLAP));
    let read = app.db.read(input, |tx, (scope, since)| {
        Box::pin(deals::list_changed_deals(tx, scope, *since, CHANGES_PER_ANSWER))
    });
    let codes: Vec<DealCode> = read.await?;
    if codes.len() as i64 == CHANGES_PER_ANSWER {
        return Ok(None);
    }
    let mut columns = read_board_columns(app, caller, funnel, BoardQuery { only: None, ..query }, 0).await?;
    let mut removed = Vec::new();
    for card in load_all_deals(app, caller, &codes).await? {
        let deal = &card.deal;
        let is_here = deal.state == DealState::Open
            && query.branch.is_none_or(|branch| deal.branch == branch)
            && query.responsible.is_none_or(|user| deal.responsible == Some(user));
        match columns.iter_mut().find(|column| is_here && column.stage == deal.stage) {
            Some(column) => column.cards.push(card),
            None => removed.push(card),
        }
    }
    let visible_cards = columns.iter().flat_map(|one| &one.cards).chain(&removed);
    record_access(app, caller, BOARD, visible_cards.map(|card| card.person))?;
    Ok(Some(BoardView {
        funnel: funnel.code,
        columns,
        gone: removed,
        now,
        registers: Arc::clone(&registers),
    }))
}
