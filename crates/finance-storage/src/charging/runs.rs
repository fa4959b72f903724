//! The charging runs of a tenant.

use domain::finance::{ChargedMonth, ChargingRunState};
use domain::{
    BranchCode, ChargingRuleCode, ChargingRunCode, Date, GroupCode, Moment, Scope, TenantId, UserCode,
};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, sql};

/// The benefits that a run is for: all of them, or those of a group, branch or due day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChargedBenefitFilter {
    pub group: Option<GroupCode>,
    pub branch: Option<BranchCode>,
    pub due_day: Option<i32>,
}

/// What a run came to so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChargingTotalCounts {
    /// Benefits of the scope that were looked at.
    pub benefits: i64,
    pub charged: i64,
    /// Cents, of all instalments.
    pub charged_amount: i64,
    pub titles: i64,
    pub titles_amount: i64,
    /// Titles that were cancelled when the run was undone, and titles that a settlement keeps.
    pub cancelled: i64,
    pub kept: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChargingRun {
    pub code: ChargingRunCode,
    pub month: ChargedMonth,
    pub scope: ChargedBenefitFilter,
    /// More than one: a booklet of the month and those after it.
    pub instalments: i32,
    pub state: ChargingRunState,
    /// The day whose prices and discounts count.
    pub prepared_on: Date,
    pub issued_on: Option<Date>,
    /// The rule that prepared it by itself.
    pub charging_rule: Option<ChargingRuleCode>,
    /// The last benefit, person or title that the present stage is done with.
    pub position: i32,
    pub counts: ChargingTotalCounts,
    pub user: Option<UserCode>,
    pub approved_by: Option<UserCode>,
    pub approved_at: Option<Moment>,
    pub undone_by: Option<UserCode>,
    pub undone_because: Option<String>,
    pub created_at: Moment,
    pub updated_at: Moment,
}

const COLUMNS: &str = "code, month, protection_group, branch, due_day, instalments, state, prepared_on, issued_on,
    charging_rule, position, benefits, charged, charged_amount, titles, titles_amount, cancelled, kept, user_code,
    approved_by, approved_at, undone_by, undone_because, created_at, updated_at";

