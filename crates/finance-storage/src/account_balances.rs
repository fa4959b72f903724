//! What the books say of a span of days: the balances of accounts, and the lines of one of them.

use crate::ledger::{AccountSums, parse_sums};
use crate::periods::find_day_after_month;
use domain::finance::{LedgerAccountKind, LedgerEntryKind};
use domain::{Date, GroupCode, LedgerEntryCode, SettlementCode, TenantId, TitleCode, UserCode};
use storage::{Error, Row, Statement, Tx, sql};

/// An account as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownAccount {
    pub group: GroupCode,
    pub kind: LedgerAccountKind,
    /// `None` for all accounts of the kind together, as the credits of members are shown.
    pub reference: Option<i64>,
}

/// The sums of an account before a span of days, and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountBalance {
    pub account: ShownAccount,
    pub before: AccountSums,
    pub within: AccountSums,
}

impl AccountBalance {
    /// The sums at the end of the span.
    pub fn after(&self) -> AccountSums {
        AccountSums {
            debit: self.before.debit + self.within.debit,
            credit: self.before.credit + self.within.credit,
        }
    }
}

/// A span of days: the first, and the first one after it.
pub type DaySpan = (Date, Date);

/// A line of an account, with the entry that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountLine {
    pub entry: LedgerEntryCode,
    pub kind: LedgerEntryKind,
    pub booked_on: Date,
    pub happened_on: Date,
    pub title: Option<TitleCode>,
    pub settlement: Option<SettlementCode>,
    pub user: Option<UserCode>,
    pub debit: i64,
    pub credit: i64,
}

