//! The search for claims, newest opening first. Like the member search it is driven by one criterion, and the others
//! are checked row by row (`search/members`). Results are read in steps, each starting where the last one ended, so
//! that a search of everything holds only one step in memory.

use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, sql};
use domain::{
    ClaimCode, ClaimCriteria, ClaimTypeCode, Date, Involved, Moment, PersonCode, Priority, Scope,
    SituationCode, VisibleBranches,
};

/// The criterion that drives a search of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivingClaimCriterion {
    Protocol,
    Person,
    /// The date of the event, if few claims fall into the range.
    Day,
    /// No criterion: the order of the results.
    Order,
}

/// Where a step ends: the next one continues with claims opened earlier.
pub type ClaimOpeningCursor = (Moment, ClaimCode);

/// A claim as shown in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundClaim {
    pub code: ClaimCode,
    pub protocol: i32,
    pub branch: domain::BranchCode,
    pub kind: ClaimTypeCode,
    pub situation: SituationCode,
    pub involved: Involved,
    pub priority: Priority,
    pub happened_on: Option<Date>,
    pub opened_at: Moment,
    pub person: PersonCode,
    pub name: String,
    pub responsible: Option<String>,
}

/// A date range with more claims than this does not drive the search: sorting it costs more than skipping other rows.
const MOST_ROWS_TO_SORT: i64 = 5_000;
/// Up to this many branches are queried separately; a caller with more sees most of the rows anyway.
const MOST_SEPARATE_BRANCHES: usize = 16;

/// Chooses the driving criterion.
#[boxed::future]
pub async fn choose_driver(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &ClaimCriteria,
) -> Result<DrivingClaimCriterion, Error> {
    if criteria.protocol.is_some() {
        return Ok(DrivingClaimCriterion::Protocol);
    }
    if criteria.person.is_some() {
        return Ok(DrivingClaimCriterion::Person);
    }
    if criteria.happened_from.is_none() && criteria.happened_to.is_none() {
        return Ok(DrivingClaimCriterion::Order);
    }
    let head = sql("SELECT COUNT(*) AS rows FROM (SELECT 1 AS one");
    let days = append_day_filter(append_tenant_filter(head, scope), criteria)
        .append("LIMIT ?) AS few", [MOST_ROWS_TO_SORT + 1]);
    let is_selective =
        tx.fetch_all(days).await?.first().map_or(Ok(0), |row| row.get::<i64>("rows"))? <= MOST_ROWS_TO_SORT;
    Ok(if is_selective { DrivingClaimCriterion::Day } else { DrivingClaimCriterion::Order })
}

fn append_tenant_filter(head: Statement, scope: &Scope) -> Statement {
    head.append("FROM claims WHERE tenant = ?", [scope.tenant()])
}

fn append_day_filter(head: Statement, criteria: &ClaimCriteria) -> Statement {
    head.append_if_some("AND happened_on >= ?", criteria.happened_from)
        .append_if_some("AND happened_on <= ?", criteria.happened_to)
}

/// Appends the driving criterion, and every other one in a form that no index serves.
fn append_criteria(
    head: Statement,
    driver: DrivingClaimCriterion,
    scope: &Scope,
    criteria: &ClaimCriteria,
) -> Statement {
    let head = append_tenant_filter(head, scope);
    let filtered = match driver {
        DrivingClaimCriterion::Protocol => head.append_if_some("AND protocol = ?", criteria.protocol),
        DrivingClaimCriterion::Person => head.append_if_some("AND person = ?", criteria.person),
        DrivingClaimCriterion::Day => append_day_filter(head, criteria),
        DrivingClaimCriterion::Order => head,
    };
    let day = |day: Option<Date>| day.filter(|_| driver != DrivingClaimCriterion::Day);
    filtered
        .append_if_some(
            "AND protocol + 0 = ?",
            criteria.protocol.filter(|_| driver != DrivingClaimCriterion::Protocol),
        )
        .append_if_some(
            "AND person + 0 = ?",
            criteria.person.filter(|_| driver != DrivingClaimCriterion::Person),
        )
        .append_if_some("AND happened_on || '' >= ?", day(criteria.happened_from))
        .append_if_some("AND happened_on || '' <= ?", day(criteria.happened_to))
        .append_if_some("AND involved + 0 = ?", criteria.involved)
        .append_if_some("AND opened_at >= ?", criteria.opened_from)
        .append_if_some("AND opened_at < ?", criteria.opened_before)
}

