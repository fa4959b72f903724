//! A board of cases: a column for each situation. Whatever the association has, only what is seen of a column is read, and
//! what stands in it is counted no further than anybody wants to know.

use super::kept;
use super::search::APART;
use crate::{Error, Source, Statement, Value, Weight, sql};
use domain::{BranchCode, Branches, CaseKind, Moment, Scope, SituationCode};

/// A place in a column: since when a case is in its situation, and its code.
pub type Behind = (Moment, i32);

/// Which part of a column.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub situation: SituationCode,
    /// What came last stands first, else what waits longest.
    pub newest_first: bool,
    pub behind: Option<Behind>,
    pub limit: i64,
}

/// The cases of a part of a column, in their order.
#[boxed::future]
pub async fn column(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    part: Part,
) -> Result<Vec<i32>, Error> {
    let (order, past) = match part.newest_first {
        true => ("ORDER BY situation_since DESC, code DESC", "AND (situation_since, code) < (?, ?)"),
        false => ("ORDER BY situation_since, code", "AND (situation_since, code) > (?, ?)"),
    };
    let one = |head: Statement| {
        let led = in_situation(head.ending("SELECT code, situation_since"), scope, kind, part.situation);
        match part.behind {
            Some((at, code)) => led.then(past, [Value::from(at), code.into()]),
            None => led,
        }
    };
    // Each branch has an order of its own; the first rows of each are put together.
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        Branches::Only(some) if some.is_empty() => return Ok(Vec::new()),
        Branches::Only(some) if some.len() <= APART => some.iter().copied().map(Some).collect(),
        _ => vec![None],
    };
    let head = sql("SELECT code FROM (");
    let found = branches.iter().enumerate().fold(head, |head, (number, branch)| {
        let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
        let lane = one(head.ending(union));
        let lane = match branch {
            Some(branch) => lane.then("AND branch = ?", [*branch]),
            None => lane.scoped("branch + 0", scope.branches()),
        };
        lane.ending(order).then("LIMIT ?) AS one", [part.limit])
    });
    let ordered = found.ending(") AS every").ending(order).then("LIMIT ?", [part.limit]);
    let rows = from.all(Weight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

fn in_situation(head: Statement, scope: &Scope, kind: CaseKind, situation: SituationCode) -> Statement {
    head.ending("FROM")
        .ending(kept(kind).table)
        .then("WHERE tenant = ? AND situation = ?", [Value::from(scope.tenant()), situation.into()])
}

/// How many cases are in each of these situations, those alone that came there before a moment where one is named; none is
/// counted beyond `most`.
#[boxed::future]
pub async fn counts(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    wanted: &[(SituationCode, Option<Moment>)],
    most: i64,
) -> Result<Vec<i64>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let counted = wanted.iter().enumerate().fold(sql(""), |head, (number, (situation, before))| {
        let union = if number == 0 { "" } else { "UNION ALL " };
        let select = format!(
            "{union}SELECT CAST({number} AS BIGINT) AS number, COUNT(*) AS count FROM (SELECT 1 AS one"
        );
        in_situation(head.ending(&select), scope, kind, *situation)
            .when("AND situation_since < ?", *before)
            .scoped("branch", scope.branches())
            .then(&format!("LIMIT ?) AS few{number}"), [most])
    });
    let mut counts = vec![0; wanted.len()];
    for row in from.all(Weight::Search, counted).await? {
        let number: i64 = row.get("number")?;
        if let Some(count) = usize::try_from(number).ok().and_then(|number| counts.get_mut(number)) {
            *count = row.get("count")?;
        }
    }
    Ok(counts)
}

/// The cases that changed at a moment or after it, the first first.
#[boxed::future]
pub async fn changed(
    from: impl Into<Source<'_>>,
    scope: &Scope,
    kind: CaseKind,
    since: Moment,
    limit: i64,
) -> Result<Vec<i32>, Error> {
    let statement = sql("SELECT code FROM")
        .ending(kept(kind).table)
        .then("WHERE tenant = ? AND updated_at >= ?", [Value::from(scope.tenant()), since.into()])
        .scoped("branch + 0", scope.branches())
        .then("ORDER BY updated_at, code LIMIT ?", [limit]);
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
