//! What came from another system: the keys of imported titles, and the opening balances in force.

use domain::finance::{LaunchKind, OpeningAccount, TitleSituation};
use domain::{Date, GroupCode, LedgerEntryCode, TenantId, TitleCode, TitleTypeCode};
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

/// The title to which a line of an import gave this key.
#[boxed::future]
pub async fn find_title_of_given_key(
    tx: &mut Tx,
    tenant: TenantId,
    key: &str,
) -> Result<Option<TitleCode>, Error> {
    let statement =
        sql("SELECT title FROM imported_titles WHERE tenant = $1 AND external_key = $2 AND is_given");
    tx.fetch_optional(statement.arg(tenant).arg(key)).await?.map(|row| row.get("title")).transpose()
}

/// The titles that were imported under these keys.
#[boxed::future]
pub async fn list_imported_titles(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    keys: &[String],
) -> Result<Vec<(String, TitleCode)>, Error> {
    let statement = sql("SELECT external_key, title FROM imported_titles WHERE tenant = $1")
        .arg(tenant)
        .filter_in("external_key", keys.iter().map(String::as_str));
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("external_key")?, row.get("title")?))).collect()
}

/// An open title that came from another system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenImportedTitle {
    pub code: TitleCode,
    pub key: String,
    pub launch_kind: LaunchKind,
}

/// The open titles after a code whose key begins like this. The prefix is no pattern.
#[boxed::future]
pub async fn list_open_titles_by_prefix(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    prefix: &str,
    (after, limit): (TitleCode, i64),
) -> Result<Vec<OpenImportedTitle>, Error> {
    let statement = sql("SELECT i.title, i.external_key, t.launch_kind FROM imported_titles i
         JOIN titles t ON t.tenant = i.tenant AND t.code = i.title
         WHERE i.tenant = $1 AND i.title > $2 AND i.external_key LIKE $3 AND t.situation + 0 = $4
         ORDER BY i.title LIMIT $5")
    .arg(tenant)
    .arg(after)
    .arg(format!("{prefix}%"))
    .arg(TitleSituation::Open)
    .arg(limit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    let parse = |row: &Row| {
        let (code, key, launch_kind) = (row.get("title")?, row.get("external_key")?, row.get("launch_kind")?);
        Ok(OpenImportedTitle { code, key, launch_kind })
    };
    rows.iter().map(parse).collect()
}

/// The groups and types of the open credit titles of people with benefits whose key begins like this. A title that names no
/// benefit may be for all that its person has.
#[boxed::future]
pub async fn list_open_benefit_title_types(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    prefix: &str,
) -> Result<Vec<(GroupCode, TitleTypeCode)>, Error> {
    let statement = sql("SELECT DISTINCT t.protection_group, t.title_type FROM imported_titles i
         JOIN titles t ON t.tenant = i.tenant AND t.code = i.title
         WHERE i.tenant = $1 AND i.external_key LIKE $2 AND t.situation + 0 = $3 AND t.launch_kind + 0 = $4
             AND EXISTS (SELECT 1 FROM benefits b WHERE b.tenant = t.tenant AND b.person = t.person)")
    .arg(tenant)
    .arg(format!("{prefix}%"))
    .arg(TitleSituation::Open)
    .arg(LaunchKind::Credit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("protection_group")?, row.get("title_type")?))).collect()
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

/// How an imported title is found again, and what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportedTitleKey<'k> {
    pub key: &'k str,
    /// Whether the key is one of the other system.
    pub is_given: bool,
    /// The other system names benefits, but none that is here.
    pub has_only_unknown_benefits: bool,
}

pub fn insert_title_key(tenant: TenantId, title: TitleCode, imported: &ImportedTitleKey<'_>) -> Statement {
    sql("INSERT INTO imported_titles (tenant, external_key, title, is_given, has_only_unknown_benefits)
         VALUES ($1, $2, $3, $4, $5)")
    .arg(tenant)
    .arg(imported.key)
    .arg(title)
    .arg(imported.is_given)
    .arg(imported.has_only_unknown_benefits)
}

pub fn update_title_key(tenant: TenantId, title: TitleCode, (key, is_given): (&str, bool)) -> Statement {
    sql("UPDATE imported_titles SET external_key = $3, is_given = $4 WHERE tenant = $1 AND title = $2")
        .arg(tenant)
        .arg(title)
        .arg(key)
        .arg(is_given)
}

/// Whether the other system names benefits of an imported title that has none here; `None` if it was not imported.
#[boxed::future]
pub async fn find_unknown_benefits_mark(
    tx: &mut Tx,
    tenant: TenantId,
    title: TitleCode,
) -> Result<Option<bool>, Error> {
    let statement =
        sql("SELECT has_only_unknown_benefits FROM imported_titles WHERE tenant = $1 AND title = $2");
    let row = tx.fetch_optional(statement.arg(tenant).arg(title)).await?;
    row.map(|row| row.get("has_only_unknown_benefits")).transpose()
}

pub fn update_unknown_benefits_mark(
    tenant: TenantId,
    title: TitleCode,
    has_only_unknown_benefits: bool,
) -> Statement {
    sql("UPDATE imported_titles SET has_only_unknown_benefits = $3 WHERE tenant = $1 AND title = $2")
        .arg(tenant)
        .arg(title)
        .arg(has_only_unknown_benefits)
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
