//! The codes by which titles are paid by Pix; they are only inserted.

use domain::{Moment, MoneyAccountCode, TenantId, TitleCode, UserCode};
use storage::{Error, ReadSource, Statement, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPixCode {
    /// Leads from a payment back to the title, unless the account's codes contain none; unique in the tenant.
    pub txid: String,
    pub title: TitleCode,
    /// Counts the codes of the title, from 1.
    pub number: i32,
    pub account: MoneyAccountCode,
    pub pix_key: String,
    /// What people copy and paste, and what the QR code holds.
    pub content: String,
    /// In cents.
    pub amount: i64,
    pub expires_at: Moment,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

impl StoredPixCode {
    /// The identifier that the bank statement shows; `None` if the account's codes contain none.
    pub fn sent_txid(&self) -> Option<&str> {
        Some(self.txid.as_str()).filter(|txid| self.content.contains(txid))
    }
}

/// The last code of a title, expired or not.
#[boxed::future]
pub async fn find_last_pix_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    title: TitleCode,
) -> Result<Option<StoredPixCode>, Error> {
    let statement =
        sql("SELECT txid, title, number, money_account, pix_key, content, amount, expires_at, user_code,
         created_at FROM pix_codes WHERE tenant = $1 AND title = $2 ORDER BY number DESC LIMIT 1")
        .arg(tenant)
        .arg(title);
    let Some(row) = source.fetch_optional(statement).await? else { return Ok(None) };
    Ok(Some(StoredPixCode {
        txid: row.get("txid")?,
        title: row.get("title")?,
        number: row.get("number")?,
        account: row.get("money_account")?,
        pix_key: row.get("pix_key")?,
        content: row.get("content")?,
        amount: row.get("amount")?,
        expires_at: row.get("expires_at")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
    }))
}

/// The title of a code, regardless of scope.
#[boxed::future]
pub async fn find_title_by_pix_txid(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    txid: &str,
) -> Result<Option<TitleCode>, Error> {
    let statement = sql("SELECT title FROM pix_codes WHERE tenant = $1 AND txid = $2").arg(tenant).arg(txid);
    source.fetch_optional(statement).await?.map(|row| row.get("title")).transpose()
}

pub fn insert_pix_code(tenant: TenantId, code: &StoredPixCode) -> Statement {
    sql("INSERT INTO pix_codes (tenant, txid, title, number, money_account, pix_key, content, amount, expires_at,
         user_code, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
    .arg(tenant)
    .arg(code.txid.as_str())
    .arg(code.title)
    .arg(code.number)
    .arg(code.account)
    .arg(code.pix_key.as_str())
    .arg(code.content.as_str())
    .arg(code.amount)
    .arg(code.expires_at)
    .arg(code.user)
    .arg(code.created_at)
}
