//! The board of a case kind: one column per situation, read page by page, and the changes since the last read.

use super::ResolvedCase;
use super::time_limit::find_time_limit;
use crate::audit::access_log::record_access;
use crate::register_snapshot::{TenantRegisters, read_with_registers};
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, BranchCode, Case, CaseKind, CaseOperation, Moment, Scope, SituationCode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::Tx;
use storage::cases;
pub use storage::cases::board::ColumnCursor;
use storage::cases::board::{self, BoardColumnQuery};
use storage::registers::situations::StoredSituation;

/// Page size of a column.
pub const CARDS_PER_COLUMN: i64 = 50;
/// Columns are counted up to this number.
pub const LARGEST_COUNT: i64 = 10_000;
/// After this time a client must read the board again instead of its changes.
const LONGEST_ABSENCE: Duration = Duration::from_mins(15);
/// Allowance for transactions that commit later than their timestamp, and for clock differences.
const CHANGE_OVERLAP: Duration = Duration::from_secs(10);
/// Maximum number of changed cases in one answer.
const CHANGES_PER_ANSWER: i64 = 100;

/// A situation with its cases: newest first if the situation closes a case, else longest waiting first.
pub struct SituationColumn {
    pub situation: SituationCode,
    /// Number of cases, up to [`LARGEST_COUNT`].
    pub total: i64,
    /// Number of cases past their time limit.
    pub late: i64,
    pub rows: Vec<ResolvedCase>,
    /// Cursor of the next page, if there is one.
    pub next: Option<ColumnCursor>,
}

/// The columns in the order of the tenant's situations.
pub struct CaseSituationBoard {
    pub columns: Vec<SituationColumn>,
    pub registers: Arc<TenantRegisters>,
    pub now: Moment,
}

/// One branch or all visible ones; all columns or one page of a single column.
#[derive(Clone, Copy, Debug, Default)]
pub struct SituationBoardQuery {
    pub branch: Option<BranchCode>,
    pub only: Option<(SituationCode, Option<ColumnCursor>)>,
}

#[derive(Clone, Copy)]
struct ColumnPlan {
    situation: SituationCode,
    closes: bool,
    active: bool,
    /// Cases in the situation since before this moment are late.
    late_before: Option<Moment>,
}

struct BoardReadPlan {
    scope: Scope,
    kind: CaseKind,
    plans: Vec<ColumnPlan>,
}

fn plan_board(
    registers: &TenantRegisters,
    caller: &Session,
    kind: CaseKind,
    query: SituationBoardQuery,
    now: Moment,
) -> Option<BoardReadPlan> {
    let scope = match query.branch {
        Some(branch) => caller.scope.narrow_to(branch)?,
        None => caller.scope.clone(),
    };
    let is_selected = |one: &&StoredSituation| {
        one.entity == kind.entity() && query.only.is_none_or(|(situation, _)| situation == one.code)
    };
    let mut selected: Vec<&StoredSituation> = registers.situations.iter().filter(is_selected).collect();
    selected.sort_by_key(|one| (one.position, one.code));
    let plan = |one: &StoredSituation| ColumnPlan {
        situation: one.code,
        closes: one.kind.is_final(),
        active: one.active,
        late_before: find_time_limit(one).map(|limit| now.minus(limit)),
    };
    Some(BoardReadPlan { scope, kind, plans: selected.into_iter().map(plan).collect() })
}

/// Reads all columns, or one page of a single column.
#[boxed::future]
pub async fn read_board(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    query: SituationBoardQuery,
) -> Result<CaseSituationBoard, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let cursor = query.only.and_then(|(_, cursor)| cursor);
    let input = |registers: &TenantRegisters| (plan_board(registers, caller, kind, query, now), cursor);
    let (columns, registers) = read_with_registers(app, tenant, input, |tx, (read_plan, cursor)| {
        Box::pin(async move {
            let Some(read_plan) = read_plan else { return Ok(Vec::new()) };
            let mut columns = count_columns(tx, read_plan).await?;
            for (plan, column) in &mut columns {
                fill_column(tx, read_plan, *plan, column, *cursor).await?;
            }
            Ok::<_, Error>(columns.into_iter().map(|(_, column)| column).collect::<Vec<_>>())
        })
    })
    .await?;
    record_board_access(app, caller, kind, &columns)?;
    Ok(CaseSituationBoard { columns, registers, now })
}

fn record_board_access(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    columns: &[SituationColumn],
) -> Result<(), Error> {
    let rows = columns.iter().flat_map(|column| &column.rows);
    record_access(
        app,
        caller,
        AuditedOperation::Case(kind, CaseOperation::List),
        rows.map(|row| row.case.head().person),
    )
}

