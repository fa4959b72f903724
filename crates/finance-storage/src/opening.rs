//! What came from another system: the keys of imported titles, and the opening balances in force.

use domain::finance::OpeningAccount;
use domain::{Date, GroupCode, LedgerEntryCode, PersonCode, Scope, TenantId, TitleCode};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};

/// The title that was imported under this key.
#[boxed::future]
pub async fn find_imported_title(
    tx: &mut Tx,
    tenant: TenantId,
    key: &str,
) -> Result<Option<TitleCode>, Error> {
    let statement = sql("SELECT title FROM imported_titles WHERE tenant = $1 AND external_key = $2");
    tx.fetch_optional(statement.arg(tenant).arg(key)).await?.map(|row| row.get("title")).transpose()
}

/// The keys that the other system gave these titles.
#[boxed::future]
pub async fn list_given_title_keys(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    titles: &[TitleCode],
) -> Result<Vec<(TitleCode, String)>, Error> {
    let statement = sql("SELECT title, external_key FROM imported_titles WHERE tenant = $1 AND is_given")
        .arg(tenant)
        .filter_in("title", titles.iter().copied());
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("title")?, row.get("external_key")?))).collect()
}

pub fn insert_title_key(tenant: TenantId, title: TitleCode, (key, is_given): (&str, bool)) -> Statement {
    sql("INSERT INTO imported_titles (tenant, external_key, title, is_given) VALUES ($1, $2, $3, $4)")
        .arg(tenant)
        .arg(key)
        .arg(title)
        .arg(is_given)
}

pub fn delete_title_key(tenant: TenantId, title: TitleCode) -> Statement {
    sql("DELETE FROM imported_titles WHERE tenant = $1 AND title = $2").arg(tenant).arg(title)
}

/// An opening balance in force. Its entry identifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOpeningBalance {
    pub entry: LedgerEntryCode,
    pub group: GroupCode,
    pub kind: i64,
    pub reference: i64,
    pub amount: i64,
    pub happened_on: Date,
}

const COLUMNS: &str =
    "SELECT entry, protection_group, kind, reference, amount, happened_on FROM opening_balances";

fn parse_balance_row(row: &Row) -> Result<StoredOpeningBalance, Error> {
    Ok(StoredOpeningBalance {
        entry: row.get("entry")?,
        group: row.get("protection_group")?,
        kind: row.get("kind")?,
        reference: row.get("reference")?,
        amount: row.get("amount")?,
        happened_on: row.get("happened_on")?,
    })
}

/// The balance of a person or money account in a group.
#[boxed::future]
pub async fn find_opening_balance(
    tx: &mut Tx,
    tenant: TenantId,
    (group, account): (GroupCode, OpeningAccount),
) -> Result<Option<StoredOpeningBalance>, Error> {
    let statement = sql(COLUMNS)
        .append_text("WHERE tenant = $1 AND kind = $2 AND reference = $3 AND protection_group = $4")
        .arg(tenant)
        .arg(account.ledger_kind())
        .arg(account.reference())
        .arg(group);
    tx.fetch_optional(statement).await?.map(|row| parse_balance_row(&row)).transpose()
}

#[boxed::future]
pub async fn find_opening_balance_of_entry(
    tx: &mut Tx,
    tenant: TenantId,
    entry: LedgerEntryCode,
) -> Result<Option<StoredOpeningBalance>, Error> {
    let statement = sql(COLUMNS).append_text("WHERE tenant = $1 AND entry = $2").arg(tenant).arg(entry);
    tx.fetch_optional(statement).await?.map(|row| parse_balance_row(&row)).transpose()
}

pub fn insert_opening_balance(tenant: TenantId, balance: &StoredOpeningBalance) -> Statement {
    sql("INSERT INTO opening_balances (tenant, entry, protection_group, kind, reference, amount, happened_on)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(tenant)
    .arg(balance.entry)
    .arg(balance.group)
    .arg(balance.kind)
    .arg(balance.reference)
    .arg(balance.amount)
    .arg(balance.happened_on)
}

pub fn delete_opening_balance(tenant: TenantId, entry: LedgerEntryCode) -> Statement {
    sql("DELETE FROM opening_balances WHERE tenant = $1 AND entry = $2").arg(tenant).arg(entry)
}

/// The opening credit of a person in a group or in all of them, if their branch is in the scope.
#[boxed::future]
pub async fn sum_visible_opening_credit(
    tx: &mut Tx,
    scope: &Scope,
    (person, group): (PersonCode, Option<GroupCode>),
) -> Result<i64, Error> {
    let account = OpeningAccount::MemberCredit(person);
    let statement = sql("SELECT CAST(COALESCE(SUM(b.amount), 0) AS BIGINT) AS credit FROM opening_balances b
         JOIN people p ON p.tenant = b.tenant AND p.code = b.reference
         WHERE b.tenant = $1 AND b.kind = $2 AND b.reference = $3")
    .arg(scope.tenant())
    .arg(account.ledger_kind())
    .arg(account.reference())
    .append_if_some("AND b.protection_group = ?", group)
    .filter_branches("p.branch", scope.branches());
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("credit"))
}
