//! Titles with their lines and benefits.

use crate::price_origins::{list_origin_values, parse_price_origin};
use domain::finance::{
    ChargeLine, EarlyDiscountRule, LateChargeRates, LaunchKind, ShortfallTreatment, TitleSituation,
};
use domain::{
    BenefitCode, BranchCode, Date, GroupCode, LedgerEntryCode, Moment, PersonCode, Scope, TenantId,
    TitleCode, TitleTypeCode, UserCode,
};
use storage::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};

/// A title. Amounts are cents; those below `amount` follow from its settlements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTitle {
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub title_type: TitleTypeCode,
    pub launch_kind: LaunchKind,
    pub description: String,
    pub note: Option<String>,
    pub issued_on: Date,
    pub due_on: Date,
    /// Before any renegotiation.
    pub original_due_on: Date,
    /// The next bank day from `due_on`.
    pub effective_due_on: Date,
    /// `None` while it waits for release.
    pub posted_on: Option<Date>,
    pub instalment: i32,
    pub instalments: i32,
    pub rates: LateChargeRates,
    pub shortfall: ShortfallTreatment,
    pub early_discount: EarlyDiscountRule,
    /// The last day on which it is given.
    pub early_discount_until: Option<Date>,
    pub amount: i64,
    pub open_amount: i64,
    pub settled_total: i64,
    pub settled_on: Option<Date>,
    pub situation: TitleSituation,
    pub cancelled_on: Option<Date>,
    pub cancelled_because: Option<String>,
    /// The booking of the issue.
    pub issue_entry: Option<LedgerEntryCode>,
    pub user: Option<UserCode>,
    pub version: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

const COLUMNS: &str = "t.person, t.branch, t.protection_group, t.title_type, t.launch_kind, t.description, t.note,
    t.issued_on, t.due_on, t.original_due_on, t.effective_due_on, t.posted_on, t.instalment, t.instalments, t.fine,
    t.monthly_interest, t.shortfall, t.early_discount, t.early_discount_days, t.early_discount_nature,
    t.early_discount_until, t.amount, t.open_amount, t.settled_total, t.settled_on, t.situation, t.cancelled_on,
    t.cancelled_because, t.issue_entry, t.user_code, t.version, t.created_at, t.updated_at";

pub(super) fn parse_title_row(row: &Row) -> Result<StoredTitle, Error> {
    Ok(StoredTitle {
        person: row.get("person")?,
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        title_type: row.get("title_type")?,
        launch_kind: row.get("launch_kind")?,
        description: row.get("description")?,
        note: row.get("note")?,
        issued_on: row.get("issued_on")?,
        due_on: row.get("due_on")?,
        original_due_on: row.get("original_due_on")?,
        effective_due_on: row.get("effective_due_on")?,
        posted_on: row.get("posted_on")?,
        instalment: row.get("instalment")?,
        instalments: row.get("instalments")?,
        rates: LateChargeRates { fine: row.get("fine")?, interest: row.get("monthly_interest")? },
        shortfall: row.get("shortfall")?,
        early_discount: EarlyDiscountRule {
            rate: row.get("early_discount")?,
            days: row.get("early_discount_days")?,
            nature: row.get("early_discount_nature")?,
        },
        early_discount_until: row.get("early_discount_until")?,
        amount: row.get("amount")?,
        open_amount: row.get("open_amount")?,
        settled_total: row.get("settled_total")?,
        settled_on: row.get("settled_on")?,
        situation: row.get("situation")?,
        cancelled_on: row.get("cancelled_on")?,
        cancelled_because: row.get("cancelled_because")?,
        issue_entry: row.get("issue_entry")?,
        user: row.get("user_code")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// The title of this code, if its branch is in the scope.
#[boxed::future]
pub async fn find_title(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
    code: TitleCode,
) -> Result<Option<StoredTitle>, Error> {
    let statement = sql("SELECT").append_text(COLUMNS).append_text("FROM titles t");
    let statement = statement.append("WHERE t.tenant = ?", [scope.tenant()]).append("AND t.code = ?", [code]);
    let found = source.fetch_optional(statement).await?.map(|row| parse_title_row(&row)).transpose()?;
    Ok(found.filter(|title| scope.can_see(title.branch)))
}

/// These titles, regardless of scope.
#[boxed::future]
pub async fn list_titles_by_code(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, StoredTitle)>, Error> {
    let head = sql("SELECT t.code,").append_text(COLUMNS).append_text("FROM titles t");
    let statement = head.append("WHERE t.tenant = ?", [tenant]).filter_in("t.code", codes.iter().copied());
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, parse_title_row(row)?))).collect()
}

