//! The credit of a person, whatever it came of: payments of more than was due, money received as credit, and what they
//! brought along from another system, less what it paid and what was paid back.

use crate::settlements::{ReversalRecord, parse_reversal_columns};
use domain::finance::{CreditChange, CreditMovementKind, LedgerAccountKind};
use domain::{
    BranchCode, CreditReceiptCode, Date, GroupCode, Moment, MoneyAccountCode, PersonCode, Scope,
    SettlementCode, SettlementTypeCode, TenantId, TitleCode, UserCode,
};
use storage::{Error, Row, Statement, Tx, sql};

/// What added to a person's credit, or took of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditMovement {
    pub kind: CreditMovementKind,
    /// Of a receipt or refund, which can be reversed.
    pub code: Option<CreditReceiptCode>,
    /// The settlement that left or used it.
    pub settlement: Option<SettlementCode>,
    pub title: Option<TitleCode>,
    pub branch: BranchCode,
    pub group: GroupCode,
    /// In cents; below 0, it was taken of the credit.
    pub amount: i64,
    /// How and where the money moved.
    pub money: Option<(SettlementTypeCode, MoneyAccountCode)>,
    pub happened_on: Date,
    pub note: Option<String>,
    pub user: Option<UserCode>,
    pub created_at: Moment,
    pub reversal: Option<ReversalRecord>,
}

const MOVEMENTS: &str = "FROM (
     SELECT CASE WHEN c.amount > 0 THEN 1 ELSE 2 END AS kind, c.code AS code, CAST(NULL AS BIGINT) AS settlement,
         c.title AS title, c.branch AS branch, c.protection_group AS protection_group, c.amount AS amount,
         c.settlement_type AS settlement_type, c.money_account AS money_account, c.paid_on AS happened_on,
         c.note AS note, c.user_code AS user_code, c.created_at AS created_at, r.booked_on AS reversed_on,
         r.reason AS reversal_reason, r.entry AS reversal_entry, r.user_code AS reversed_by,
         r.created_at AS reversed_at, c.entry AS entry
     FROM credit_receipts c
     LEFT JOIN credit_receipt_reversals r ON r.tenant = c.tenant AND r.receipt = c.code
     WHERE c.tenant = $1 AND c.person = $2
     UNION ALL
     SELECT CASE WHEN s.money_account IS NULL THEN 4 ELSE 3 END, CAST(NULL AS BIGINT), s.code, s.title, t.branch,
         t.protection_group, CASE WHEN s.money_account IS NULL THEN -s.total ELSE s.credit END, s.settlement_type,
         s.money_account, s.paid_on, s.note, s.user_code, s.created_at, r.booked_on, r.reason, r.entry, r.user_code,
         r.created_at, s.entry
     FROM titles t JOIN settlements s ON s.tenant = t.tenant AND s.title = t.code
     LEFT JOIN settlement_reversals r ON r.tenant = s.tenant AND r.settlement = s.code
     WHERE t.tenant = $1 AND t.person = $2 AND (s.credit > 0 OR s.money_account IS NULL)
     UNION ALL
     SELECT 5, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), p.branch, b.protection_group,
         b.amount, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), b.happened_on, CAST(NULL AS TEXT), e.user_code,
         e.created_at, CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT),
         CAST(NULL AS BIGINT), b.entry
     FROM opening_balances b JOIN people p ON p.tenant = b.tenant AND p.code = b.reference
     JOIN ledger_entries e ON e.tenant = b.tenant AND e.code = b.entry
     WHERE b.tenant = $1 AND b.kind = $3 AND b.reference = $2
     ) m WHERE 1 = 1";

fn select_movements(columns: &'static str, scope: &Scope, person: PersonCode) -> Statement {
    sql(columns)
        .append_text(MOVEMENTS)
        .arg(scope.tenant())
        .arg(person)
        .arg(LedgerAccountKind::MemberCredit)
        .filter_branches("m.branch", scope.branches())
}

/// A page of the movements of a person's credit in the branches of the scope, newest first, and how many there are.
#[boxed::future]
pub async fn list_credit_movements(
    tx: &mut Tx,
    scope: &Scope,
    person: PersonCode,
    (offset, limit): (i64, i64),
) -> Result<(Vec<CreditMovement>, i64), Error> {
    let count = select_movements("SELECT COUNT(*) AS n", scope, person);
    let all = tx.fetch_optional(count).await?.map_or(Ok(0), |row| row.get("n"))?;
    let columns = "SELECT m.kind, m.code, m.settlement, m.title, m.branch, m.protection_group, m.amount,
         m.settlement_type, m.money_account, m.happened_on, m.note, m.user_code, m.created_at, m.reversed_on,
         m.reversal_reason, m.reversal_entry, m.reversed_by, m.reversed_at";
    let page = select_movements(columns, scope, person)
        .append("ORDER BY m.created_at DESC, m.entry DESC LIMIT ? OFFSET ?", [limit, offset]);
    let rows = tx.fetch_all(page).await?;
    Ok((rows.iter().map(parse_movement_row).collect::<Result<_, _>>()?, all))
}

/// Every change of a person's credit, in all branches, in the order of their entries. Who sees which part of it is for
/// [`domain::finance::allocate_credit`] to say.
#[boxed::future]
pub async fn list_credit_changes(
    tx: &mut Tx,
    tenant: TenantId,
    person: PersonCode,
) -> Result<Vec<CreditChange>, Error> {
    let columns = "SELECT m.branch, m.protection_group, m.happened_on, m.amount, m.entry, m.reversal_entry";
    let statement =
        select_movements(columns, &Scope::for_tenant(tenant), person).append_text("ORDER BY m.entry");
    tx.fetch_all(statement).await?.iter().map(parse_change_row).collect()
}

fn parse_change_row(row: &Row) -> Result<CreditChange, Error> {
    Ok(CreditChange {
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        day: row.get("happened_on")?,
        amount: row.get("amount")?,
        entry: row.get("entry")?,
        reversed_by: row.get("reversal_entry")?,
    })
}

fn parse_movement_row(row: &Row) -> Result<CreditMovement, Error> {
    let settlement_type: Option<SettlementTypeCode> = row.get("settlement_type")?;
    let account: Option<MoneyAccountCode> = row.get("money_account")?;
    Ok(CreditMovement {
        kind: row.get("kind")?,
        code: row.get("code")?,
        settlement: row.get("settlement")?,
        title: row.get("title")?,
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        amount: row.get("amount")?,
        money: settlement_type.zip(account),
        happened_on: row.get("happened_on")?,
        note: row.get("note")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
        reversal: parse_reversal_columns(row)?,
    })
}
