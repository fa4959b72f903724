//! Months that are closed: nothing is booked in them any more.

use domain::{Date, Moment, TenantId, UserCode};
use storage::{Error, ReadSource, Tx, sql};

/// The newest closing that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingInForce {
    pub number: i64,
    /// The last closed month: `2026-10`.
    pub closed_through: String,
    /// The first day after it.
    pub first_open_day: Date,
}

/// A closing or reopening, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingChange {
    pub number: i64,
    pub is_closing: bool,
    /// After the change.
    pub closed_through: Option<String>,
    pub reason: Option<String>,
    pub user: Option<UserCode>,
    pub changed_at: Moment,
}

/// The first day of the month after `2026-10`.
pub fn find_day_after_month(month: &str) -> Option<Date> {
    let first = Date::from_iso(&format!("{month}-01"))?;
    let (year, month) = (first.year(), i8::try_from(first.month()).ok()?);
    if month == 12 { Date::new(year + 1, 1, 1) } else { Date::new(year, month + 1, 1) }
}

/// The closing in force; `None` if all months are open. A reopening goes back to the closing before it.
#[boxed::future]
pub async fn find_last_closing(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Option<ClosingInForce>, Error> {
    let statement = sql("SELECT c.number, c.closed_through FROM period_changes c
         WHERE c.tenant = $1 AND c.is_closing AND c.closed_through = (
             SELECT n.closed_through FROM period_changes n WHERE n.tenant = $1 ORDER BY n.number DESC LIMIT 1)
         ORDER BY c.number DESC LIMIT 1")
    .arg(tenant);
    let Some(row) = source.fetch_optional(statement).await? else { return Ok(None) };
    let closed_through: String = row.get("closed_through")?;
    let bad = || Error::Broken(format!("{closed_through} is no month"));
    let first_open_day = find_day_after_month(&closed_through).ok_or_else(bad)?;
    Ok(Some(ClosingInForce { number: row.get("number")?, closed_through, first_open_day }))
}

/// The month that was closed last before this closing; `None` if all were open.
#[boxed::future]
pub async fn find_closing_before(
    tx: &mut Tx,
    tenant: TenantId,
    closing: &ClosingInForce,
) -> Result<Option<String>, Error> {
    let statement = sql("SELECT closed_through FROM period_changes WHERE tenant = $1 AND number < $2
         ORDER BY number DESC LIMIT 1")
    .arg(tenant)
    .arg(closing.number);
    let found = tx.fetch_optional(statement).await?.map(|row| row.get("closed_through")).transpose()?;
    Ok(found.flatten())
}

/// All closings and reopenings, newest first.
#[boxed::future]
pub async fn list_period_changes(tx: &mut Tx, tenant: TenantId) -> Result<Vec<ClosingChange>, Error> {
    let statement = sql("SELECT number, is_closing, closed_through, reason, user_code, changed_at
         FROM period_changes WHERE tenant = $1 ORDER BY number DESC")
    .arg(tenant);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            Ok(ClosingChange {
                number: row.get("number")?,
                is_closing: row.get("is_closing")?,
                closed_through: row.get("closed_through")?,
                reason: row.get("reason")?,
                user: row.get("user_code")?,
                changed_at: row.get("changed_at")?,
            })
        })
        .collect()
}

#[boxed::future]
pub async fn insert_period_change(
    tx: &mut Tx,
    tenant: TenantId,
    change: &ClosingChange,
) -> Result<(), Error> {
    let statement = sql("INSERT INTO period_changes
         (tenant, number, is_closing, closed_through, reason, user_code, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(tenant)
    .arg(change.number)
    .arg(change.is_closing)
    .arg(change.closed_through.as_deref())
    .arg(change.reason.as_deref())
    .arg(change.user)
    .arg(change.changed_at);
    tx.execute(statement).await.map(drop)
}

/// Stores the sums of every account up to the end of a closing's months. The sums before the closing that preceded it
/// are taken from there.
#[boxed::future]
pub async fn insert_checkpoints(
    tx: &mut Tx,
    tenant: TenantId,
    number: i64,
    first_open_day: Date,
    previous: Option<&ClosingInForce>,
) -> Result<(), Error> {
    // Before any day that can be booked.
    let beginning = Date::new(1, 1, 1).unwrap_or(Date::EPOCH);
    let from = previous.map_or(beginning, |closing| closing.first_open_day);
    let statement = sql("INSERT INTO ledger_checkpoints (tenant, period_change, account, debit, credit)
         SELECT a.tenant, $2, a.code,
             COALESCE(p.debit, 0) + COALESCE((SELECT CAST(SUM(l.debit) AS BIGINT) FROM ledger_lines l
                 WHERE l.tenant = a.tenant AND l.account = a.code AND l.booked_on >= $4 AND l.booked_on < $5), 0),
             COALESCE(p.credit, 0) + COALESCE((SELECT CAST(SUM(l.credit) AS BIGINT) FROM ledger_lines l
                 WHERE l.tenant = a.tenant AND l.account = a.code AND l.booked_on >= $4 AND l.booked_on < $5), 0)
         FROM ledger_accounts a LEFT JOIN ledger_checkpoints p
             ON p.tenant = a.tenant AND p.period_change = $3 AND p.account = a.code
         WHERE a.tenant = $1")
    .arg(tenant)
    .arg(number)
    .arg(previous.map_or(0, |closing| closing.number))
    .arg(from)
    .arg(first_open_day);
    tx.execute(statement).await.map(drop)
}
