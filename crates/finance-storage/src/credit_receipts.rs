//! Money received as credit of a person, and credit paid back, with their reversals; all of it is only inserted.

use crate::settlements::{ReversalRecord, parse_reversal_columns};
use domain::{
    BranchCode, CreditReceiptCode, Date, GroupCode, LedgerEntryCode, Moment, MoneyAccountCode, PersonCode,
    Scope, SettlementTypeCode, TenantId, TitleCode, UserCode,
};
use storage::{Error, Row, Statement, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCreditReceipt {
    pub code: CreditReceiptCode,
    pub person: PersonCode,
    /// Decides who sees it.
    pub branch: BranchCode,
    pub group: GroupCode,
    /// In cents; below 0, it was paid back.
    pub amount: i64,
    pub settlement_type: SettlementTypeCode,
    pub account: MoneyAccountCode,
    pub paid_on: Date,
    pub booked_on: Date,
    /// The title that the money was meant for.
    pub title: Option<TitleCode>,
    pub note: Option<String>,
    pub entry: LedgerEntryCode,
    pub user: Option<UserCode>,
    pub created_at: Moment,
    pub reversal: Option<ReversalRecord>,
}

impl StoredCreditReceipt {
    pub fn is_refund(&self) -> bool {
        self.amount < 0
    }
}

const SELECT: &str = "SELECT c.code, c.person, c.branch, c.protection_group, c.amount, c.settlement_type,
     c.money_account, c.paid_on, c.booked_on, c.title, c.note, c.entry, c.user_code, c.created_at,
     r.booked_on AS reversed_on, r.reason AS reversal_reason, r.entry AS reversal_entry,
     r.user_code AS reversed_by, r.created_at AS reversed_at
     FROM credit_receipts c
     LEFT JOIN credit_receipt_reversals r ON r.tenant = c.tenant AND r.receipt = c.code
     WHERE c.tenant = $1";

/// The receipt of this code, if its branch is in the scope.
#[boxed::future]
pub async fn find_credit_receipt(
    tx: &mut Tx,
    scope: &Scope,
    code: CreditReceiptCode,
) -> Result<Option<StoredCreditReceipt>, Error> {
    let statement = sql(SELECT).arg(scope.tenant()).append("AND c.code = ?", [code]);
    let found = tx.fetch_optional(statement).await?.map(|row| parse_receipt_row(&row)).transpose()?;
    Ok(found.filter(|receipt| scope.can_see(receipt.branch)))
}

/// What was received as credit instead of paying a title, in the branches of the scope, ordered by code. Without what was
/// reversed.
#[boxed::future]
pub async fn list_receipts_meant_for(
    tx: &mut Tx,
    scope: &Scope,
    title: TitleCode,
) -> Result<Vec<StoredCreditReceipt>, Error> {
    let statement = sql(SELECT)
        .arg(scope.tenant())
        .append("AND c.title = ?", [title])
        .append_text("AND r.receipt IS NULL")
        .filter_branches("c.branch + 0", scope.branches())
        .append_text("ORDER BY c.code");
    tx.fetch_all(statement).await?.iter().map(parse_receipt_row).collect()
}

/// The first receipt in force that is of the same payment, as far as can be told, in the branches of the scope: for the
/// same title or for none, of the same amount and day, and into the same account.
#[boxed::future]
pub async fn find_same_receipt(
    tx: &mut Tx,
    scope: &Scope,
    (person, title): (PersonCode, Option<TitleCode>),
    (amount, account, paid_on): (i64, MoneyAccountCode, Date),
) -> Result<Option<CreditReceiptCode>, Error> {
    let statement = sql("SELECT c.code, c.title FROM credit_receipts c
         WHERE c.tenant = $1 AND c.person = $2 AND c.amount = $3 AND c.money_account = $4 AND c.paid_on = $5
         AND NOT EXISTS (SELECT 1 FROM credit_receipt_reversals r
             WHERE r.tenant = c.tenant AND r.receipt = c.code)")
    .arg(scope.tenant())
    .arg(person)
    .arg(amount)
    .arg(account)
    .arg(paid_on)
    .filter_branches("c.branch + 0", scope.branches())
    .append_text("ORDER BY c.code");
    for row in &tx.fetch_all(statement).await? {
        let meant_for: Option<TitleCode> = row.get("title")?;
        if meant_for == title {
            return row.get("code").map(Some);
        }
    }
    Ok(None)
}

fn parse_receipt_row(row: &Row) -> Result<StoredCreditReceipt, Error> {
    Ok(StoredCreditReceipt {
        code: row.get("code")?,
        person: row.get("person")?,
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        amount: row.get("amount")?,
        settlement_type: row.get("settlement_type")?,
        account: row.get("money_account")?,
        paid_on: row.get("paid_on")?,
        booked_on: row.get("booked_on")?,
        title: row.get("title")?,
        note: row.get("note")?,
        entry: row.get("entry")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
        reversal: parse_reversal_columns(row)?,
    })
}

pub fn insert_credit_receipt(tenant: TenantId, receipt: &StoredCreditReceipt) -> Statement {
    sql("INSERT INTO credit_receipts (tenant, code, person, branch, protection_group, amount, settlement_type,
         money_account, paid_on, booked_on, title, note, entry, user_code, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)")
    .arg(tenant)
    .arg(receipt.code)
    .arg(receipt.person)
    .arg(receipt.branch)
    .arg(receipt.group)
    .arg(receipt.amount)
    .arg(receipt.settlement_type)
    .arg(receipt.account)
    .arg(receipt.paid_on)
    .arg(receipt.booked_on)
    .arg(receipt.title)
    .arg(receipt.note.as_deref())
    .arg(receipt.entry)
    .arg(receipt.user)
    .arg(receipt.created_at)
}

pub fn insert_receipt_reversal(
    tenant: TenantId,
    receipt: CreditReceiptCode,
    reversal: &ReversalRecord,
) -> Statement {
    sql("INSERT INTO credit_receipt_reversals (tenant, receipt, booked_on, reason, entry, user_code, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(tenant)
    .arg(receipt)
    .arg(reversal.booked_on)
    .arg(reversal.reason.as_str())
    .arg(reversal.entry)
    .arg(reversal.user)
    .arg(reversal.created_at)
}
