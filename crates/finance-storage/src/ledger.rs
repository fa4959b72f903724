//! The books: accounts, entries and their lines. Rows are only inserted; the database itself refuses anything else.

use crate::periods::find_last_closing;
use domain::finance::{BalancedLines, LedgerAccountKey, LedgerAccountKind, LedgerEntryKind, LegalNature};
use domain::{
    Date, GroupCode, LedgerAccountCode, LedgerEntryCode, Moment, PersonCode, SettlementCode, TenantId,
    TitleCode, UserCode,
};
use std::collections::{BTreeMap, BTreeSet};
use storage::server::counters::{self, Counter};
use storage::{Error, Row, Statement, Tx, sql};

/// An entry that is not yet written.
pub struct NewLedgerEntry<'l> {
    pub code: LedgerEntryCode,
    pub kind: LedgerEntryKind,
    /// The day in the books.
    pub booked_on: Date,
    /// The day of the fact.
    pub happened_on: Date,
    pub title: Option<TitleCode>,
    pub settlement: Option<SettlementCode>,
    pub reverses: Option<LedgerEntryCode>,
    pub user: Option<UserCode>,
    pub lines: &'l BalancedLines,
}

pub type AccountCodes = BTreeMap<LedgerAccountKey, LedgerAccountCode>;

/// The codes of these accounts; those that do not exist yet are opened.
#[boxed::future]
pub async fn open_accounts(
    tx: &mut Tx,
    tenant: TenantId,
    keys: impl IntoIterator<Item = LedgerAccountKey>,
) -> Result<AccountCodes, Error> {
    let mut codes = AccountCodes::new();
    for key in keys {
        if codes.contains_key(&key) {
            continue;
        }
        let code = match find_account(tx, tenant, key).await? {
            Some(code) => code,
            None => insert_account(tx, tenant, key).await?,
        };
        codes.insert(key, code);
    }
    Ok(codes)
}

