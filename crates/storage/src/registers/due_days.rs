//! The days of the month on which a tenant's benefits may be due.

use crate::{Error, QueryWeight, ReadSource, Tx, sql};
use domain::{Moment, TenantId};

/// The active days, in order.
#[boxed::future]
pub async fn list_active_due_days(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<i32>, Error> {
    let statement = sql("SELECT day FROM due_days WHERE tenant = $1 AND active ORDER BY day").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("day")).collect()
}

#[boxed::future]
pub async fn insert_due_days(tx: &mut Tx, tenant: TenantId, days: &[i32], now: Moment) -> Result<(), Error> {
    let insert = |day: &i32| {
        sql("INSERT INTO due_days (tenant, day, active, version, created_at, updated_at)
             VALUES ($1, $2, TRUE, 1, $3, $3)")
        .arg(tenant)
        .arg(*day)
        .arg(now)
    };
    tx.execute_batch(days.iter().map(insert).collect()).await
}
