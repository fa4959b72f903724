//! What each benefit of a run's scope is charged, or why it is not.

use crate::price_origins::{list_origin_values, parse_price_origin};
use domain::finance::{ChargeSource, LegalNature, NotChargedReason, PriceOrigin};
use domain::{
    BenefitCode, BranchCode, ChargeItemCode, ChargingRunCode, Date, GroupCode, PendingChargeCode, PersonCode,
    TenantId, TitleCode,
};
use std::collections::BTreeMap;
use storage::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, Tx, build_inserts, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunBenefit {
    pub benefit: BenefitCode,
    /// The version of the benefit that was looked at.
    pub benefit_version: i64,
    pub person: PersonCode,
    pub branch: BranchCode,
    pub group: GroupCode,
    pub due_day: Option<i32>,
    /// The first due date, if it is charged.
    pub due_on: Option<Date>,
    /// `None` if it is charged.
    pub reason: Option<NotChargedReason>,
    /// Cents, of all instalments together.
    pub amount: i64,
    /// The first title that charges it.
    pub title: Option<TitleCode>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    pub benefit: BenefitCode,
    /// Counts from 1.
    pub instalment: i32,
    pub item: ChargeItemCode,
    pub nature: LegalNature,
    pub source: ChargeSource,
    /// Which price was used, for a contribution and an add-on.
    pub price: Option<PriceOrigin>,
    /// Below 0 for a discount.
    pub amount: i64,
    pub description: Option<String>,
    /// The one-off charge that the line is.
    pub pending_charge: Option<PendingChargeCode>,
}

pub fn insert_run_benefits(
    tenant: TenantId,
    run: ChargingRunCode,
    benefits: &[RunBenefit],
) -> Vec<Statement> {
    let rows = benefits.iter().map(|one| -> [SqlScalar; 12] {
        [
            tenant.into(),
            run.into(),
            one.benefit.into(),
            one.benefit_version.into(),
            one.person.into(),
            one.branch.into(),
            one.group.into(),
            one.due_day.into(),
            one.due_on.into(),
            one.reason.into(),
            one.amount.into(),
            one.title.into(),
        ]
    });
    let head = "INSERT INTO charging_run_benefits (tenant, run, benefit, benefit_version, person, branch,
         protection_group, due_day, due_on, reason, amount, title) VALUES";
    build_inserts(head, 100, rows)
}

/// Inserts the lines of benefits, which are ordered by benefit and instalment.
pub fn insert_run_lines(tenant: TenantId, run: ChargingRunCode, lines: &[RunLine]) -> Vec<Statement> {
    let (mut last, mut number) = (None, 0_i64);
    let numbered = lines.iter().map(|line| {
        let place = Some((line.benefit, line.instalment));
        number = if place == last { number + 1 } else { 1 };
        last = place;
        (number, line)
    });
    let rows = numbered.map(|(number, line)| -> [SqlScalar; 13] {
        let [price_origin, plan_price] = list_origin_values(line.price);
        [
            tenant.into(),
            run.into(),
            line.benefit.into(),
            line.instalment.into(),
            number.into(),
            line.item.into(),
            line.nature.into(),
            line.source.into(),
            price_origin,
            plan_price,
            line.amount.into(),
            line.description.as_deref().into(),
            line.pending_charge.into(),
        ]
    });
    let head =
        "INSERT INTO charging_run_lines (tenant, run, benefit, instalment, line, charge_item, nature, source,
         price_origin, plan_price, amount, description, pending_charge) VALUES";
    build_inserts(head, 100, rows)
}

const COLUMNS: &str =
    "benefit, benefit_version, person, branch, protection_group, due_day, due_on, reason, amount,
    title";

fn parse_benefit_row(row: &Row) -> Result<RunBenefit, Error> {
    Ok(RunBenefit {
        benefit: row.get("benefit")?,
        benefit_version: row.get("benefit_version")?,
        person: row.get("person")?,
        branch: row.get("branch")?,
        group: row.get("protection_group")?,
        due_day: row.get("due_day")?,
        due_on: row.get("due_on")?,
        reason: row.get("reason")?,
        amount: row.get("amount")?,
        title: row.get("title")?,
    })
}

/// Which benefits of a run are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunBenefitFilter {
    #[default]
    All,
    Charged,
    NotCharged,
    Reason(NotChargedReason),
}

/// A page of a run's benefits, by code.
#[boxed::future]
pub async fn list_run_benefits(
    source: impl Into<ReadSource<'_>>,
    (tenant, run): (TenantId, ChargingRunCode),
    filter: RunBenefitFilter,
    (offset, limit): (i64, i64),
) -> Result<Vec<RunBenefit>, Error> {
    let head = sql("SELECT").append_text(COLUMNS).append_text("FROM charging_run_benefits");
    let statement = filter_benefits(head, (tenant, run), filter)
        .append("ORDER BY benefit LIMIT ? OFFSET ?", [limit, offset]);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(parse_benefit_row).collect()
}

fn filter_benefits(
    head: Statement,
    (tenant, run): (TenantId, ChargingRunCode),
    filter: RunBenefitFilter,
) -> Statement {
    let statement = head.append("WHERE tenant = ?", [tenant]).append("AND run = ?", [run]);
    match filter {
        RunBenefitFilter::All => statement,
        RunBenefitFilter::Charged => statement.append_text("AND reason IS NULL"),
        RunBenefitFilter::NotCharged => statement.append_text("AND reason IS NOT NULL"),
        RunBenefitFilter::Reason(reason) => statement.append("AND reason = ?", [reason]),
    }
}

