//! Deals in every state: list, board, details and history.

use super::move_stage::reject_unknown_deal;
use super::search::load_deal_view;
use super::{DealDetailView, FoundDeal, deals};
use crate::audit::access_log::record_access;
use crate::record_timeline::{self, RecordHistory};
use crate::register_snapshot::{TenantRegisters, load_registers, read_with_registers};
use crate::sales::leads;
use crate::search_page::SearchPage;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedOperation, BranchCode, DealCode, DealState, FunnelCode, InputField, LeadCode, PAGE_SIZE,
    PersonCode, Rejection, Scope, StageCode, UserCode,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::sales::deals::StageSummary;
use wire::field_differences::DEAL;

const LIST: AuditedOperation = AuditedOperation::ListDeals;
const BOARD: AuditedOperation = AuditedOperation::ShowDealBoard;
const READ: AuditedOperation = AuditedOperation::ShowDeal;
const HISTORY: AuditedOperation = AuditedOperation::ShowDealHistory;
/// Cards per stage of the board.
const CARDS_PER_STAGE: i64 = 20;
const ONE_DAY: Duration = Duration::from_hours(24);

/// Filter of the deal list; empty fields do not filter.
#[derive(Clone, Debug, Default)]
pub struct DealPipelineQuery {
    pub filter: Option<String>,
    pub branch: Option<BranchCode>,
    pub funnel: Option<FunnelCode>,
    pub stage: Option<StageCode>,
    pub state: Option<DealState>,
    pub responsible: Option<UserCode>,
    /// Minimum number of days in the present stage.
    pub stalled: Option<i32>,
    /// Starts at 1.
    pub page: i32,
}

pub(super) fn narrow_scope(caller: &Session, branch: Option<BranchCode>) -> Option<Scope> {
    match branch {
        Some(branch) => caller.scope.narrow_to(branch),
        None => Some(caller.scope.clone()),
    }
}

/// A page of deals, most recent first.
#[boxed::future]
pub async fn list_deals(
    app: &App,
    caller: &Session,
    query: DealPipelineQuery,
) -> Result<SearchPage<FoundDeal>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let number = query.page;
    let Some(scope) = narrow_scope(caller, query.branch) else {
        return Ok(SearchPage { rows: Vec::new(), number, total: 0, registers });
    };
    let days = |days: i32| ONE_DAY.saturating_mul(u32::try_from(days).unwrap_or_default());
    let criteria = deals::DealListCriteria {
        funnel: query.funnel,
        stage: query.stage,
        state: query.state,
        responsible: query.responsible,
        since: query.stalled.map(|count| app.now().minus(days(count))),
    };
    let skip = i64::from(number - 1) * PAGE_SIZE;
    let (codes, total) = match &query.filter {
        Some(text) => list_filtered_codes(app, &scope, criteria, text, skip).await?,
        None => {
            let input = (scope, criteria, skip);
            let read = app.db.read(input, |tx, (scope, criteria, skip)| {
                Box::pin(deals::list_deal_page(tx, scope, criteria, (PAGE_SIZE, *skip)))
            });
            read.await?
        }
    };
    let rows = load_deals(app, caller, &codes).await?;
    record_access(app, caller, LIST, rows.iter().map(|one| one.person))?;
    Ok(SearchPage { rows, number, total, registers })
}

/// Deals that match the search text, which are few enough for pagination in memory.
async fn list_filtered_codes(
    app: &App,
    scope: &Scope,
    criteria: deals::DealListCriteria,
    text: &str,
    skip: i64,
) -> Result<(Vec<DealCode>, i64), Error> {
    let leads::ContactFilter { contacts, sequence } = leads::parse_contact_filter(text, true);
    // A deal may be in another branch than its lead: only the branch of the deal counts.
    let lead_codes = leads::list_keys_by_contacts(app, &Scope::for_tenant(scope.tenant()), &contacts).await?;
    let mut lead_codes: Vec<LeadCode> = lead_codes.into_iter().map(|key| key.code).collect();
    lead_codes.sort_unstable();
    lead_codes.dedup();
    let input = (scope.clone(), criteria, lead_codes, sequence);
    let read = app.db.read(input, |tx, (scope, criteria, leads, sequence)| {
        Box::pin(deals::list_deals_by_leads_or_sequence(tx, scope, criteria, (leads, *sequence)))
    });
    let mut codes: Vec<DealCode> = read.await?;
    codes.sort_unstable_by(|one, other| other.cmp(one));
    codes.dedup();
    let total = codes.len() as i64;
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    Ok((codes.into_iter().skip(skip).take(PAGE_SIZE as usize).collect(), total))
}

