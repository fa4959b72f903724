//! The plans of benefits, current and former.

use crate::executor::statement::build_inserts;
use crate::{Error, QueryWeight, ReadSource, Row, SqlScalar, Statement, sql};
use domain::{BenefitCode, BenefitItem, ItemCode, Moment, TenantId};

/// The items of a benefit, ordered by code.
#[boxed::future]
pub async fn list_items(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefit: BenefitCode,
) -> Result<Vec<BenefitItem>, Error> {
    let statement = sql("SELECT code, plan, price, included_on, is_first, is_price_agreed, active FROM items
         WHERE tenant = $1 AND benefit = $2 ORDER BY code")
    .arg(tenant)
    .arg(benefit);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(parse_item_row).collect()
}

/// The items of several benefits, ordered by benefit and code.
#[boxed::future]
pub async fn list_items_of_benefits(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
) -> Result<Vec<(BenefitCode, BenefitItem)>, Error> {
    let statement =
        sql("SELECT benefit, code, plan, price, included_on, is_first, is_price_agreed, active FROM items WHERE tenant = $1")
            .arg(tenant)
            .filter_in("benefit", benefits)
            .append_text("ORDER BY benefit, code");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("benefit")?, parse_item_row(row)?))).collect()
}

fn parse_item_row(row: &Row) -> Result<BenefitItem, Error> {
    Ok(BenefitItem {
        code: row.get("code")?,
        plan: row.get("plan")?,
        price: row.get("price")?,
        included_on: row.get("included_on")?,
        is_first: row.get("is_first")?,
        is_price_agreed: row.get("is_price_agreed")?,
        active: row.get("active")?,
    })
}

const ROWS_PER_STATEMENT: usize = 100;

/// Inserts items of benefits that already have a search row.
pub fn insert_items<'i>(
    tenant: TenantId,
    now: Moment,
    items: impl IntoIterator<Item = (BenefitCode, i32, &'i BenefitItem)>,
) -> Vec<Statement> {
    insert_dated_items(tenant, items.into_iter().map(|(benefit, slot, item)| (benefit, slot, now, item)))
}

/// Like [`insert_items`], with a creation time per item.
pub fn insert_dated_items<'i>(
    tenant: TenantId,
    items: impl IntoIterator<Item = (BenefitCode, i32, Moment, &'i BenefitItem)>,
) -> Vec<Statement> {
    let rows = items.into_iter().map(|(benefit, slot, now, item)| -> [SqlScalar; 12] {
        [
            tenant.into(),
            benefit.into(),
            item.code.into(),
            item.plan.into(),
            item.price.into(),
            item.included_on.into(),
            item.is_first.into(),
            item.is_price_agreed.into(),
            item.active.into(),
            slot.into(),
            now.into(),
            now.into(),
        ]
    });
    let head =
        "INSERT INTO items (tenant, benefit, code, plan, price, included_on, is_first, is_price_agreed,
         active, slot, created_at, updated_at) VALUES";
    build_inserts(head, ROWS_PER_STATEMENT, rows)
}

/// Deactivates an item; the row stays.
pub fn deactivate_item(tenant: TenantId, benefit: BenefitCode, item: ItemCode, now: Moment) -> Statement {
    sql("UPDATE items SET active = FALSE, updated_at = $4 WHERE tenant = $1 AND benefit = $2 AND code = $3")
        .arg(tenant)
        .arg(benefit)
        .arg(item)
        .arg(now)
}

pub fn update_item(tenant: TenantId, benefit: BenefitCode, item: &BenefitItem, now: Moment) -> Statement {
    sql("UPDATE items SET plan = $4, price = $5, included_on = $6, is_first = $7, active = $8,
         updated_at = $9, is_price_agreed = $10 WHERE tenant = $1 AND benefit = $2 AND code = $3")
    .arg(tenant)
    .arg(benefit)
    .arg(item.code)
    .arg(item.plan)
    .arg(item.price)
    .arg(item.included_on)
    .arg(item.is_first)
    .arg(item.active)
    .arg(now)
    .arg(item.is_price_agreed)
}

/// Updates the price of an item, where its price comes from, and whether it is active.
pub fn update_item_terms(
    tenant: TenantId,
    benefit: BenefitCode,
    item: &BenefitItem,
    now: Moment,
) -> Statement {
    sql("UPDATE items SET active = $4, price = $5, updated_at = $6, is_price_agreed = $7
         WHERE tenant = $1 AND benefit = $2 AND code = $3")
    .arg(tenant)
    .arg(benefit)
    .arg(item.code)
    .arg(item.active)
    .arg(item.price)
    .arg(now)
    .arg(item.is_price_agreed)
}
