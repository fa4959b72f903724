//! The days of the month on which a tenant's benefits may fall due.

use crate::{Error, Source, Weight, sql};
use domain::TenantId;

/// The days in use, in their order.
pub async fn active(from: impl Into<Source<'_>>, tenant: TenantId) -> Result<Vec<i32>, Error> {
    let statement = sql("SELECT day FROM due_days WHERE tenant = $1 AND active ORDER BY day").arg(tenant);
    let rows = from.into().all(Weight::Point, statement).await?;
    rows.iter().map(|row| row.get("day")).collect()
}