/// The balances of all accounts that were ever used until the end of these days, by group, kind and reference.
#[boxed::future]
pub async fn list_account_balances(
    tx: &mut Tx,
    tenant: TenantId,
    (first, after): DaySpan,
) -> Result<Vec<AccountBalance>, Error> {
    let (closing, since) = find_closing_before(tx, tenant, first).await?;
    let statement = sql("SELECT s.protection_group, s.kind, s.reference,
             CAST(SUM(s.debit_before) AS BIGINT) AS debit_before,
             CAST(SUM(s.credit_before) AS BIGINT) AS credit_before,
             CAST(SUM(s.debit) AS BIGINT) AS debit, CAST(SUM(s.credit) AS BIGINT) AS credit
         FROM (
             SELECT a.protection_group, a.kind, CASE WHEN a.kind = $2 THEN 0 ELSE a.reference END AS reference,
                 c.debit AS debit_before, c.credit AS credit_before, 0 AS debit, 0 AS credit
             FROM ledger_checkpoints c JOIN ledger_accounts a ON a.tenant = c.tenant AND a.code = c.account
             WHERE c.tenant = $1 AND c.period_change = $3 AND (c.debit > 0 OR c.credit > 0)
             UNION ALL
             SELECT a.protection_group, a.kind, CASE WHEN a.kind = $2 THEN 0 ELSE a.reference END,
                 CASE WHEN e.booked_on < $5 THEN l.debit ELSE 0 END,
                 CASE WHEN e.booked_on < $5 THEN l.credit ELSE 0 END,
                 CASE WHEN e.booked_on < $5 THEN 0 ELSE l.debit END,
                 CASE WHEN e.booked_on < $5 THEN 0 ELSE l.credit END
             FROM ledger_entries e JOIN ledger_lines l ON l.tenant = e.tenant AND l.entry = e.code
             JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
             WHERE e.tenant = $1 AND e.booked_on >= $4 AND e.booked_on < $6
         ) s GROUP BY s.protection_group, s.kind, s.reference ORDER BY s.protection_group, s.kind, s.reference")
    .arg(tenant)
    .arg(LedgerAccountKind::MemberCredit)
    .arg(closing)
    .arg(since)
    .arg(first)
    .arg(after);
    tx.fetch_all(statement).await?.iter().map(parse_balance).collect()
}

/// The balance of an account, 0 where it was never used.
#[boxed::future]
pub async fn sum_shown_account(
    tx: &mut Tx,
    tenant: TenantId,
    (account, (first, after)): (ShownAccount, DaySpan),
) -> Result<AccountBalance, Error> {
    let (closing, since) = find_closing_before(tx, tenant, first).await?;
    let closed = sql("SELECT CAST(COALESCE(SUM(c.debit), 0) AS BIGINT) AS debit,
             CAST(COALESCE(SUM(c.credit), 0) AS BIGINT) AS credit
         FROM ledger_accounts a JOIN ledger_checkpoints c ON c.tenant = a.tenant AND c.account = a.code")
    .append("WHERE c.period_change = ?", [closing]);
    let mut before = sum_rows(tx, tenant, account, closed).await?;
    let open = sum_rows(tx, tenant, account, select_line_sums((since, first))).await?;
    before.debit += open.debit;
    before.credit += open.credit;
    let within = sum_rows(tx, tenant, account, select_line_sums((first, after))).await?;
    Ok(AccountBalance { account, before, within })
}

fn select_line_sums((from, to): DaySpan) -> Statement {
    sql("SELECT CAST(COALESCE(SUM(l.debit), 0) AS BIGINT) AS debit,
             CAST(COALESCE(SUM(l.credit), 0) AS BIGINT) AS credit
         FROM ledger_accounts a JOIN ledger_lines l ON l.tenant = a.tenant AND l.account = a.code")
    .append("WHERE l.booked_on >= ? AND l.booked_on < ?", [from, to])
}

async fn sum_rows(
    tx: &mut Tx,
    tenant: TenantId,
    account: ShownAccount,
    statement: Statement,
) -> Result<AccountSums, Error> {
    let row = tx.fetch_optional(filter_account(statement, tenant, account)).await?;
    parse_sums(row.as_ref())
}

fn filter_account(statement: Statement, tenant: TenantId, account: ShownAccount) -> Statement {
    statement
        .append("AND a.tenant = ?", [tenant])
        .append("AND a.protection_group = ?", [account.group])
        .append("AND a.kind = ?", [account.kind])
        .append_if_some("AND a.reference = ?", account.reference)
}

/// The newest closing of months before this day whose sums still hold, or 0, and the first day that it does not cover.
/// A month that was reopened later does not count.
async fn find_closing_before(tx: &mut Tx, tenant: TenantId, first: Date) -> Result<(i64, Date), Error> {
    let statement = sql("SELECT c.number, c.closed_through FROM period_changes c
         WHERE c.tenant = $1 AND c.is_closing AND c.closed_through < $2 AND NOT EXISTS (
             SELECT 1 FROM period_changes n WHERE n.tenant = $1 AND n.number > c.number
                 AND (n.closed_through IS NULL OR n.closed_through < c.closed_through))
         ORDER BY c.closed_through DESC, c.number DESC LIMIT 1")
    .arg(tenant)
    .arg(first.to_iso_month());
    // Before any day that can be booked.
    let beginning = Date::new(1, 1, 1).unwrap_or(Date::EPOCH);
    let Some(row) = tx.fetch_optional(statement).await? else { return Ok((0, beginning)) };
    let closed_through: String = row.get("closed_through")?;
    let bad = || Error::Broken(format!("{closed_through} is no month"));
    Ok((row.get("number")?, find_day_after_month(&closed_through).ok_or_else(bad)?))
}

fn parse_balance(row: &Row) -> Result<AccountBalance, Error> {
    let kind: LedgerAccountKind = row.get("kind")?;
    let reference: i64 = row.get("reference")?;
    Ok(AccountBalance {
        account: ShownAccount {
            group: row.get("protection_group")?,
            kind,
            reference: (kind != LedgerAccountKind::MemberCredit).then_some(reference),
        },
        before: AccountSums { debit: row.get("debit_before")?, credit: row.get("credit_before")? },
        within: AccountSums { debit: row.get("debit")?, credit: row.get("credit")? },
    })
}

/// A page of the lines that were booked on an account in these days, in their order.
#[boxed::future]
pub async fn list_account_lines(
    tx: &mut Tx,
    tenant: TenantId,
    (account, days): (ShownAccount, DaySpan),
    (offset, limit): (i64, i64),
) -> Result<Vec<AccountLine>, Error> {
    let columns =
        "e.code, e.kind, e.booked_on, e.happened_on, e.title, e.settlement, e.user_code, l.debit, l.credit";
    let statement = select_account_lines(columns, tenant, account, days)
        .append("ORDER BY l.booked_on, l.entry, l.line LIMIT ? OFFSET ?", [limit, offset]);
    tx.fetch_all(statement).await?.iter().map(parse_line).collect()
}

/// How many lines were booked on an account in these days.
#[boxed::future]
pub async fn count_account_lines(
    tx: &mut Tx,
    tenant: TenantId,
    (account, days): (ShownAccount, DaySpan),
) -> Result<i64, Error> {
    let statement = select_account_lines("COUNT(*) AS n", tenant, account, days);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("n"))
}

fn select_account_lines(
    columns: &'static str,
    tenant: TenantId,
    account: ShownAccount,
    (first, after): DaySpan,
) -> Statement {
    let statement = sql("SELECT")
        .append_text(columns)
        .append_text(
            "FROM ledger_accounts a JOIN ledger_lines l ON l.tenant = a.tenant AND l.account = a.code
             JOIN ledger_entries e ON e.tenant = l.tenant AND e.code = l.entry",
        )
        .append("WHERE l.booked_on >= ? AND l.booked_on < ?", [first, after]);
    filter_account(statement, tenant, account)
}

fn parse_line(row: &Row) -> Result<AccountLine, Error> {
    Ok(AccountLine {
        entry: row.get("code")?,
        kind: row.get("kind")?,
        booked_on: row.get("booked_on")?,
        happened_on: row.get("happened_on")?,
        title: row.get("title")?,
        settlement: row.get("settlement")?,
        user: row.get("user_code")?,
        debit: row.get("debit")?,
        credit: row.get("credit")?,
    })
}
