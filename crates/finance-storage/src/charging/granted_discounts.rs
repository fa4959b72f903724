//! The discounts that benefits have.

use domain::finance::ChargedMonth;
use domain::{BenefitCode, DiscountCode, TenantId};
use storage::{Error, Tx, sql};

/// A discount that a benefit was granted for some months.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredGrant {
    pub benefit: BenefitCode,
    pub discount: DiscountCode,
    pub from: ChargedMonth,
    pub until: Option<ChargedMonth>,
}

impl StoredGrant {
    pub fn is_in_force(&self, month: ChargedMonth) -> bool {
        self.from <= month && self.until.is_none_or(|until| month <= until)
    }
}

/// The discounts of the benefits after a code, up to another, by benefit and in their order. One that was ended has its last month.
#[boxed::future]
pub async fn list_grants_of_range(
    tx: &mut Tx,
    tenant: TenantId,
    (after, until): (i32, BenefitCode),
) -> Result<Vec<StoredGrant>, Error> {
    let statement = sql("SELECT benefit, discount, from_month, until_month FROM benefit_discounts
         WHERE tenant = $1 AND benefit > $2 AND benefit <= $3 ORDER BY benefit, code")
    .arg(tenant)
    .arg(after)
    .arg(until);
    let rows = tx.fetch_all(statement).await?;
    rows.iter()
        .map(|row| {
            Ok(StoredGrant {
                benefit: row.get("benefit")?,
                discount: row.get("discount")?,
                from: row.get("from_month")?,
                until: row.get("until_month")?,
            })
        })
        .collect()
}
