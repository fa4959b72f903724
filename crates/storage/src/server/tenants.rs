//! The tenants of this server, and their host names.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{DisplayName, HostName, Moment, Role, TenantId, TimeZone};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTenant {
    pub id: TenantId,
    pub name: String,
    pub time_zone: String,
    pub active: bool,
    /// Six hexadecimal digits.
    pub colour: Option<String>,
    pub second_colour: Option<String>,
    /// Benefits may be validated without authentication.
    pub open_validation: bool,
    /// The networks with a higher limit for that, one per line.
    pub validation_partners: Option<String>,
    /// The roles that require a second factor.
    pub second_factor_roles: Vec<Role>,
    pub version: i64,
    pub updated_at: Moment,
}

/// The columns read by [`parse_tenant_row`].
macro_rules! select {
    () => {
        "SELECT tenant, name, time_zone, active, colour, second_colour, open_validation, validation_partners, \
             second_factor_roles, version, updated_at FROM tenants "
    };
}

#[boxed::future]
pub async fn insert_tenant(
    tx: &mut Tx,
    id: TenantId,
    name: &DisplayName,
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

#[boxed::future]
pub async fn find_tenant(
    source: impl Into<ReadSource<'_>>,
    id: TenantId,
) -> Result<Option<StoredTenant>, Error> {
    let statement = sql(concat!(select!(), "WHERE tenant = $1")).arg(id);
    source.fetch_optional(statement).await?.map(|row| parse_tenant_row(&row)).transpose()
}

/// Every tenant, for the operator of the server.
#[boxed::future]
pub async fn list_tenants(source: impl Into<ReadSource<'_>>) -> Result<Vec<StoredTenant>, Error> {
    let statement = sql(concat!(select!(), "ORDER BY tenant"));
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(parse_tenant_row).collect()
}

fn parse_tenant_row(row: &Row) -> Result<StoredTenant, Error> {
    Ok(StoredTenant {
        id: row.get("tenant")?,
        name: row.get("name")?,
        time_zone: row.get("time_zone")?,
        active: row.get("active")?,
        colour: row.get("colour")?,
        second_colour: row.get("second_colour")?,
        open_validation: row.get("open_validation")?,
        validation_partners: row.get("validation_partners")?,
        second_factor_roles: decode_roles(row.get("second_factor_roles")?),
        version: row.get("version")?,
        updated_at: row.get("updated_at")?,
    })
}

/// Decodes a bit set of roles.
pub(crate) fn decode_roles(bits: i64) -> Vec<Role> {
    Role::ALL.into_iter().filter(|role| bits & encode_role(*role) != 0).collect()
}

fn encode_roles(roles: &[Role]) -> i64 {
    roles.iter().fold(0, |bits, role| bits | encode_role(*role))
}

fn encode_role(role: Role) -> i64 {
    1 << role.number()
}

/// Updates a tenant; its hosts are reserved and freed separately.
#[boxed::future]
pub async fn update_tenant(tx: &mut Tx, tenant: &StoredTenant) -> Result<(), Error> {
    let statement = sql("UPDATE tenants SET name = $2, time_zone = $3, colour = $4, second_colour = $5,
             version = version + 1, updated_at = $6, open_validation = $7, validation_partners = $8,
             second_factor_roles = $9 WHERE tenant = $1")
    .arg(tenant.id)
    .arg(tenant.name.as_str())
    .arg(tenant.time_zone.as_str())
    .arg(tenant.colour.as_deref())
    .arg(tenant.second_colour.as_deref())
    .arg(tenant.updated_at)
    .arg(tenant.open_validation)
    .arg(tenant.validation_partners.as_deref())
    .arg(encode_roles(&tenant.second_factor_roles));
    tx.execute(statement).await.map(drop)
}

/// The hosts of a tenant, in alphabetical order.
#[boxed::future]
pub async fn list_hosts_of_tenant(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT host FROM hosts WHERE tenant = $1 ORDER BY host").arg(tenant);
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(|row| row.get("host")).collect()
}

#[boxed::future]
pub async fn delete_host(tx: &mut Tx, host: &str, tenant: TenantId) -> Result<(), Error> {
    let statement = sql("DELETE FROM hosts WHERE host = $1 AND tenant = $2").arg(host).arg(tenant);
    tx.execute(statement).await.map(drop)
}

/// Assigns a host to a tenant; `false` if another tenant has it.
#[boxed::future]
pub async fn reserve_host(tx: &mut Tx, host: &HostName, tenant: TenantId) -> Result<bool, Error> {
    let statement = sql("INSERT INTO hosts (host, tenant) VALUES ($1, $2)
         ON CONFLICT (host) DO UPDATE SET tenant = excluded.tenant WHERE hosts.tenant = excluded.tenant")
    .arg(host.as_str())
    .arg(tenant);
    Ok(tx.execute(statement).await? == 1)
}

/// Every host with its tenant.
#[boxed::future]
pub async fn list_hosts(source: impl Into<ReadSource<'_>>) -> Result<Vec<(String, TenantId)>, Error> {
    let statement = sql("SELECT host, tenant FROM hosts ORDER BY host");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("host")?, row.get("tenant")?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_come_back_as_they_were_kept() {
        for roles in [&[][..], &[Role::Administrator], &[Role::Administrator, Role::Operator], &Role::ALL] {
            assert_eq!(decode_roles(encode_roles(roles)), roles);
        }
    }
}