/// The statements that insert a title with its lines and benefits.
pub fn insert_title(
    tenant: TenantId,
    code: TitleCode,
    title: &StoredTitle,
    lines: &[ChargeLine],
    benefits: &[BenefitCode],
) -> Vec<Statement> {
    let insert = sql("INSERT INTO titles (tenant, code, person, branch, protection_group, title_type, launch_kind,
         description, note, issued_on, due_on, original_due_on, effective_due_on, posted_on, instalment, instalments,
         fine, monthly_interest, shortfall, amount, open_amount, settled_total, settled_on, situation, cancelled_on,
         cancelled_because, issue_entry, user_code, version, created_at, updated_at, early_discount,
         early_discount_days, early_discount_nature, early_discount_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
         $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)")
    .arg(tenant)
    .arg(code)
    .arg(title.person)
    .arg(title.branch)
    .arg(title.group)
    .arg(title.title_type)
    .arg(title.launch_kind)
    .arg(title.description.as_str())
    .arg(title.note.as_deref())
    .arg(title.issued_on)
    .arg(title.due_on)
    .arg(title.original_due_on)
    .arg(title.effective_due_on)
    .arg(title.posted_on)
    .arg(title.instalment)
    .arg(title.instalments)
    .arg(title.rates.fine)
    .arg(title.rates.interest)
    .arg(title.shortfall)
    .arg(title.amount)
    .arg(title.open_amount)
    .arg(title.settled_total)
    .arg(title.settled_on)
    .arg(title.situation)
    .arg(title.cancelled_on)
    .arg(title.cancelled_because.as_deref())
    .arg(title.issue_entry)
    .arg(title.user)
    .arg(title.version)
    .arg(title.created_at)
    .arg(title.updated_at)
    .arg(title.early_discount.rate)
    .arg(title.early_discount.days)
    .arg(title.early_discount.nature)
    .arg(title.early_discount_until);
    let insert_benefit = |benefit: &BenefitCode| {
        sql("INSERT INTO title_benefits (tenant, title, benefit) VALUES ($1, $2, $3)")
            .arg(tenant)
            .arg(code)
            .arg(*benefit)
    };
    let insert_line = |(number, line): (i64, &ChargeLine)| {
        let [price_origin, plan_price] = list_origin_values(line.price);
        sql("INSERT INTO title_lines (tenant, title, line, charge_item, nature, benefit, amount, description,
             price_origin, plan_price) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
        .arg(tenant)
        .arg(code)
        .arg(number)
        .arg(line.item)
        .arg(line.nature)
        .arg(line.benefit)
        .arg(line.amount)
        .arg(line.description.as_deref())
        .arg(price_origin)
        .arg(plan_price)
    };
    std::iter::once(insert)
        .chain(benefits.iter().map(insert_benefit))
        .chain((1_i64..).zip(lines).map(insert_line))
        .collect()
}

