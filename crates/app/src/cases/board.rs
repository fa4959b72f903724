//! The board of a kind: a column for each of its situations, of which only what is seen is read, and what changed on it
//! since somebody looked.

use super::{Item, operations, read::hours_long};
use crate::access::Session;
use crate::audit::saw;
use crate::base::{Registers, read_by_registers};
use crate::{App, Error};
use domain::{BranchCode, CaseKind, Moment, Scope, SituationCode};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use storage::Tx;
pub use storage::cases::board::Behind;
use storage::cases::board::{self, Part};
use storage::cases::{self, Case};
use storage::situations::Situation;

/// Cards of a column that are read at once.
pub const CARDS: i64 = 50;
/// No column is counted beyond this.
pub const MOST: i64 = 10_000;
/// Whoever has looked away for longer looks anew.
const LOOKED_AWAY: Duration = Duration::from_secs(15 * 60);
/// A unit may be committed this much later than the moment that stands in it, by whatever clock.
const LATER: Duration = Duration::from_secs(10);
/// Changes that are told at once.
const CHANGES: i64 = 100;

/// A situation with its cases: those that came last first where it ends them, else those that wait longest.
pub struct Column {
    pub situation: SituationCode,
    /// How many there are, up to [`MOST`].
    pub total: i64,
    /// And how many of them are past their time.
    pub late: i64,
    pub rows: Vec<Item>,
    /// Where the next part begins, if there is one.
    pub next: Option<Behind>,
}

/// The columns, as the association orders its situations.
pub struct Board {
    pub columns: Vec<Column>,
    pub registers: Arc<Registers>,
    pub now: Moment,
}

/// What somebody looks at: in one branch or all of his, one column behind a place or all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub branch: Option<BranchCode>,
    pub only: Option<(SituationCode, Option<Behind>)>,
}

/// A column that is to be read.
#[derive(Clone, Copy)]
struct Plan {
    situation: SituationCode,
    closes: bool,
    active: bool,
    /// Who came here before this is past his time.
    late_before: Option<Moment>,
}

struct Asked {
    scope: Scope,
    kind: CaseKind,
    plans: Vec<Plan>,
}

fn asked(registers: &Registers, caller: &Session, kind: CaseKind, look: Look, now: Moment) -> Option<Asked> {
    let scope = match look.branch {
        Some(branch) => caller.scope.narrowed(branch)?,
        None => caller.scope.clone(),
    };
    let is_meant = |one: &&Situation| {
        one.entity == kind.entity() && look.only.is_none_or(|(situation, _)| situation == one.code)
    };
    let mut own: Vec<&Situation> = registers.situations.iter().filter(is_meant).collect();
    own.sort_by_key(|one| (one.position, one.code));
    let plan = |one: &Situation| Plan {
        situation: one.code,
        closes: one.kind.closes(),
        active: one.active,
        late_before: one.limit_hours.filter(|_| !one.kind.closes()).map(|hours| now.minus(hours_long(hours))),
    };
    Some(Asked { scope, kind, plans: own.into_iter().map(plan).collect() })
}

/// The board, or a part of one of its columns.
#[boxed::future]
pub async fn board(app: &App, caller: &Session, kind: CaseKind, look: Look) -> Result<Board, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let behind = look.only.and_then(|(_, behind)| behind);
    let input = |registers: &Registers| (asked(registers, caller, kind, look, now), behind);
    let (columns, registers) = read_by_registers(app, tenant, input, |tx, (asked, behind)| {
        Box::pin(async move {
            let Some(asked) = asked else { return Ok(Vec::new()) };
            let mut columns = counted(tx, asked).await?;
            for (plan, column) in &mut columns {
                fill(tx, asked, *plan, column, *behind).await?;
            }
            Ok::<_, Error>(columns.into_iter().map(|(_, column)| column).collect::<Vec<_>>())
        })
    })
    .await?;
    see(app, caller, kind, &columns)?;
    Ok(Board { columns, registers, now })
}

fn see(app: &App, caller: &Session, kind: CaseKind, columns: &[Column]) -> Result<(), Error> {
    let rows = columns.iter().flat_map(|column| &column.rows);
    saw(app, caller, operations(kind).list, rows.map(|row| row.case.head().person))
}

