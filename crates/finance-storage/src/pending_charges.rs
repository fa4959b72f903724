//! Lines that the next charge takes: written by hand, or fine and interest that a settlement left.

use domain::finance::{PendingChargeSituation, PendingChargeSource, TitleSituation};
use domain::{
    BenefitCode, BranchCode, ChargeItemCode, Date, GroupCode, Moment, PendingChargeCode, PersonCode, Scope,
    SettlementCode, TenantId, TitleCode, UserCode,
};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPendingCharge {
    pub code: PendingChargeCode,
    pub person: PersonCode,
    pub benefit: Option<BenefitCode>,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub item: ChargeItemCode,
    /// In cents, above 0.
    pub amount: i64,
    pub description: Option<String>,
    pub source: PendingChargeSource,
    /// The settlement that left late charges.
    pub settlement: Option<SettlementCode>,
    pub situation: PendingChargeSituation,
    /// The title that took it.
    pub title: Option<TitleCode>,
    pub cancelled_on: Option<Date>,
    pub cancelled_because: Option<String>,
    pub user: Option<UserCode>,
    pub created_at: Moment,
}

const SELECT: &str = "SELECT c.code, c.person, c.benefit, c.branch, c.protection_group, c.charge_item, c.amount,
     c.description, c.source, c.settlement, c.situation, c.title, c.cancelled_on, c.cancelled_because, c.user_code,
     c.created_at FROM pending_charges c";

fn parse_charge_row(row: &Row) -> Result<StoredPendingCharge, Error> {
    Ok(StoredPendingCharge {
        code: row.get("code")?,
        person: row.get("person")?,
        benefit: row.get("benefit")?,
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        item: row.get("charge_item")?,
        amount: row.get("amount")?,
        description: row.get("description")?,
        source: row.get("source")?,
        settlement: row.get("settlement")?,
        situation: row.get("situation")?,
        title: row.get("title")?,
        cancelled_on: row.get("cancelled_on")?,
        cancelled_because: row.get("cancelled_because")?,
        user: row.get("user_code")?,
        created_at: row.get("created_at")?,
    })
}

fn parse_charge_rows(rows: &[Row]) -> Result<Vec<StoredPendingCharge>, Error> {
    rows.iter().map(parse_charge_row).collect()
}

/// What is listed; an absent filter leaves nothing out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PendingChargeCriteria {
    pub person: Option<PersonCode>,
    pub benefit: Option<BenefitCode>,
    pub situation: Option<PendingChargeSituation>,
}

fn filter_charges(statement: Statement, scope: &Scope, criteria: &PendingChargeCriteria) -> Statement {
    statement
        .append("WHERE c.tenant = ?", [scope.tenant()])
        .append_if_some("AND c.person = ?", criteria.person)
        .append_if_some("AND c.benefit = ?", criteria.benefit)
        .append_if_some("AND c.situation = ?", criteria.situation)
        .filter_branches("c.branch + 0", scope.branches())
}

/// Charges in the branches of the scope, newest first, and how many there are.
#[boxed::future]
pub async fn list_pending_charges(
    tx: &mut Tx,
    scope: &Scope,
    criteria: &PendingChargeCriteria,
    (offset, limit): (i64, i64),
) -> Result<(Vec<StoredPendingCharge>, i64), Error> {
    let count = filter_charges(sql("SELECT COUNT(*) AS n FROM pending_charges c"), scope, criteria);
    let all = tx.fetch_optional(count).await?.map_or(Ok(0), |row| row.get("n"))?;
    let page = filter_charges(sql(SELECT), scope, criteria)
        .append_text("ORDER BY c.code DESC")
        .append("LIMIT ?", [limit])
        .append("OFFSET ?", [offset]);
    Ok((parse_charge_rows(&tx.fetch_all(page).await?)?, all))
}

/// The charge of this code, if its branch is in the scope.
#[boxed::future]
pub async fn find_pending_charge(
    tx: &mut Tx,
    scope: &Scope,
    code: PendingChargeCode,
) -> Result<Option<StoredPendingCharge>, Error> {
    let statement =
        sql(SELECT).append("WHERE c.tenant = ?", [scope.tenant()]).append("AND c.code = ?", [code]);
    let found = tx.fetch_optional(statement).await?.map(|row| parse_charge_row(&row)).transpose()?;
    Ok(found.filter(|charge| scope.can_see(charge.branch)))
}