fn parse_run_row(row: &Row) -> Result<StoredChargingRun, Error> {
    Ok(StoredChargingRun {
        code: row.get("code")?,
        month: row.get("month")?,
        scope: ChargedBenefitFilter {
            group: row.get("protection_group")?,
            branch: row.get("branch")?,
            due_day: row.get("due_day")?,
        },
        instalments: row.get("instalments")?,
        state: row.get("state")?,
        prepared_on: row.get("prepared_on")?,
        issued_on: row.get("issued_on")?,
        charging_rule: row.get("charging_rule")?,
        position: row.get("position")?,
        counts: ChargingTotalCounts {
            benefits: row.get("benefits")?,
            charged: row.get("charged")?,
            charged_amount: row.get("charged_amount")?,
            titles: row.get("titles")?,
            titles_amount: row.get("titles_amount")?,
            cancelled: row.get("cancelled")?,
            kept: row.get("kept")?,
        },
        user: row.get("user_code")?,
        approved_by: row.get("approved_by")?,
        approved_at: row.get("approved_at")?,
        undone_by: row.get("undone_by")?,
        undone_because: row.get("undone_because")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The run of this code, if it is of a branch in the caller's scope. A run of all branches is of none.
#[boxed::future]
pub async fn find_run(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    code: ChargingRunCode,
) -> Result<Option<StoredChargingRun>, Error> {
    let statement = select_runs(scope).append("AND code = ?", [code]);
    source.fetch_optional(statement).await?.map(|row| parse_run_row(&row)).transpose()
}

fn select_runs(scope: &Scope) -> Statement {
    let head = sql("SELECT").append_text(COLUMNS).append_text("FROM charging_runs");
    head.append("WHERE tenant = ?", [scope.tenant()]).filter_branches("branch", scope.branches())
}

/// The runs that a caller may see, newest first.
#[boxed::future]
pub async fn list_runs(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    month: Option<ChargedMonth>,
    (offset, limit): (i64, i64),
) -> Result<Vec<StoredChargingRun>, Error> {
    let statement = select_runs(scope)
        .append_if_some("AND month = ?", month)
        .append("ORDER BY code DESC LIMIT ? OFFSET ?", [limit, offset]);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_run_row).collect()
}

/// The approved runs of a month for all of these benefits or for some of them, by code.
#[boxed::future]
pub async fn list_runs_of_month(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    month: ChargedMonth,
    scope: &ChargedBenefitFilter,
) -> Result<Vec<StoredChargingRun>, Error> {
    let states = [ChargingRunState::Issuing, ChargingRunState::Issued];
    let statement = sql("SELECT")
        .append_text(COLUMNS)
        .append_text("FROM charging_runs")
        .append("WHERE tenant = ?", [tenant])
        .append("AND month = ?", [month])
        .filter_in("state", states)
        .append_if_some("AND protection_group = ?", scope.group)
        .append_if_some("AND branch = ?", scope.branch)
        .append_if_some("AND due_day = ?", scope.due_day)
        .append_text("ORDER BY code");
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_run_row).collect()
}

/// Whether a rule has prepared a month of all groups or of this one before.
#[boxed::future]
pub async fn has_run_of_rule(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (rule, group): (ChargingRuleCode, Option<GroupCode>),
    month: ChargedMonth,
) -> Result<bool, Error> {
    let statement =
        sql("SELECT code FROM charging_runs WHERE tenant = $1 AND charging_rule = $2 AND month = $3
             AND COALESCE(protection_group, $4) = $4 LIMIT 1")
        .arg(tenant)
        .arg(rule)
        .arg(month)
        .arg(group.map_or(-1, GroupCode::get));
    Ok(source.fetch_optional(statement).await?.is_some())
}

/// The last month that a rule has prepared of all groups or of this one.
#[boxed::future]
pub async fn find_last_month_of_rule(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (rule, group): (ChargingRuleCode, Option<GroupCode>),
) -> Result<Option<ChargedMonth>, Error> {
    let statement = sql("SELECT month FROM charging_runs WHERE tenant = $1 AND charging_rule = $2
             AND COALESCE(protection_group, $3) = $3 ORDER BY month DESC LIMIT 1")
    .arg(tenant)
    .arg(rule)
    .arg(group.map_or(-1, GroupCode::get));
    source.fetch_optional(statement).await?.map(|row| row.get("month")).transpose()
}

/// Inserts a run that is about to be prepared.
pub fn insert_run(tenant: TenantId, run: &StoredChargingRun) -> Statement {
    sql("INSERT INTO charging_runs (tenant, code, month, protection_group, branch, due_day, instalments, state,
         prepared_on, charging_rule, user_code, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)")
    .arg(tenant)
    .arg(run.code)
    .arg(run.month)
    .arg(run.scope.group)
    .arg(run.scope.branch)
    .arg(run.scope.due_day)
    .arg(run.instalments)
    .arg(run.state)
    .arg(run.prepared_on)
    .arg(run.charging_rule)
    .arg(run.user)
    .arg(run.created_at)
    .arg(run.updated_at)
}

/// Stores what a change of state decides, and begins the stage from its start.
pub fn update_run_state(tenant: TenantId, run: &StoredChargingRun) -> Statement {
    sql("UPDATE charging_runs SET state = $3, issued_on = $4, approved_by = $5, approved_at = $6, undone_by = $7,
         undone_because = $8, updated_at = $9, position = 0, leased_until = 0 WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(run.code)
    .arg(run.state)
    .arg(run.issued_on)
    .arg(run.approved_by)
    .arg(run.approved_at)
    .arg(run.undone_by)
    .arg(run.undone_because.as_deref())
    .arg(run.updated_at)
}