/// Updates what may change of a title, and raises its version.
pub fn update_title(tenant: TenantId, code: TitleCode, title: &StoredTitle) -> Statement {
    sql("UPDATE titles SET note = $3, due_on = $4, effective_due_on = $5, posted_on = $6, open_amount = $7,
         settled_total = $8, settled_on = $9, situation = $10, cancelled_on = $11, cancelled_because = $12,
         issue_entry = $13, early_discount_until = $15, version = version + 1, updated_at = $14
         WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(code)
    .arg(title.note.as_deref())
    .arg(title.due_on)
    .arg(title.effective_due_on)
    .arg(title.posted_on)
    .arg(title.open_amount)
    .arg(title.settled_total)
    .arg(title.settled_on)
    .arg(title.situation)
    .arg(title.cancelled_on)
    .arg(title.cancelled_because.as_deref())
    .arg(title.issue_entry)
    .arg(title.updated_at)
    .arg(title.early_discount_until)
}

/// The lines of a title, in their order.
#[boxed::future]
pub async fn list_title_lines(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: TitleCode,
) -> Result<Vec<ChargeLine>, Error> {
    let lines = list_lines_of_titles(source, tenant, &[code]).await?;
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The lines of these titles, in their order.
#[boxed::future]
pub async fn list_lines_of_titles(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, ChargeLine)>, Error> {
    let statement =
        sql("SELECT title, charge_item, nature, benefit, price_origin, plan_price, amount, description
         FROM title_lines WHERE tenant = $1")
        .arg(tenant)
        .filter_in("title", codes.iter().copied())
        .append_text("ORDER BY title, line");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let line = ChargeLine {
                item: row.get("charge_item")?,
                nature: row.get("nature")?,
                benefit: row.get("benefit")?,
                price: parse_price_origin(row)?,
                amount: row.get("amount")?,
                description: row.get("description")?,
            };
            Ok((row.get("title")?, line))
        })
        .collect()
}

/// The benefits of these titles with their sequence numbers, ordered by title and benefit.
#[boxed::future]
pub async fn list_title_benefits(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    codes: &[TitleCode],
) -> Result<Vec<(TitleCode, BenefitCode, i32)>, Error> {
    let statement = sql("SELECT tb.title, tb.benefit, b.sequence FROM title_benefits tb
         JOIN benefits b ON b.tenant = tb.tenant AND b.code = tb.benefit WHERE tb.tenant = $1")
    .arg(tenant)
    .filter_in("tb.title", codes.iter().copied())
    .append_text("ORDER BY tb.title, tb.benefit");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("title")?, row.get("benefit")?, row.get("sequence")?))).collect()
}

/// What a person owes of titles of credit in the caller's branches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonDebt {
    pub open_titles: i64,
    pub open_amount: i64,
    pub overdue_titles: i64,
    pub overdue_amount: i64,
}

/// Sums the open titles of a person, or only those of one benefit.
#[boxed::future]
pub async fn sum_person_debt(
    tx: &mut Tx,
    scope: &Scope,
    (person, benefit): (PersonCode, Option<BenefitCode>),
    today: Date,
) -> Result<PersonDebt, Error> {
    let statement = sql("SELECT COUNT(*) AS open_titles, CAST(COALESCE(SUM(open_amount), 0) AS BIGINT) AS open_amount,
         CAST(COALESCE(SUM(CASE WHEN effective_due_on < $3 THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue_titles,
         CAST(COALESCE(SUM(CASE WHEN effective_due_on < $3 THEN open_amount ELSE 0 END), 0) AS BIGINT)
             AS overdue_amount
         FROM titles WHERE tenant = $1 AND person = $2")
    .arg(scope.tenant())
    .arg(person)
    .arg(today)
    .append("AND launch_kind + 0 = ?", [LaunchKind::Credit])
    .append("AND situation + 0 = ?", [TitleSituation::Open])
    .append_if_some(
        "AND EXISTS (SELECT 1 FROM title_benefits tb WHERE tb.tenant = titles.tenant AND tb.title = titles.code
             AND tb.benefit = ?)",
        benefit,
    )
    .filter_branches("branch + 0", scope.branches());
    let Some(row) = tx.fetch_optional(statement).await? else { return Ok(PersonDebt::default()) };
    Ok(PersonDebt {
        open_titles: row.get("open_titles")?,
        open_amount: row.get("open_amount")?,
        overdue_titles: row.get("overdue_titles")?,
        overdue_amount: row.get("overdue_amount")?,
    })
}