/// Loads deals in the given order.
async fn load_deals(app: &App, caller: &Session, codes: &[DealCode]) -> Result<Vec<FoundDeal>, Error> {
    let found = deals::list_found_deals(&app.db, &caller.scope, codes).await?;
    let mut found: HashMap<DealCode, FoundDeal> = found.into_iter().map(|one| (one.code, one)).collect();
    Ok(codes.iter().filter_map(|code| found.remove(code)).collect())
}

/// The deals of a member visible to the caller, most recent first.
#[boxed::future]
pub async fn list_person_deals(
    app: &App,
    caller: &Session,
    person: PersonCode,
) -> Result<(Vec<FoundDeal>, Arc<TenantRegisters>), Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let codes = deals::list_deals_of_person(&app.db, &caller.scope, person, PAGE_SIZE).await?;
    let rows = load_deals(app, caller, &codes).await?;
    record_access(app, caller, LIST, rows.iter().map(|one| one.person))?;
    Ok((rows, registers))
}

pub struct FunnelBoard {
    pub funnel: FunnelCode,
    /// In stage order.
    pub stages: Vec<FunnelBoardStage>,
    pub registers: Arc<TenantRegisters>,
}

/// A stage of the board with its first cards.
pub struct FunnelBoardStage {
    pub standing: StageSummary,
    pub cards: Vec<FoundDeal>,
}

/// Reads the open deals of a funnel by stage; of the first funnel by default.
#[boxed::future]
pub async fn read_funnel_board(
    app: &App,
    caller: &Session,
    (funnel, branch, responsible): (Option<FunnelCode>, Option<BranchCode>, Option<UserCode>),
) -> Result<FunnelBoard, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let found = match funnel {
        Some(code) => registers
            .funnel(code)
            .ok_or(Rejection::UnknownCode { field: InputField::Funnel, code: code.get() })?,
        None => registers.first_funnel().ok_or(Rejection::NoStage)?,
    };
    let (funnel, stages) = (found.code, found.stages.clone());
    let codes: Vec<StageCode> = stages.iter().map(|stage| stage.code).collect();
    let summaries = match narrow_scope(caller, branch) {
        Some(scope) => {
            let read = app.db.read((scope, codes, responsible), |tx, (scope, codes, responsible)| {
                Box::pin(deals::list_stage_summaries(tx, scope, codes, *responsible, (None, CARDS_PER_STAGE)))
            });
            read.await?
        }
        None => Vec::new(),
    };
    let cards: Vec<DealCode> = summaries.iter().flat_map(|one| one.first.iter().copied()).collect();
    let cards = load_all_deals(app, caller, &cards).await?;
    let is_shown = |one: &StageSummary| {
        one.count > 0 || stages.iter().any(|stage| stage.code == one.stage && stage.active)
    };
    let columns = summaries.into_iter().filter(is_shown).map(|summary| {
        let own_cards = cards.iter().filter(|card| summary.first.contains(&card.code));
        FunnelBoardStage { cards: own_cards.cloned().collect(), standing: summary }
    });
    let board = FunnelBoard { funnel, stages: columns.collect(), registers };
    record_access(app, caller, BOARD, cards.iter().map(|one| one.person))?;
    Ok(board)
}

pub(super) async fn load_all_deals(
    app: &App,
    caller: &Session,
    codes: &[DealCode],
) -> Result<Vec<FoundDeal>, Error> {
    let mut all = Vec::with_capacity(codes.len());
    for chunk in codes.chunks(PAGE_SIZE as usize) {
        all.extend(load_deals(app, caller, chunk).await?);
    }
    Ok(all)
}

/// Reads a deal with its details.
#[boxed::future]
pub async fn show_deal(
    app: &App,
    caller: &Session,
    code: DealCode,
) -> Result<(DealDetailView, Arc<TenantRegisters>), Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let (view, registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(load_deal_view(tx, scope, *code))
    })
    .await?;
    record_access(app, caller, READ, std::iter::once(view.found_deal.person))?;
    Ok((view, registers))
}

/// Field changes of a deal in order, including stage and state.
#[boxed::future]
pub async fn read_deal_history(app: &App, caller: &Session, code: DealCode) -> Result<RecordHistory, Error> {
    let build_query = |_: &TenantRegisters| (caller.scope.clone(), code);
    let tenant = caller.scope.tenant();
    let ((person, found), registers) = read_with_registers(app, tenant, build_query, |tx, (scope, code)| {
        Box::pin(async move {
            let deal = deals::list_found_deals(&mut *tx, scope, &[*code])
                .await?
                .pop()
                .ok_or(reject_unknown_deal(*code))?;
            let found = record_timeline::list_field_changes(tx, scope.tenant(), DEAL, code.get()).await?;
            Ok::<_, Error>((deal.person, found))
        })
    })
    .await?;
    record_access(app, caller, HISTORY, std::iter::once(person))?;
    Ok(record_timeline::build_record_history(found, registers))
}
