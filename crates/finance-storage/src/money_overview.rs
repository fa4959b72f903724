//! The sums of the overview of money. What is open is read from the indexes of titles, which hold all that is summed;
//! what was received from the settlements and the receipts of credit of two months.

use crate::settlements::RECEIVED_HERE;
use domain::finance::{LaunchKind, LedgerAccountKind, TitleSituation};
use domain::{BranchCode, Date, Scope};
use std::collections::BTreeMap;
use storage::{Error, Tx, sql};

/// Open titles of credit and what is open of them, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenTitleSums {
    pub titles: i64,
    pub amount: i64,
}

/// The open titles of credit that are not late, and those whose effective due day is before each of these days but not
/// before the next. The days go back in time.
#[boxed::future]
pub async fn sum_open_titles_by_lateness<const STEPS: usize>(
    tx: &mut Tx,
    scope: &Scope,
    branch: Option<BranchCode>,
    days: [Date; STEPS],
) -> Result<Vec<OpenTitleSums>, Error> {
    let mut statement = sql("SELECT CASE");
    for (step, day) in days.iter().enumerate() {
        statement = statement.append(&format!("WHEN effective_due_on >= ? THEN {step}"), [*day]);
    }
    let statement = statement
        .append_text(&format!("ELSE {STEPS} END AS lateness, COUNT(*) AS titles,"))
        .append_text("CAST(SUM(open_amount) AS BIGINT) AS amount FROM titles")
        .append("WHERE tenant = ?", [scope.tenant()])
        .append("AND launch_kind = ?", [LaunchKind::Credit])
        .append("AND situation = ?", [TitleSituation::Open])
        .append_if_some("AND branch = ?", branch)
        .filter_branches("branch", scope.branches())
        .append_text("GROUP BY lateness ORDER BY lateness");
    let mut sums = vec![OpenTitleSums::default(); STEPS + 1];
    for row in tx.fetch_all(statement).await? {
        let step: i64 = row.get("lateness")?;
        if let Some(sum) = usize::try_from(step).ok().and_then(|step| sums.get_mut(step)) {
            *sum = OpenTitleSums { titles: row.get("titles")?, amount: row.get("amount")? };
        }
    }
    Ok(sums)
}

/// The titles of credit of a due month that are or were to be paid, in cents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DueMonthSums {
    /// `2026-11`
    pub month: String,
    pub titles: i64,
    pub charged: i64,
    pub open: i64,
}

/// The sums of each due month with titles, in order. They are read by due day, in the order of the index.
#[boxed::future]
pub async fn sum_titles_by_due_month(
    tx: &mut Tx,
    scope: &Scope,
    branch: Option<BranchCode>,
    (first, last): (Date, Date),
) -> Result<Vec<DueMonthSums>, Error> {
    let statement =
        sql("SELECT situation, due_on, COUNT(*) AS titles, CAST(SUM(amount) AS BIGINT) AS charged,
         CAST(SUM(open_amount) AS BIGINT) AS open_sum FROM titles WHERE tenant = $1")
        .arg(scope.tenant())
        .append("AND launch_kind = ?", [LaunchKind::Credit])
        .filter_in("situation", [TitleSituation::Open, TitleSituation::Settled])
        .append("AND due_on >= ?", [first])
        .append("AND due_on <= ?", [last])
        .append_if_some("AND branch = ?", branch)
        .filter_branches("branch", scope.branches())
        .append_text("GROUP BY situation, due_on");
    let mut months: BTreeMap<String, DueMonthSums> = BTreeMap::new();
    for row in tx.fetch_all(statement).await? {
        let due_on: Date = row.get("due_on")?;
        let month = due_on.to_iso_month();
        let sums =
            months.entry(month.clone()).or_insert_with(|| DueMonthSums { month, ..DueMonthSums::default() });
        sums.titles += row.get::<i64>("titles")?;
        sums.charged += row.get::<i64>("charged")?;
        sums.open += row.get::<i64>("open_sum")?;
    }
    Ok(months.into_values().collect())
}

/// What came in of titles of credit on each day with receipts, in cents: what exceeded the title too, without what was
/// reversed, paid with a credit, or received by another system.
#[boxed::future]
pub async fn sum_receipts_by_day(
    tx: &mut Tx,
    scope: &Scope,
    branch: Option<BranchCode>,
    (first, last): (Date, Date),
) -> Result<Vec<(Date, i64)>, Error> {
    let statement =
        sql("SELECT s.paid_on, CAST(SUM(s.total + s.credit) AS BIGINT) AS received FROM settlements s
         JOIN titles t ON t.tenant = s.tenant AND t.code = s.title
         WHERE s.tenant = $1 AND s.paid_on >= $2 AND s.paid_on <= $3")
        .arg(scope.tenant())
        .arg(first)
        .arg(last)
        .append(RECEIVED_HERE, [LedgerAccountKind::OpeningBalance])
        .append("AND t.launch_kind + 0 = ?", [LaunchKind::Credit])
        .append_if_some("AND t.branch + 0 = ?", branch)
        .filter_branches("t.branch + 0", scope.branches())
        .append_text("GROUP BY s.paid_on ORDER BY s.paid_on");
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("paid_on")?, row.get("received")?))).collect()
}

/// What came in as credit of people on these days, in cents, without what was reversed.
#[boxed::future]
pub async fn sum_credit_received(
    tx: &mut Tx,
    scope: &Scope,
    branch: Option<BranchCode>,
    (first, last): (Date, Date),
) -> Result<i64, Error> {
    let statement = sql("SELECT CAST(COALESCE(SUM(c.amount), 0) AS BIGINT) AS received FROM credit_receipts c
         WHERE c.tenant = $1 AND c.paid_on >= $2 AND c.paid_on <= $3 AND c.amount > 0
         AND NOT EXISTS (SELECT 1 FROM credit_receipt_reversals r WHERE r.tenant = c.tenant AND r.receipt = c.code)")
    .arg(scope.tenant())
    .arg(first)
    .arg(last)
    .append_if_some("AND c.branch + 0 = ?", branch)
    .filter_branches("c.branch + 0", scope.branches());
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("received"))
}