/// The charged benefits of whole persons after a person, about so many. They are ordered by person and benefit.
#[boxed::future]
pub async fn list_benefits_to_issue(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
    (after, about): (i32, i64),
) -> Result<Vec<RunBenefit>, Error> {
    let last = sql("SELECT person FROM charging_run_benefits
         WHERE tenant = $1 AND run = $2 AND person > $3 AND reason IS NULL ORDER BY person, benefit")
    .arg(tenant)
    .arg(run)
    .arg(after)
    .append("LIMIT 1 OFFSET ?", [about]);
    let last: Option<PersonCode> = tx.fetch_optional(last).await?.map(|row| row.get("person")).transpose()?;
    let statement = sql("SELECT")
        .append_text(COLUMNS)
        .append_text("FROM charging_run_benefits")
        .append("WHERE tenant = ?", [tenant])
        .append("AND run = ?", [run])
        .append("AND person > ?", [after])
        .append_text("AND reason IS NULL")
        .append_if_some("AND person <= ?", last)
        .append_text("ORDER BY person, benefit");
    tx.fetch_all(statement).await?.iter().map(parse_benefit_row).collect()
}

/// The lines of these benefits, ordered by benefit, instalment and line.
#[boxed::future]
pub async fn list_run_lines(
    source: impl Into<ReadSource<'_>>,
    (tenant, run): (TenantId, ChargingRunCode),
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<RunLine>, Error> {
    let statement =
        sql("SELECT benefit, instalment, charge_item, nature, source, price_origin, plan_price, amount, description,
             pending_charge
         FROM charging_run_lines WHERE tenant = $1 AND run = $2")
        .arg(tenant)
        .arg(run)
        .filter_in("benefit", benefits)
        .append_text("ORDER BY benefit, instalment, line");
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(parse_line_row).collect()
}

fn parse_line_row(row: &Row) -> Result<RunLine, Error> {
    Ok(RunLine {
        benefit: row.get("benefit")?,
        instalment: row.get("instalment")?,
        item: row.get("charge_item")?,
        nature: row.get("nature")?,
        source: row.get("source")?,
        price: parse_price_origin(row)?,
        amount: row.get("amount")?,
        description: row.get("description")?,
        pending_charge: row.get("pending_charge")?,
    })
}

/// Notes why benefits that the preview charged are not charged after all.
pub fn update_reason(
    (tenant, run): (TenantId, ChargingRunCode),
    reason: NotChargedReason,
    benefits: &[BenefitCode],
) -> Statement {
    sql("UPDATE charging_run_benefits SET reason = $3, amount = 0 WHERE tenant = $1 AND run = $2")
        .arg(tenant)
        .arg(run)
        .arg(reason)
        .filter_in("benefit", benefits.iter().copied())
}

/// Notes the first title of benefits.
pub fn update_titles(
    (tenant, run): (TenantId, ChargingRunCode),
    titles: &[(BenefitCode, TitleCode)],
) -> Vec<Statement> {
    let update = |(benefit, title): &(BenefitCode, TitleCode)| {
        sql("UPDATE charging_run_benefits SET title = $4 WHERE tenant = $1 AND run = $2 AND benefit = $3")
            .arg(tenant)
            .arg(run)
            .arg(*benefit)
            .arg(*title)
    };
    titles.iter().map(update).collect()
}

/// Notes another first title of benefits, if that was the first.
pub fn replace_title(
    (tenant, run): (TenantId, ChargingRunCode),
    (old, new): (TitleCode, TitleCode),
    benefits: &[BenefitCode],
) -> Statement {
    sql("UPDATE charging_run_benefits SET title = $4 WHERE tenant = $1 AND run = $2 AND title = $3")
        .arg(tenant)
        .arg(run)
        .arg(old)
        .arg(new)
        .filter_in("benefit", benefits.iter().copied())
}

/// How many benefits of a run the filter leaves.
#[boxed::future]
pub async fn count_run_benefits(
    tx: &mut Tx,
    key: (TenantId, ChargingRunCode),
    filter: RunBenefitFilter,
) -> Result<i64, Error> {
    let statement =
        filter_benefits(sql("SELECT COUNT(*) AS benefits FROM charging_run_benefits"), key, filter);
    tx.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("benefits"))
}

/// The name of the person and the plate of each of these benefits.
#[boxed::future]
pub async fn list_benefit_names(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: &[BenefitCode],
) -> Result<BTreeMap<BenefitCode, (String, Option<String>)>, Error> {
    let statement = sql("SELECT b.code, b.plate, p.name FROM benefits b
         JOIN people p ON p.tenant = b.tenant AND p.code = b.person WHERE b.tenant = $1")
    .arg(tenant)
    .filter_in("b.code", benefits.iter().copied());
    let rows = tx.fetch_all(statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, (row.get("name")?, row.get("plate")?)))).collect()
}

/// The one-off charges that benefits of these people have taken in a run so far.
#[boxed::future]
pub async fn list_taken_charges(
    tx: &mut Tx,
    (tenant, run): (TenantId, ChargingRunCode),
    people: impl IntoIterator<Item = PersonCode>,
) -> Result<Vec<PendingChargeCode>, Error> {
    let statement = sql("SELECT l.pending_charge FROM charging_run_benefits b
         JOIN charging_run_lines l ON l.tenant = b.tenant AND l.run = b.run AND l.benefit = b.benefit
         WHERE b.tenant = $1 AND b.run = $2 AND b.reason IS NULL AND l.pending_charge IS NOT NULL")
    .arg(tenant)
    .arg(run)
    .filter_in("b.person", people);
    tx.fetch_all(statement).await?.iter().map(|row| row.get("pending_charge")).collect()
}
