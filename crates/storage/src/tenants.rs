//! Tenants: the associations on this server, and the hosts under which each is found.

use crate::{Error, Row, Source, Tx, Weight, sql};
use domain::{Host, Moment, Name, TenantId, TimeZone};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    pub id: TenantId,
    pub name: String,
    pub time_zone: String,
    pub active: bool,
}

pub async fn insert(
    tx: &mut Tx,
    id: TenantId,
    name: &Name,
    time_zone: &TimeZone,
    now: Moment,
) -> Result<(), Error> {
    let statement =
        sql("INSERT INTO tenants (tenant, name, time_zone, active, version, created_at, updated_at)
         VALUES ($1, $2, $3, TRUE, 1, $4, $4)")
        .arg(id)
        .arg(name.as_str())
        .arg(time_zone.as_str())
        .arg(now);
    tx.execute(statement).await.map(drop)
}

pub async fn find(from: impl Into<Source<'_>>, id: TenantId) -> Result<Option<Tenant>, Error> {
    let statement = sql("SELECT tenant, name, time_zone, active FROM tenants WHERE tenant = $1").arg(id);
    from.into().one(statement).await?.map(|row| tenant(&row)).transpose()
}

/// Every tenant, for whoever runs the server.
pub async fn all(from: impl Into<Source<'_>>) -> Result<Vec<Tenant>, Error> {
    let statement = sql("SELECT tenant, name, time_zone, active FROM tenants ORDER BY tenant");
    from.into().all(Weight::Search, statement).await?.iter().map(tenant).collect()
}

fn tenant(row: &Row) -> Result<Tenant, Error> {
    Ok(Tenant {
        id: row.get("tenant")?,
        name: row.get("name")?,
        time_zone: row.get("time_zone")?,
        active: row.get("active")?,
    })
}

/// Gives a host to a tenant; `false` where another has it.
pub async fn claim_host(tx: &mut Tx, host: &Host, tenant: TenantId) -> Result<bool, Error> {
    let statement = sql("INSERT INTO hosts (host, tenant) VALUES ($1, $2)
         ON CONFLICT (host) DO UPDATE SET tenant = excluded.tenant WHERE hosts.tenant = excluded.tenant")
    .arg(host.as_str())
    .arg(tenant);
    Ok(tx.execute(statement).await? == 1)
}

/// Which tenant each host leads to.
pub async fn hosts(from: impl Into<Source<'_>>) -> Result<Vec<(String, TenantId)>, Error> {
    let statement = sql("SELECT host, tenant FROM hosts ORDER BY host");
    let rows = from.into().all(Weight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("host")?, row.get("tenant")?))).collect()
}