/// The columns without their cards. A situation that is no longer in use is shown as long as something is in it.
async fn counted(tx: &mut Tx, asked: &Asked) -> Result<Vec<(Plan, Column)>, Error> {
    let all = asked.plans.iter().map(|plan| (plan.situation, None));
    let late = asked.plans.iter().filter_map(|plan| Some((plan.situation, Some(plan.late_before?))));
    let wanted: Vec<_> = all.chain(late).collect();
    let counts = board::counts(&mut *tx, &asked.scope, asked.kind, &wanted, MOST).await?;
    let (totals, late) = counts.split_at(asked.plans.len());
    let mut late = late.iter().copied();
    let columns = asked.plans.iter().zip(totals).map(|(plan, total)| {
        let late = plan.late_before.and_then(|_| late.next()).unwrap_or(0);
        let column = Column { situation: plan.situation, total: *total, late, rows: Vec::new(), next: None };
        (*plan, column)
    });
    Ok(columns.filter(|(plan, column)| plan.active || column.total > 0).collect())
}

async fn fill(
    tx: &mut Tx,
    asked: &Asked,
    plan: Plan,
    column: &mut Column,
    behind: Option<Behind>,
) -> Result<(), Error> {
    let part = Part { situation: plan.situation, newest_first: plan.closes, behind, limit: CARDS };
    let codes = board::column(&mut *tx, &asked.scope, asked.kind, part).await?;
    let is_full = codes.len() as i64 == CARDS;
    column.rows = in_order(tx, asked, &codes).await?;
    column.next = column.rows.last().filter(|_| is_full).map(|last| {
        let head = last.case.head();
        (head.situation_since, last.code)
    });
    Ok(())
}

async fn in_order(tx: &mut Tx, asked: &Asked, codes: &[i32]) -> Result<Vec<Item>, Error> {
    let some = cases::some(&mut *tx, &asked.scope, asked.kind, codes).await?;
    let mut told: HashMap<i32, Item> = some.into_iter().map(|one| (one.code, one)).collect();
    Ok(codes.iter().filter_map(|code| told.remove(code)).collect())
}

/// What is past its time of one kind, up to [`MOST`].
#[boxed::future]
pub async fn late(app: &App, caller: &Session, kind: CaseKind) -> Result<i64, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    let input = |registers: &Registers| asked(registers, caller, kind, Look::default(), now);
    let (late, _) = read_by_registers(app, tenant, input, |tx, asked| {
        Box::pin(async move {
            let Some(asked) = asked else { return Ok(0) };
            let wanted: Vec<_> = asked
                .plans
                .iter()
                .filter_map(|plan| Some((plan.situation, Some(plan.late_before?))))
                .collect();
            let counts = board::counts(&mut *tx, &asked.scope, asked.kind, &wanted, MOST).await?;
            Ok::<_, Error>(counts.iter().sum())
        })
    })
    .await?;
    Ok(late)
}

/// What changed on a board since a moment: each column with how many it has now, and with those that changed and are in it.
/// `None` where that is so long ago, or so much, that the board is better read anew.
#[boxed::future]
pub async fn changes(
    app: &App,
    caller: &Session,
    kind: CaseKind,
    branch: Option<BranchCode>,
    since: Moment,
) -> Result<Option<Board>, Error> {
    let (tenant, now) = (caller.scope.tenant(), app.now());
    if now.since(since) > LOOKED_AWAY {
        return Ok(None);
    }
    let look = Look { branch, only: None };
    let input = |registers: &Registers| (asked(registers, caller, kind, look, now), since.minus(LATER));
    let (columns, registers) = read_by_registers(app, tenant, input, |tx, (asked, since)| {
        Box::pin(async move {
            let Some(asked) = asked else { return Ok(Some(Vec::new())) };
            read_changes(tx, asked, *since).await
        })
    })
    .await?;
    let Some(columns) = columns else { return Ok(None) };
    see(app, caller, kind, &columns)?;
    Ok(Some(Board { columns, registers, now }))
}

async fn read_changes(tx: &mut Tx, asked: &Asked, since: Moment) -> Result<Option<Vec<Column>>, Error> {
    let codes = board::changed(&mut *tx, &asked.scope, asked.kind, since, CHANGES).await?;
    if codes.len() as i64 == CHANGES {
        return Ok(None);
    }
    let mut columns: Vec<Column> = counted(tx, asked).await?.into_iter().map(|(_, column)| column).collect();
    for row in in_order(tx, asked, &codes).await? {
        let situation = Case::head(&row.case).situation;
        if let Some(column) = columns.iter_mut().find(|column| column.situation == situation) {
            column.rows.push(row);
        }
    }
    Ok(Some(columns))
}