#[boxed::future]
pub async fn count_claims(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &ClaimCriteria,
    driver: DrivingClaimCriterion,
) -> Result<i64, Error> {
    let head = sql("SELECT COUNT(*) AS rows");
    let statement =
        append_criteria(head, driver, scope, criteria).filter_branches("branch", scope.branches());
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.first().map_or(Ok(0), |row| row.get("rows"))
}

/// The part of the results to read.
#[derive(Clone, Copy, Debug)]
pub struct ClaimPageRequest {
    /// Only claims opened before this.
    pub behind: Option<ClaimOpeningCursor>,
    pub skip: i64,
    pub limit: i64,
}

const ORDER: &str = "ORDER BY opened_at DESC, code DESC";

/// The claims of a part of the results, in order.
#[boxed::future]
pub async fn list_claim_codes(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    criteria: &ClaimCriteria,
    driver: DrivingClaimCriterion,
    part: ClaimPageRequest,
) -> Result<Vec<ClaimCode>, Error> {
    let one = |head: Statement| {
        let filtered = append_criteria(head.append_text("SELECT code, opened_at"), driver, scope, criteria);
        match part.behind {
            Some((at, code)) => {
                filtered.append("AND (opened_at, code) < (?, ?)", [SqlScalar::from(at), code.into()])
            }
            None => filtered,
        }
    };
    let head = sql("SELECT code FROM (");
    let found = match scope.branches() {
        // Each branch has its own index order; the first rows of each are merged.
        VisibleBranches::Only(allowed)
            if driver == DrivingClaimCriterion::Order
                && (1..=MOST_SEPARATE_BRANCHES).contains(&allowed.len()) =>
        {
            allowed.iter().enumerate().fold(head, |head, (number, branch)| {
                let union = if number == 0 { "SELECT * FROM (" } else { "UNION ALL SELECT * FROM (" };
                one(head.append_text(union))
                    .append("AND branch = ?", [*branch])
                    .append_text(ORDER)
                    .append("LIMIT ?) AS one", [part.skip + part.limit])
            })
        }
        branches => one(head).filter_branches("branch + 0", branches),
    };
    let ordered = found
        .append_text(") AS every")
        .append_text(ORDER)
        .append("LIMIT ? OFFSET ?", [part.limit, part.skip]);
    let rows = source.fetch_all(QueryWeight::Search, ordered).await?;
    rows.iter().map(|row| row.get("code")).collect()
}

/// The list entries of these claims, in the order of the search.
#[boxed::future]
pub async fn list_found_claims(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    codes: &[ClaimCode],
) -> Result<Vec<FoundClaim>, Error> {
    if codes.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql(
        "SELECT c.code, c.protocol, c.branch, c.kind, c.situation, c.involved, c.priority, c.happened_on,
             c.opened_at, c.person, p.name, u.name AS responsible_name
         FROM claims c JOIN people p ON p.tenant = c.tenant AND p.code = c.person
         LEFT JOIN users u ON u.tenant = c.tenant AND u.code = c.responsible
         WHERE c.tenant = $1",
    )
    .arg(scope.tenant())
    .filter_in("c.code", codes.iter().copied())
    .filter_branches("c.branch + 0", scope.branches())
    .append_text("ORDER BY c.opened_at DESC, c.code DESC");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(parse_found_claim).collect()
}

fn parse_found_claim(row: &Row) -> Result<FoundClaim, Error> {
    Ok(FoundClaim {
        code: row.get("code")?,
        protocol: row.get("protocol")?,
        branch: row.get("branch")?,
        kind: row.get("kind")?,
        situation: row.get("situation")?,
        involved: row.get("involved")?,
        priority: row.get("priority")?,
        happened_on: row.get("happened_on")?,
        opened_at: row.get("opened_at")?,
        person: row.get("person")?,
        name: row.get("name")?,
        responsible: row.get("responsible_name")?,
    })
}