async fn find_account(
    tx: &mut Tx,
    tenant: TenantId,
    key: LedgerAccountKey,
) -> Result<Option<LedgerAccountCode>, Error> {
    let statement = sql("SELECT code FROM ledger_accounts
         WHERE tenant = $1 AND protection_group = $2 AND kind = $3 AND reference = $4")
    .arg(tenant)
    .arg(key.group)
    .arg(key.kind)
    .arg(key.reference);
    tx.fetch_optional(statement).await?.map(|row| row.get("code")).transpose()
}

async fn insert_account(
    tx: &mut Tx,
    tenant: TenantId,
    key: LedgerAccountKey,
) -> Result<LedgerAccountCode, Error> {
    let code = LedgerAccountCode::new(counters::reserve_number(tx, tenant, Counter::LedgerAccount).await?);
    let statement = sql("INSERT INTO ledger_accounts (tenant, code, protection_group, kind, reference)
         VALUES ($1, $2, $3, $4, $5)")
    .arg(tenant)
    .arg(code)
    .arg(key.group)
    .arg(key.kind)
    .arg(key.reference);
    tx.execute(statement).await?;
    Ok(code)
}

/// The statements that insert an entry with its lines.
pub fn insert_entry(
    tenant: TenantId,
    entry: &NewLedgerEntry<'_>,
    accounts: &AccountCodes,
    now: Moment,
) -> Result<Vec<Statement>, Error> {
    let head = sql(
        "INSERT INTO ledger_entries (tenant, code, protection_group, kind, booked_on, happened_on, title,
         settlement, reverses, user_code, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .arg(tenant)
    .arg(entry.code)
    .arg(entry.lines.group())
    .arg(entry.kind)
    .arg(entry.booked_on)
    .arg(entry.happened_on)
    .arg(entry.title)
    .arg(entry.settlement)
    .arg(entry.reverses)
    .arg(entry.user)
    .arg(now);
    let mut statements = vec![head];
    for (number, line) in (1_i64..).zip(entry.lines.lines()) {
        let unopened = || Error::Broken(format!("the account {:?} was not opened", line.account));
        let account = *accounts.get(&line.account).ok_or_else(unopened)?;
        let insert = sql("INSERT INTO ledger_lines (tenant, entry, line, account, booked_on, debit, credit)
             VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .arg(tenant)
        .arg(entry.code)
        .arg(number)
        .arg(account)
        .arg(entry.booked_on)
        .arg(line.debit)
        .arg(line.credit);
        statements.push(insert);
    }
    Ok(statements)
}

/// The lines of an entry, as they were booked.
#[boxed::future]
pub async fn load_entry_lines(
    tx: &mut Tx,
    tenant: TenantId,
    entry: LedgerEntryCode,
) -> Result<BalancedLines, Error> {
    let statement =
        sql("SELECT a.protection_group, a.kind, a.reference, l.debit, l.credit FROM ledger_lines l
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
         WHERE l.tenant = $1 AND l.entry = $2 ORDER BY l.line")
        .arg(tenant)
        .arg(entry);
    let rows = tx.fetch_all(statement).await?;
    let mut group = GroupCode::ADMINISTRATION;
    let mut lines = Vec::with_capacity(rows.len());
    for row in &rows {
        group = row.get("protection_group")?;
        let account = LedgerAccountKey { group, kind: row.get("kind")?, reference: row.get("reference")? };
        lines.push(domain::finance::EntryLine {
            account,
            debit: row.get("debit")?,
            credit: row.get("credit")?,
        });
    }
    BalancedLines::new(group, lines).map_err(|error| Error::Broken(format!("entry {entry}: {error:?}")))
}

/// The principal that receipts in force paid of each nature of a credit title.
#[boxed::future]
pub async fn sum_paid_natures(
    tx: &mut Tx,
    tenant: TenantId,
    title: TitleCode,
) -> Result<BTreeMap<LegalNature, i64>, Error> {
    let statement =
        sql("SELECT a.reference, CAST(SUM(l.credit - l.debit) AS BIGINT) AS paid FROM ledger_entries e
         JOIN ledger_lines l ON l.tenant = e.tenant AND l.entry = e.code
         JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
         WHERE e.tenant = $1 AND e.title = $2 AND e.settlement IS NOT NULL AND a.kind = $3
         GROUP BY a.reference ORDER BY a.reference")
        .arg(tenant)
        .arg(title)
        .arg(LedgerAccountKind::Receivable);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            let number: i64 = row.get("reference")?;
            let unknown = || Error::Broken(format!("{number} is no nature"));
            Ok((LegalNature::from_number(number).ok_or_else(unknown)?, row.get("paid")?))
        })
        .collect()
}

/// The sums of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountSums {
    pub debit: i64,
    pub credit: i64,
}

impl AccountSums {
    /// What the debits exceed the credits by; below 0 where the credits are more.
    pub fn balance(self) -> i64 {
        self.debit - self.credit
    }
}

/// The sums of an account: those at the end of the closed months, and what came since.
#[boxed::future]
pub async fn sum_account(tx: &mut Tx, tenant: TenantId, key: LedgerAccountKey) -> Result<AccountSums, Error> {
    let Some(account) = find_account(tx, tenant, key).await? else { return Ok(AccountSums::default()) };
    let closing = find_last_closing(&mut *tx, tenant).await?;
    let since = sql("SELECT CAST(COALESCE(SUM(debit), 0) AS BIGINT) AS debit,
             CAST(COALESCE(SUM(credit), 0) AS BIGINT) AS credit
         FROM ledger_lines WHERE tenant = $1 AND account = $2")
    .arg(tenant)
    .arg(account)
    .append_if_some("AND booked_on >= ?", closing.as_ref().map(|closing| closing.first_open_day));
    let mut sums = parse_sums(tx.fetch_optional(since).await?.as_ref())?;
    if let Some(closing) = closing {
        let checkpoint = sql("SELECT debit, credit FROM ledger_checkpoints
             WHERE tenant = $1 AND period_change = $2 AND account = $3")
        .arg(tenant)
        .arg(closing.number)
        .arg(account);
        let before = parse_sums(tx.fetch_optional(checkpoint).await?.as_ref())?;
        sums.debit += before.debit;
        sums.credit += before.credit;
    }
    Ok(sums)
}

/// The debits and credits of a row of sums; of none, both are 0.
pub(crate) fn parse_sums(row: Option<&Row>) -> Result<AccountSums, Error> {
    row.map_or(Ok(AccountSums::default()), |row| {
        Ok(AccountSums { debit: row.get("debit")?, credit: row.get("credit")? })
    })
}

/// Who has a credit, and the group in which they have it.
pub type CreditHolder = (GroupCode, PersonCode);

/// The credits that these people have in these groups, with how much each is.
#[boxed::future]
pub async fn list_member_credits(
    tx: &mut Tx,
    tenant: TenantId,
    (groups, people): (BTreeSet<GroupCode>, BTreeSet<PersonCode>),
) -> Result<Vec<(CreditHolder, i64)>, Error> {
    let statement =
        sql("SELECT a.protection_group, a.reference, CAST(SUM(l.credit - l.debit) AS BIGINT) AS credit
         FROM ledger_accounts a JOIN ledger_lines l ON l.tenant = a.tenant AND l.account = a.code
         WHERE a.tenant = $1 AND a.kind = $2")
        .arg(tenant)
        .arg(LedgerAccountKind::MemberCredit)
        .filter_in("a.protection_group", groups)
        .filter_in("a.reference", people)
        .append_text(
            "GROUP BY a.protection_group, a.reference
             HAVING SUM(l.credit - l.debit) > 0 ORDER BY a.protection_group, a.reference",
        );
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| Ok(((row.get("protection_group")?, row.get("reference")?), row.get("credit")?)))
        .collect()
}

/// Debits and credits of each group over all entries: equal, or the books are broken.
#[boxed::future]
pub async fn sum_groups(tx: &mut Tx, tenant: TenantId) -> Result<Vec<(GroupCode, AccountSums)>, Error> {
    let statement = sql("SELECT a.protection_group, CAST(SUM(l.debit) AS BIGINT) AS debit,
             CAST(SUM(l.credit) AS BIGINT) AS credit
         FROM ledger_lines l JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
         WHERE l.tenant = $1 GROUP BY a.protection_group ORDER BY a.protection_group")
    .arg(tenant);
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("protection_group")?, parse_sums(Some(row))?))).collect()
}