/// What the next charges of these people take, ordered by code, regardless of scope.
#[boxed::future]
pub async fn list_waiting_charges(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<StoredPendingCharge>, Error> {
    let statement = sql(SELECT)
        .append("WHERE c.tenant = ?", [tenant])
        .append("AND c.situation + 0 = ?", [PendingChargeSituation::Waiting])
        .filter_in("c.person", people)
        .append_text("ORDER BY c.code");
    parse_charge_rows(&source.fetch_all(QueryWeight::Search, statement).await?)
}

/// What these titles took, ordered by code.
#[boxed::future]
pub async fn list_taken_charges(
    tx: &mut Tx,
    tenant: TenantId,
    titles: impl IntoIterator<Item = TitleCode>,
) -> Result<Vec<StoredPendingCharge>, Error> {
    let statement = sql(SELECT)
        .append("WHERE c.tenant = ?", [tenant])
        .filter_in("c.title", titles)
        .append_text("ORDER BY c.code");
    parse_charge_rows(&tx.fetch_all(statement).await?)
}

/// Marks waiting charges as lines of a title.
pub fn take_pending_charges(
    tenant: TenantId,
    title: TitleCode,
    codes: impl IntoIterator<Item = PendingChargeCode>,
    now: Moment,
) -> Statement {
    sql("UPDATE pending_charges SET situation = $3, title = $2, version = version + 1, updated_at = $4 WHERE tenant = $1")
        .arg(tenant)
        .arg(title)
        .arg(PendingChargeSituation::Charged)
        .arg(now)
        .append("AND situation = ?", [PendingChargeSituation::Waiting])
        .filter_in("code", codes)
}

/// Moves one-off charges from a title to the one that takes its place, whatever became of them when it was cancelled.
pub fn move_pending_charges(
    tenant: TenantId,
    title: TitleCode,
    codes: impl IntoIterator<Item = PendingChargeCode>,
    now: Moment,
) -> Statement {
    sql("UPDATE pending_charges SET situation = $3, title = $2, cancelled_on = NULL, version = version + 1,
         updated_at = $4 WHERE tenant = $1")
    .arg(tenant)
    .arg(title)
    .arg(PendingChargeSituation::Charged)
    .arg(now)
    .filter_in("code", codes)
}

/// Gives back what a cancelled title had taken, and cancels what waits of its own late charges. The next charge takes what
/// comes back, unless the settlement that it came of has been
/// reversed since and its title is open, so that the late charges are due with that one again, or cancelled, so that nothing
/// is due at all.
pub fn release_pending_charges(
    tenant: TenantId,
    title: TitleCode,
    today: Date,
    now: Moment,
) -> [Statement; 3] {
    let release = |situation: PendingChargeSituation, cancelled_on: Option<Date>| {
        sql("UPDATE pending_charges SET situation = $3, title = NULL, cancelled_on = $4, version = version + 1,
             updated_at = $5 WHERE tenant = $1 AND title = $2")
        .arg(tenant)
        .arg(title)
        .arg(situation)
        .arg(cancelled_on)
        .arg(now)
    };
    let of_reversed = "AND EXISTS (SELECT 1 FROM settlement_reversals r
         JOIN settlements s ON s.tenant = r.tenant AND s.code = r.settlement
         JOIN titles t ON t.tenant = s.tenant AND t.code = s.title
         WHERE r.tenant = pending_charges.tenant AND r.settlement = pending_charges.settlement AND t.situation <> ?)";
    [
        release(PendingChargeSituation::Cancelled, Some(today))
            .append(of_reversed, [TitleSituation::Settled]),
        release(PendingChargeSituation::Waiting, None),
        sql("UPDATE pending_charges SET situation = $3, cancelled_on = $4, version = version + 1, updated_at = $5
             WHERE tenant = $1 AND situation = $6
                 AND settlement IN (SELECT s.code FROM settlements s WHERE s.tenant = $1 AND s.title = $2)")
        .arg(tenant)
        .arg(title)
        .arg(PendingChargeSituation::Cancelled)
        .arg(today)
        .arg(now)
        .arg(PendingChargeSituation::Waiting),
    ]
}

pub fn insert_pending_charge(tenant: TenantId, charge: &StoredPendingCharge) -> Statement {
    sql("INSERT INTO pending_charges (tenant, code, person, benefit, branch, protection_group, charge_item, amount,
         description, source, settlement, situation, title, cancelled_on, cancelled_because, user_code, version,
         created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, $17, $17)")
    .arg(tenant)
    .arg(charge.code)
    .arg(charge.person)
    .arg(charge.benefit)
    .arg(charge.branch)
    .arg(charge.group)
    .arg(charge.item)
    .arg(charge.amount)
    .arg(charge.description.as_deref())
    .arg(charge.source)
    .arg(charge.settlement)
    .arg(charge.situation)
    .arg(charge.title)
    .arg(charge.cancelled_on)
    .arg(charge.cancelled_because.as_deref())
    .arg(charge.user)
    .arg(charge.created_at)
}

/// Cancels a charge that no title has taken.
pub fn cancel_pending_charge(
    tenant: TenantId,
    code: PendingChargeCode,
    (today, reason): (Date, &str),
    now: Moment,
) -> Statement {
    sql("UPDATE pending_charges SET situation = $3, cancelled_on = $4, cancelled_because = $5, version = version + 1,
         updated_at = $6 WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(code)
    .arg(PendingChargeSituation::Cancelled)
    .arg(today)
    .arg(reason)
    .arg(now)
}

/// Cancels the late charges that a settlement left, unless a title has taken them.
pub fn cancel_late_charges(
    tenant: TenantId,
    settlement: SettlementCode,
    today: Date,
    now: Moment,
) -> Statement {
    sql("UPDATE pending_charges SET situation = $3, cancelled_on = $4, version = version + 1, updated_at = $5
         WHERE tenant = $1 AND settlement = $2 AND title IS NULL")
    .arg(tenant)
    .arg(settlement)
    .arg(PendingChargeSituation::Cancelled)
    .arg(today)
    .arg(now)
}

/// The late charges that settlements of a title left, reversed ones included, in order.
#[boxed::future]
pub async fn list_left_late_charges(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    title: TitleCode,
) -> Result<Vec<StoredPendingCharge>, Error> {
    let statement = sql(SELECT)
        .append_text("JOIN settlements s ON s.tenant = c.tenant AND s.code = c.settlement")
        .append("WHERE s.tenant = ?", [tenant])
        .append("AND s.title = ?", [title])
        .append_text("ORDER BY c.code");
    parse_charge_rows(&source.fetch_all(QueryWeight::Point, statement).await?)
}
