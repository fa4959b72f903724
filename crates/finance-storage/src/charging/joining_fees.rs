//! Joining fees that titles charge.

use domain::finance::TitleSituation;
use domain::{BenefitCode, ChargeItemCode, TenantId, TitleCode};
use storage::{Error, Tx, sql};

/// The titles in force that charge a benefit one of these items, by itself or together with others.
#[boxed::future]
pub async fn list_titles_with_items(
    tx: &mut Tx,
    tenant: TenantId,
    benefits: impl IntoIterator<Item = BenefitCode>,
    items: impl IntoIterator<Item = ChargeItemCode>,
) -> Result<Vec<(BenefitCode, TitleCode)>, Error> {
    let statement = sql("SELECT b.benefit, b.title FROM title_benefits b
         JOIN titles t ON t.tenant = b.tenant AND t.code = b.title
         JOIN title_lines l ON l.tenant = b.tenant AND l.title = b.title
             AND COALESCE(l.benefit, b.benefit) = b.benefit
         WHERE b.tenant = $1 AND t.situation + 0 <> $2")
    .arg(tenant)
    .arg(TitleSituation::Cancelled)
    .filter_in("b.benefit", benefits)
    .filter_in("l.charge_item", items)
    .append_text("ORDER BY b.benefit, b.title");
    tx.fetch_all(statement).await?.iter().map(|row| Ok((row.get("benefit")?, row.get("title")?))).collect()
}
