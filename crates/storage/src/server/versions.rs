//! Version numbers that tell processes when their caches are outdated (docs/adr/0005). Code that changes cached data
//! raises the number in the same unit of work.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{Moment, TenantId};

/// The current cache versions of a tenant; 0 if never raised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheVersions {
    pub access: i64,
    pub registers: i64,
}

/// Invalidates cached users, tokens and branches of users.
#[boxed::future]
pub async fn raise_access_version(tx: &mut Tx, tenant: TenantId) -> Result<CacheVersions, Error> {
    let statement = sql("INSERT INTO versions (tenant, access, registers) VALUES ($1, 1, 0)
         ON CONFLICT (tenant) DO UPDATE SET access = versions.access + 1 RETURNING access, registers");
    parse_versions_row(tx.fetch_optional(statement.arg(tenant)).await?)
}

/// Invalidates cached registers; for [`TenantId::SERVER`], the hosts and the default tenant.
#[boxed::future]
pub async fn raise_registers_version(tx: &mut Tx, tenant: TenantId) -> Result<CacheVersions, Error> {
    let statement = sql("INSERT INTO versions (tenant, access, registers) VALUES ($1, 0, 1)
         ON CONFLICT (tenant) DO UPDATE SET registers = versions.registers + 1 RETURNING access, registers");
    parse_versions_row(tx.fetch_optional(statement.arg(tenant)).await?)
}

/// Raises both above any value that a process may have seen of a later state of the database. They grow by less than
/// one per millisecond, so the current time in milliseconds is larger.
#[boxed::future]
pub async fn raise_versions_past(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<CacheVersions, Error> {
    let statement = sql("INSERT INTO versions (tenant, access, registers) VALUES ($1, $2, $2)
         ON CONFLICT (tenant) DO UPDATE SET
             access = CASE WHEN versions.access < excluded.access THEN excluded.access ELSE versions.access + 1 END,
             registers = CASE WHEN versions.registers < excluded.registers THEN excluded.registers
                 ELSE versions.registers + 1 END
         RETURNING access, registers");
    parse_versions_row(tx.fetch_optional(statement.arg(tenant).arg(now)).await?)
}

/// The query of [`load_versions`].
pub(crate) fn select_versions(tenant: TenantId) -> Statement {
    sql("SELECT access, registers FROM versions WHERE tenant = $1").arg(tenant)
}

#[boxed::future]
pub async fn load_versions(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<CacheVersions, Error> {
    source
        .fetch_optional(select_versions(tenant))
        .await?
        .map_or(Ok(CacheVersions::default()), |row| parse_versions_row(Some(row)))
}

fn parse_versions_row(row: Option<Row>) -> Result<CacheVersions, Error> {
    let row = row.ok_or_else(|| Error::Broken("a version gave nothing".to_owned()))?;
    Ok(CacheVersions { access: row.get("access")?, registers: row.get("registers")? })
}

#[boxed::future]
pub async fn list_versions(
    source: impl Into<ReadSource<'_>>,
) -> Result<Vec<(TenantId, CacheVersions)>, Error> {
    let statement = sql("SELECT tenant, access, registers FROM versions ORDER BY tenant");
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            let versions = CacheVersions { access: row.get("access")?, registers: row.get("registers")? };
            Ok((row.get("tenant")?, versions))
        })
        .collect()
}
