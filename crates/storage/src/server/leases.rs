//! Leases of receivers: one process at a time delivers to a receiver. The number of the lease changes when another
//! process changes the receiver's pending messages.

use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{Moment, ReceiverCode, TenantId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiverLease {
    pub receiver: ReceiverCode,
    pub number: i64,
    pub holder: String,
    pub ends_at: Moment,
}

/// The leases of these receivers, including expired ones.
#[boxed::future]
pub async fn list_leases(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    receivers: impl IntoIterator<Item = ReceiverCode>,
) -> Result<Vec<ReceiverLease>, Error> {
    let statement = sql("SELECT receiver, number, holder, ends_at FROM leases WHERE tenant = $1").arg(tenant);
    let rows = source.fetch_all(QueryWeight::Search, statement.filter_in("receiver", receivers)).await?;
    let lease = |row: &crate::Row| {
        Ok(ReceiverLease {
            receiver: row.get("receiver")?,
            number: row.get("number")?,
            holder: row.get("holder")?,
            ends_at: row.get("ends_at")?,
        })
    };
    rows.iter().map(lease).collect()
}

pub fn upsert_lease(tenant: TenantId, lease: &ReceiverLease) -> Statement {
    sql("INSERT INTO leases (tenant, receiver, number, holder, ends_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant, receiver) DO UPDATE SET
             number = excluded.number, holder = excluded.holder, ends_at = excluded.ends_at")
    .arg(tenant)
    .arg(lease.receiver)
    .arg(lease.number)
    .arg(lease.holder.as_str())
    .arg(lease.ends_at)
}

/// Tells the holder that the receiver's pending messages have changed.
pub fn renumber_lease(tenant: TenantId, receiver: ReceiverCode, number: i64) -> Statement {
    sql("UPDATE leases SET number = $3 WHERE tenant = $1 AND receiver = $2")
        .arg(tenant)
        .arg(receiver)
        .arg(number)
}

/// Sets the end of a lease that ends after a moment.
pub fn shorten_lease(tenant: TenantId, receiver: ReceiverCode, after: Moment, end: Moment) -> Statement {
    sql("UPDATE leases SET ends_at = $4 WHERE tenant = $1 AND receiver = $2 AND ends_at > $3")
        .arg(tenant)
        .arg(receiver)
        .arg(after)
        .arg(end)
}

/// Releases these receivers, if the holder leases them.
pub fn release_leases(
    tenant: TenantId,
    holder: &str,
    receivers: impl IntoIterator<Item = ReceiverCode>,
    now: Moment,
) -> Statement {
    sql("UPDATE leases SET ends_at = $3 WHERE tenant = $1 AND holder = $2 AND ends_at > $3")
        .arg(tenant)
        .arg(holder)
        .arg(now)
        .filter_in("receiver", receivers)
}

/// The processes that lease receivers of a tenant.
#[boxed::future]
pub async fn list_lease_holders(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    now: Moment,
) -> Result<Vec<String>, Error> {
    let statement =
        sql("SELECT DISTINCT holder FROM leases WHERE tenant = $1 AND ends_at > $2 ORDER BY holder");
    let rows = source.fetch_all(QueryWeight::Search, statement.arg(tenant).arg(now)).await?;
    rows.iter().map(|row| row.get("holder")).collect()
}

/// Ends the leases of a process that is gone.
#[boxed::future]
pub async fn revoke_leases(tx: &mut Tx, tenant: TenantId, holder: &str, now: Moment) -> Result<u64, Error> {
    let free = sql("UPDATE leases SET ends_at = $3 WHERE tenant = $1 AND holder = $2 AND ends_at > $3");
    tx.execute(free.arg(tenant).arg(holder).arg(now)).await
}
