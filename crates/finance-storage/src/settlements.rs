//! Settlements and their reversals; both are only inserted.

use domain::finance::LedgerAccountKind;
use domain::{
    Date, LedgerEntryCode, Moment, MoneyAccountCode, SettlementCode, SettlementTypeCode, TenantId, TitleCode,
    UserCode,
};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};

/// What settled a title, in cents: `total` = `principal` + `interest` + `fine` − `discount`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSettlement {
    pub code: SettlementCode,
    pub title: TitleCode,
    /// How and where the money came; `None` if the person's credit paid.
    pub money: Option<(SettlementTypeCode, MoneyAccountCode)>,
    pub paid_on: Date,
    pub credited_on: Date,
    pub booked_on: Date,
    pub principal: i64,
    pub interest: i64,
    pub fine: i64,
    pub discount: i64,
    pub total: i64,
    /// What came beyond, kept as the person's credit.
    pub credit: i64,
    /// Fine and interest that were due and not paid.
    pub late_charges_left: i64,
    pub note: Option<String>,
    pub entry: LedgerEntryCode,
    pub user: Option<UserCode>,
    pub created_at: Moment,
    pub reversal: Option<ReversalRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReversalRecord {
    pub booked_on: Date,
    pub reason: String,
    pub entry: LedgerEntryCode,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

/// The settlements of a title, reversed ones included, in the order in which they were made.
#[boxed::future]
pub async fn list_settlements(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    title: TitleCode,
) -> Result<Vec<StoredSettlement>, Error> {
    let statement = sql("SELECT s.code, s.title, s.settlement_type, s.money_account, s.paid_on, s.credited_on,
         s.booked_on, s.principal, s.interest, s.fine, s.discount, s.total, s.credit, s.late_charges_left, s.note,
         s.entry, s.user_code, s.created_at, r.booked_on AS reversed_on, r.reason AS reversal_reason,
         r.entry AS reversal_entry, r.user_code AS reversed_by, r.created_at AS reversed_at
         FROM settlements s
         LEFT JOIN settlement_reversals r ON r.tenant = s.tenant AND r.settlement = s.code
         WHERE s.tenant = $1 AND s.title = $2 ORDER BY s.code")
    .arg(tenant)
    .arg(title);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_settlement_row).collect()
}

fn parse_settlement_row(row: &Row) -> Result<StoredSettlement, Error> {
    let settlement_type: Option<SettlementTypeCode> = row.get("settlement_type")?;
    let account: Option<MoneyAccountCode> = row.get("money_account")?;
    Ok(StoredSettlement {
        code: row.get("code")?,
        title: row.get("title")?,
        money: settlement_type.zip(account),
        paid_on: row.get("paid_on")?,
        credited_on: row.get("credited_on")?,
        booked_on: row.get("booked_on")?,
        principal: row.get("principal")?,
        interest: row.get("interest")?,
        fine: row.get("fine")?,
        discount: row.get("discount")?,
        total: row.get("total")?,
        credit: row.get("credit")?,
        late_charges_left: row.get("late_charges_left")?,
        note: row.get("note")?,
        entry: row.get("entry")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
        reversal: parse_reversal_columns(row)?,
    })
}

/// The reversal in the columns of a row that names them so; `None` if it was not reversed.
pub(crate) fn parse_reversal_columns(row: &Row) -> Result<Option<ReversalRecord>, Error> {
    let reversed_on: Option<Date> = row.get("reversed_on")?;
    let Some(booked_on) = reversed_on else { return Ok(None) };
    Ok(Some(ReversalRecord {
        booked_on,
        reason: row.get("reversal_reason")?,
        entry: row.get("reversal_entry")?,
        user: row.get("reversed_by")?,
        created_at: row.get("reversed_at")?,
    }))
}

/// The condition of settlements `s` that money came by which was not reversed, and which another system had not received. Its
/// parameter is the kind of the opening balance. With additions, so that no index of accounts leads.
pub(crate) const RECEIVED_HERE: &str = "AND s.money_account IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM settlement_reversals r WHERE r.tenant = s.tenant AND r.settlement = s.code)
     AND NOT (EXISTS (SELECT 1 FROM imported_titles i WHERE i.tenant = s.tenant AND i.title = s.title)
         AND EXISTS (SELECT 1 FROM ledger_lines l WHERE l.tenant = s.tenant AND l.entry = s.entry
             AND EXISTS (SELECT 1 FROM ledger_accounts a
                 WHERE a.tenant = l.tenant AND a.code = l.account + 0 AND a.kind + 0 = ?)))";

/// The title of a settlement.
#[boxed::future]
pub async fn find_settled_title(
    tx: &mut Tx,
    tenant: TenantId,
    code: SettlementCode,
) -> Result<Option<TitleCode>, Error> {
    let statement =
        sql("SELECT title FROM settlements WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    tx.fetch_optional(statement).await?.map(|row| row.get("title")).transpose()
}

/// The settlements of a title that were paid in another system: an opening balance, and no money account, stands behind
/// them.
#[boxed::future]
pub async fn list_opening_payments(
    tx: &mut Tx,
    tenant: TenantId,
    title: TitleCode,
) -> Result<Vec<SettlementCode>, Error> {
    let statement = sql("SELECT s.code FROM settlements s WHERE s.tenant = $1 AND s.title = $2 AND EXISTS (
             SELECT 1 FROM ledger_lines l JOIN ledger_accounts a ON a.tenant = l.tenant AND a.code = l.account
             WHERE l.tenant = s.tenant AND l.entry = s.entry AND a.kind = $3) ORDER BY s.code")
    .arg(tenant)
    .arg(title)
    .arg(LedgerAccountKind::OpeningBalance);
    tx.fetch_all(statement).await?.iter().map(|row| row.get("code")).collect()
}

pub fn insert_settlement(tenant: TenantId, settlement: &StoredSettlement) -> Statement {
    sql("INSERT INTO settlements (tenant, code, title, settlement_type, money_account, paid_on, credited_on, booked_on,
         principal, interest, fine, discount, total, credit, late_charges_left, note, entry, user_code, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)")
    .arg(tenant)
    .arg(settlement.code)
    .arg(settlement.title)
    .arg(settlement.money.map(|(settlement_type, _)| settlement_type))
    .arg(settlement.money.map(|(_, account)| account))
    .arg(settlement.paid_on)
    .arg(settlement.credited_on)
    .arg(settlement.booked_on)
    .arg(settlement.principal)
    .arg(settlement.interest)
    .arg(settlement.fine)
    .arg(settlement.discount)
    .arg(settlement.total)
    .arg(settlement.credit)
    .arg(settlement.late_charges_left)
    .arg(settlement.note.as_deref())
    .arg(settlement.entry)
    .arg(settlement.user)
    .arg(settlement.created_at)
}

pub fn insert_reversal(tenant: TenantId, settlement: SettlementCode, reversal: &ReversalRecord) -> Statement {
    sql("INSERT INTO settlement_reversals (tenant, settlement, booked_on, reason, entry, user_code, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
    .arg(tenant)
    .arg(settlement)
    .arg(reversal.booked_on)
    .arg(reversal.reason.as_str())
    .arg(reversal.entry)
    .arg(reversal.user)
    .arg(reversal.created_at)
}
