//! A board of cases with one column per situation. Only the visible part of a column is read, and counts stop at a
//! limit, so the cost does not depend on the size of the tenant.

use super::search::MOST_MERGED_ORDERS;
use super::table_layout::describe_case_table;
use crate::{Error, QueryWeight, ReadSource, SqlScalar, Statement, sql};
use domain::{BranchCode, CaseKind, Moment, Scope, SituationCode, VisibleBranches};

/// A position in a column: when the case entered its situation, and its code.
pub type ColumnCursor = (Moment, i32);

/// The part of a column to read.
#[derive(Clone, Copy, Debug)]
pub struct BoardColumnQuery {
    pub situation: SituationCode,
    /// Newest first; otherwise longest waiting first.
    pub newest_first: bool,
    pub behind: Option<ColumnCursor>,
    pub limit: i64,
}

/// The cases of a part of a column, in order.
#[boxed::future]
pub async fn list_column_cases(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    part: BoardColumnQuery,
) -> Result<Vec<i32>, Error> {
    let (order, past) = match part.newest_first {
        true => ("ORDER BY situation_since DESC, code DESC", "AND (situation_since, code) < (?, ?)"),
        false => ("ORDER BY situation_since, code", "AND (situation_since, code) > (?, ?)"),
    };
    let one = |head: Statement| {
        let filtered = append_situation_filter(
            head.append_text("SELECT code, situation_since"),
            scope,
            kind,
            part.situation,
        );
        match part.behind {
            Some((at, code)) => filtered.append(past, [SqlScalar::from(at), code.into()]),
            None => filtered,
        }
    };
    // Each branch has its own index order; the first rows of each are merged.
    let branches: Vec<Option<BranchCode>> = match scope.branches() {
        VisibleBranches::Only(allowed) if allowed.is_empty() => return Ok(Vec::new()),
        VisibleBranches::Only(allowed) if allowed.len() <= MOST_MERGED_ORDERS => {
            allowed.iter().copied().map(Some).collect()
        }
        _ => vec![None],
    };
    let head = sql("SELECT code FROM (");
    let found = branches.iter().enumerate().fold(head, |head, (number, branch)| {
        let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
        let lane = one(head.append_text(union));
        let lane = match branch {
            Some(branch) => lane.append("AND branch = ?", [*branch]),
            None => lane.filter_branches("branch + 0", scope.branches()),
        };
        lane.append_text(order).append("LIMIT ?) AS one", [part.limit])
    });
    let ordered = found.append_text(") AS every").append_text(order).append("LIMIT ?", [part.limit]);
    let rows = source.fetch_all(QueryWeight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

fn append_situation_filter(
    head: Statement,
    scope: &Scope,
    kind: CaseKind,
    situation: SituationCode,
) -> Statement {
    head.append_text("FROM")
        .append_text(describe_case_table(kind).table)
        .append("WHERE tenant = ? AND situation = ?", [SqlScalar::from(scope.tenant()), situation.into()])
}

/// How many cases are in each of these situations, optionally only those that entered it before a moment; no count
/// exceeds `most`.
#[boxed::future]
pub async fn count_cases_by_situation(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    requested: &[(SituationCode, Option<Moment>)],
    most: i64,
) -> Result<Vec<i64>, Error> {
    if requested.is_empty() {
        return Ok(Vec::new());
    }
    let counted = requested.iter().enumerate().fold(sql(""), |head, (number, (situation, before))| {
        let union = if number == 0 { "" } else { "UNION ALL " };
        let select = format!(
            "{union}SELECT CAST({number} AS BIGINT) AS number, COUNT(*) AS count FROM (SELECT 1 AS one"
        );
        append_situation_filter(head.append_text(&select), scope, kind, *situation)
            .append_if_some("AND situation_since < ?", *before)
            .filter_branches("branch", scope.branches())
            .append(&format!("LIMIT ?) AS few{number}"), [most])
    });
    let mut counts = vec![0; requested.len()];
    for row in source.fetch_all(QueryWeight::Search, counted).await? {
        let number: i64 = row.get("number")?;
        if let Some(count) = usize::try_from(number).ok().and_then(|number| counts.get_mut(number)) {
            *count = row.get("count")?;
        }
    }
    Ok(counts)
}

/// The cases changed at or after a moment, oldest change first.
#[boxed::future]
pub async fn list_changed_cases(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    kind: CaseKind,
    since: Moment,
    limit: i64,
) -> Result<Vec<i32>, Error> {
    let statement = sql("SELECT code FROM")
        .append_text(describe_case_table(kind).table)
        .append("WHERE tenant = ? AND updated_at >= ?", [SqlScalar::from(scope.tenant()), since.into()])
        .filter_branches("branch + 0", scope.branches())
        .append("ORDER BY updated_at, code LIMIT ?", [limit]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("code")).collect()
}
