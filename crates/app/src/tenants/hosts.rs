//! The hosts under which an association is found. They are the operator's, who knows which names lead to this server and whose
//! each is: what is asked without a credential is answered by them.

use crate::{App, Error};
use domain::{Host, Moment, Rejection, TenantId};
use storage::versions::{self, Versions};
use storage::{Lane, Tx, audit, tenants};

/// More than any association is reached by.
const MOST_HOSTS: usize = 50;

struct Change {
    tenant: TenantId,
    host: Host,
    now: Moment,
}

/// The hosts of a tenant, in the order of the alphabet.
#[boxed::future]
pub async fn list(app: &App, tenant: TenantId) -> Result<Vec<String>, Error> {
    Ok(tenants::hosts_of(&app.db, tenant).await?)
}

/// A name that an association may be found under here; the server's own is not one.
pub(crate) fn parse(public_url: &str, text: &str) -> Result<Host, Rejection> {
    let host = Host::parse(text)?;
    match Host::of_url(public_url) == Some(host.clone()) {
        true => Err(Rejection::HostIsServers(text.trim().to_owned())),
        false => Ok(host),
    }
}

/// Lets a host lead to a tenant; processes that serve know it within two seconds.
#[boxed::future]
pub async fn add(app: &App, tenant: TenantId, host: &str) -> Result<Host, Error> {
    let host = parse(&app.public_url, host)?;
    let change = Change { tenant, host: host.clone(), now: app.now() };
    let raised = app.db.write(server_lane(), change, |tx, change| Box::pin(claim(tx, change))).await?;
    app.memory.raise(TenantId::SERVER, raised);
    Ok(host)
}

/// Lets go of a host of a tenant. One that was taken under older rules goes like any other.
#[boxed::future]
pub async fn remove(app: &App, tenant: TenantId, host: &str) -> Result<(), Error> {
    let host = host.trim().trim_end_matches('.').to_lowercase();
    let input = (tenant, host, app.now());
    let raised =
        app.db.write(server_lane(), input, |tx, (tenant, host, now)| Box::pin(free(tx, *tenant, host, *now)));
    app.memory.raise(TenantId::SERVER, raised.await?);
    Ok(())
}

fn server_lane() -> Lane {
    Lane::of(TenantId::SERVER)
}

async fn claim(tx: &mut Tx, Change { tenant, host, now }: &Change) -> Result<Versions, Error> {
    let had = tenants::hosts_of(&mut *tx, *tenant).await?;
    if had.len() >= MOST_HOSTS {
        return Err(Rejection::TooManyHosts(MOST_HOSTS).into());
    }
    if !tenants::claim_host(tx, host, *tenant).await? {
        return Err(Rejection::HostTaken(host.as_str().to_owned()).into());
    }
    note(tx, *tenant, *now, "amparo tenant host add", format!("host {} acrescentado", host.as_str())).await
}

async fn free(tx: &mut Tx, tenant: TenantId, host: &str, now: Moment) -> Result<Versions, Error> {
    if !tenants::hosts_of(&mut *tx, tenant).await?.iter().any(|one| one == host) {
        return Err(Rejection::UnknownHost(host.to_owned()).into());
    }
    tenants::free_host(tx, host, tenant).await?;
    note(tx, tenant, now, "amparo tenant host remove", format!("host {host} retirado")).await
}

async fn note(
    tx: &mut Tx,
    tenant: TenantId,
    at: Moment,
    operation: &'static str,
    detail: String,
) -> Result<Versions, Error> {
    let entry = audit::Entry { tenant, at, user: None, operation, person: None, detail: Some(detail) };
    audit::append(tx, &entry).await?;
    Ok(versions::raise_registers(tx, TenantId::SERVER).await?)
}
