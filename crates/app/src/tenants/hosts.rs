//! The host names of an association. The operator manages them, since the operator knows which names lead to this
//! server; they select the association for requests without a credential.

use crate::{App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, HostName, Moment, Rejection, TenantId};
use storage::history::audit;
use storage::server::tenants;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

/// More than any association needs.
const MOST_HOSTS: usize = 50;

struct AddTenantHost {
    tenant: TenantId,
    host: HostName,
    now: Moment,
}

/// The hosts of a tenant, sorted.
#[boxed::future]
pub async fn list_hosts(app: &App, tenant: TenantId) -> Result<Vec<String>, Error> {
    Ok(tenants::list_hosts_of_tenant(&app.db, tenant).await?)
}

/// Parses a host name for an association; the server's own name is rejected.
pub fn parse_tenant_host(public_url: &str, text: &str) -> Result<HostName, Rejection> {
    let host = HostName::parse(text)?;
    match HostName::from_url(public_url) == Some(host.clone()) {
        true => Err(Rejection::HostIsServers(text.trim().to_owned())),
        false => Ok(host),
    }
}

/// Assigns a host to a tenant; serving processes see it within two seconds.
#[boxed::future]
pub async fn add_host(app: &App, tenant: TenantId, host: &str) -> Result<HostName, Error> {
    let host = parse_tenant_host(&app.public_url, host)?;
    let change = AddTenantHost { tenant, host: host.clone(), now: app.now() };
    let raised = app
        .db
        .write(select_server_lane(), change, |tx, change| Box::pin(write_added_host(tx, change)))
        .await?;
    app.versions.raise(TenantId::SERVER, raised);
    Ok(host)
}

/// Removes a host from a tenant, also one accepted under older rules.
#[boxed::future]
pub async fn remove_host(app: &App, tenant: TenantId, host: &str) -> Result<(), Error> {
    let host = host.trim().trim_end_matches('.').to_lowercase();
    let input = (tenant, host, app.now());
    let raised = app.db.write(select_server_lane(), input, |tx, (tenant, host, now)| {
        Box::pin(write_removed_host(tx, *tenant, host, *now))
    });
    app.versions.raise(TenantId::SERVER, raised.await?);
    Ok(())
}

fn select_server_lane() -> WriteLane {
    WriteLane::foreground(TenantId::SERVER)
}

async fn write_added_host(
    tx: &mut Tx,
    AddTenantHost { tenant, host, now }: &AddTenantHost,
) -> Result<CacheVersions, Error> {
    let existing = tenants::list_hosts_of_tenant(&mut *tx, *tenant).await?;
    if existing.len() >= MOST_HOSTS {
        return Err(Rejection::TooManyHosts(MOST_HOSTS).into());
    }
    if !tenants::reserve_host(tx, host, *tenant).await? {
        return Err(Rejection::HostTaken(host.as_str().to_owned()).into());
    }
    record_host_change(
        tx,
        *tenant,
        *now,
        AuditedOperation::HostAddCommand,
        AuditedChange::from(AuditedAction::AddHost).with_argument(host.as_str()),
    )
    .await
}

async fn write_removed_host(
    tx: &mut Tx,
    tenant: TenantId,
    host: &str,
    now: Moment,
) -> Result<CacheVersions, Error> {
    if !tenants::list_hosts_of_tenant(&mut *tx, tenant).await?.iter().any(|one| one == host) {
        return Err(Rejection::UnknownHost(host.to_owned()).into());
    }
    tenants::delete_host(tx, host, tenant).await?;
    let change = AuditedChange::from(AuditedAction::RemoveHost).with_argument(host);
    record_host_change(tx, tenant, now, AuditedOperation::HostRemoveCommand, change).await
}

async fn record_host_change(
    tx: &mut Tx,
    tenant: TenantId,
    at: Moment,
    operation: AuditedOperation,
    change: AuditedChange,
) -> Result<CacheVersions, Error> {
    let entry = audit::AuditEntry { tenant, at, user: None, operation, person: None, change };
    audit::append_audit_entry(tx, &entry).await?;
    Ok(versions::raise_registers_version(tx, TenantId::SERVER).await?)
}
