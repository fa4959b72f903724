//! Counts of open records for a panel; each statement uses an index of open records only.

use crate::{Error, QueryWeight, ReadSource, sql};
use domain::{BranchCode, ClaimTypeCode, Date, Moment, Scope, SituationCode, StageCode, TenantId};

/// Open claims of a type in a branch, by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenClaimCount {
    pub kind: ClaimTypeCode,
    pub branch: BranchCode,
    /// The total, and those opened before each of the requested moments.
    pub count: i64,
    pub older: [i64; 3],
}

/// The claims in these situations, by type and branch.
#[boxed::future]
pub async fn count_open_claims(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    open: &[SituationCode],
    before: [Moment; 3],
) -> Result<Vec<OpenClaimCount>, Error> {
    let statement = sql("SELECT kind, branch, COUNT(*) AS count,
             CAST(SUM(CASE WHEN opened_at < $2 THEN 1 ELSE 0 END) AS BIGINT) AS first,
             CAST(SUM(CASE WHEN opened_at < $3 THEN 1 ELSE 0 END) AS BIGINT) AS second,
             CAST(SUM(CASE WHEN opened_at < $4 THEN 1 ELSE 0 END) AS BIGINT) AS third
         FROM claims WHERE tenant = $1")
    .arg(tenant)
    .arg(before[0])
    .arg(before[1])
    .arg(before[2])
    .filter_in("situation", open.iter().copied())
    .append_text("GROUP BY kind, branch ORDER BY kind, branch");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(OpenClaimCount {
                kind: row.get("kind")?,
                branch: row.get("branch")?,
                count: row.get("count")?,
                older: [row.get("first")?, row.get("second")?, row.get("third")?],
            })
        })
        .collect()
}

/// Open deals in a stage and a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenDealCount {
    pub stage: StageCode,
    pub branch: BranchCode,
    pub count: i64,
    /// In their stage since before the requested moment.
    pub cold: i64,
}

#[boxed::future]
pub async fn count_open_deals(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    cold_before: Moment,
) -> Result<Vec<OpenDealCount>, Error> {
    let statement = sql("SELECT stage, branch, COUNT(*) AS count,
             CAST(SUM(CASE WHEN stage_since < $2 THEN 1 ELSE 0 END) AS BIGINT) AS cold
         FROM deals WHERE tenant = $1 AND situation = 1 GROUP BY stage, branch ORDER BY stage, branch")
    .arg(tenant)
    .arg(cold_before);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(OpenDealCount {
                stage: row.get("stage")?,
                branch: row.get("branch")?,
                count: row.get("count")?,
                cold: row.get("cold")?,
            })
        })
        .collect()
}

/// How many appointments in these situations take place between two moments.
#[boxed::future]
pub async fn count_appointments(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    situations: &[SituationCode],
    (first, end): (Moment, Moment),
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS count FROM appointments WHERE tenant = $1")
        .arg(scope.tenant())
        .append("AND takes_place_at >= ? AND takes_place_at < ?", [first, end])
        .filter_in("situation + 0", situations.iter().copied())
        .filter_branches("branch + 0", scope.branches());
    source.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("count"))
}

/// The registration dates of the rows in these slots.
#[boxed::future]
pub async fn list_registration_days(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    slots: &[i32],
) -> Result<Vec<Date>, Error> {
    if slots.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sql("SELECT registered_on FROM listing WHERE tenant = $1")
        .arg(tenant)
        .filter_in("slot", slots.iter().copied())
        .append_text("ORDER BY slot");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| row.get("registered_on")).collect()
}