/// Counts the columns without reading cards. An inactive situation is shown only while it has cases.
async fn count_columns(
    tx: &mut Tx,
    read_plan: &BoardReadPlan,
) -> Result<Vec<(ColumnPlan, SituationColumn)>, Error> {
    let all = read_plan.plans.iter().map(|plan| (plan.situation, None));
    let late = read_plan.plans.iter().filter_map(|plan| Some((plan.situation, Some(plan.late_before?))));
    let requests: Vec<_> = all.chain(late).collect();
    let counts =
        board::count_cases_by_situation(&mut *tx, &read_plan.scope, read_plan.kind, &requests, LARGEST_COUNT)
            .await?;
    let (totals, late) = counts.split_at(read_plan.plans.len());
    let mut late = late.iter().copied();
    let columns = read_plan.plans.iter().zip(totals).map(|(plan, total)| {
        let late = plan.late_before.and_then(|_| late.next()).unwrap_or(0);
        let column =
            SituationColumn { situation: plan.situation, total: *total, late, rows: Vec::new(), next: None };
        (*plan, column)
    });
    Ok(columns.filter(|(plan, column)| plan.active || column.total > 0).collect())
}

async fn fill_column(
    tx: &mut Tx,
    read_plan: &BoardReadPlan,
    plan: ColumnPlan,
    column: &mut SituationColumn,
    cursor: Option<ColumnCursor>,
) -> Result<(), Error> {
    let column_query = BoardColumnQuery {
        situation: plan.situation,
        newest_first: plan.closes,
        behind: cursor,
        limit: CARDS_PER_COLUMN,
    };
    let codes = board::list_column_cases(&mut *tx, &read_plan.scope, read_plan.kind, column_query).await?;
    let is_full = codes.len() as i64 == CARDS_PER_COLUMN;
    column.rows = load_cases_in_order(tx, read_plan, &codes).await?;
    column.next = column.rows.last().filter(|_| is_full).map(|last| {
        let head = last.case.head();
        (head.situation_since, last.code)
    });
    Ok(())
}

async fn load_cases_in_order(
    tx: &mut Tx,
    read_plan: &BoardReadPlan,
    codes: &[i32],
) -> Result<Vec<ResolvedCase>, Error> {
    let loaded = cases::list_cases_by_codes(&mut *tx, &read_plan.scope, read_plan.kind, codes).await?;
    let mut by_code: HashMap<i32, ResolvedCase> = loaded.into_iter().map(|one| (one.code, one)).collect();
    Ok(codes.iter().filter_map(|code| by_code.remove(code)).collect())
}

/// Counts the late cases of a kind; each situation counts up to [`LARGEST_COUNT`].
#[boxed::future]
pub async fn count_late_cases(app: &App, caller: &Session, kind: CaseKind) -> Result<i64, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let input = |registers: &TenantRegisters| {
        plan_board(registers, caller, kind, SituationBoardQuery::default(), now)
    };
    let (late, _) = read_with_registers(app, tenant, input, |tx, read_plan| {
        Box::pin(async move {
            let Some(read_plan) = read_plan else { return Ok(0) };
            let requests: Vec<_> = read_plan
                .plans
                .iter()
                .filter_map(|plan| Some((plan.situation, Some(plan.late_before?))))
                .collect();
            let counts = board::count_cases_by_situation(
                &mut *tx,
                &read_plan.scope,
                read_plan.kind,
                &requests,
                LARGEST_COUNT,
            )
            .await?;
            Ok::<_, Error>(counts.iter().sum())
        })
    })
    .await?;
    Ok(late)
}

/// Reads what changed since a moment: every column with its present count and the changed cases that are in it now.
/// Returns `None` if the moment is too long ago or too much has changed; then the board must be read again.
#[boxed::future]
pub async fn read_board_changes(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    branch: Option<BranchCode>,
    since: Moment,
) -> Result<Option<CaseSituationBoard>, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    if now.duration_since(since) > LONGEST_ABSENCE {
        return Ok(None);
    }
    let query = SituationBoardQuery { branch, only: None };
    let input = |registers: &TenantRegisters| {
        (plan_board(registers, caller, kind, query, now), since.minus(CHANGE_OVERLAP))
    };
    let (columns, registers) = read_with_registers(app, tenant, input, |tx, (read_plan, since)| {
        Box::pin(async move {
            let Some(read_plan) = read_plan else { return Ok(Some(Vec::new())) };
            read_changed_columns(tx, read_plan, *since).await
        })
    })
    .await?;
    let Some(columns) = columns else { return Ok(None) };
    record_board_access(app, caller, kind, &columns)?;
    Ok(Some(CaseSituationBoard { columns, registers, now }))
}

async fn read_changed_columns(
    tx: &mut Tx,
    read_plan: &BoardReadPlan,
    since: Moment,
) -> Result<Option<Vec<SituationColumn>>, Error> {
    let codes =
        board::list_changed_cases(&mut *tx, &read_plan.scope, read_plan.kind, since, CHANGES_PER_ANSWER)
            .await?;
    if codes.len() as i64 == CHANGES_PER_ANSWER {
        return Ok(None);
    }
    let mut columns: Vec<SituationColumn> =
        count_columns(tx, read_plan).await?.into_iter().map(|(_, column)| column).collect();
    for row in load_cases_in_order(tx, read_plan, &codes).await? {
        let situation = Case::head(&row.case).situation;
        if let Some(column) = columns.iter_mut().find(|column| column.situation == situation) {
            column.rows.push(row);
        }
    }
    Ok(Some(columns))
}
