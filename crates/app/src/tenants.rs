//! Creating a tenant, and finding the one that a command means. What an administrator sees and changes of his own is in
//! `managed.rs`.

pub mod hosts;
mod managed;

pub use managed::{Changed, Changes, Own, change, own, partners};

use crate::error::collect;
use crate::{App, Error, registering};
use domain::{BranchCode, Field, FunnelCode, Host, Moment, Name, Rejection, TenantId, TimeZone};
use registers::{FUNNEL, SITUATIONS};
use storage::counters::{self, Counter};
use storage::settings::{self, Setting};
use storage::tenants::Tenant;
use storage::{Lane, Source, Tx, branches, funnels, situations, tenants, versions};

/// What a new tenant needs to be told.
#[derive(Clone, Debug)]
pub struct NewTenant {
    pub name: String,
    /// The name of its first branch.
    pub branch: String,
    pub time_zone: String,
    pub hosts: Vec<String>,
    /// Make it the tenant of requests that name none. The first one is, in any case.
    pub make_default: bool,
}

pub(crate) struct Parsed {
    name: Name,
    branch: Name,
    time_zone: TimeZone,
    hosts: Vec<Host>,
    make_default: bool,
    now: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    pub tenant: TenantId,
    pub branch: BranchCode,
    pub is_default: bool,
}

/// Creates a tenant with its first branch, and the situations, the funnel and the types that every tenant is
/// born with.
#[boxed::future]
pub async fn create(app: &App, new: &NewTenant) -> Result<Created, Error> {
    let input = parse(new, app.now())?;
    if let Some(host) = new.hosts.iter().find_map(|host| hosts::parse(&app.public_url, host).err()) {
        return Err(host.into());
    }
    // The server's lane: two tenants created at once still get two numbers, and one of them is the first.
    app.db.write(Lane::of(TenantId::SERVER), input, |tx, input| Box::pin(insert(tx, input))).await
}

pub(crate) fn parse(new: &NewTenant, now: Moment) -> Result<Parsed, Error> {
    let mut problems = Vec::new();
    let name = collect(&mut problems, Name::parse(Field::Name, &new.name));
    let branch = collect(&mut problems, Name::parse(Field::Branch, &new.branch));
    let time_zone = collect(&mut problems, TimeZone::parse(&new.time_zone));
    let hosts = new.hosts.iter().filter_map(|host| collect(&mut problems, Host::parse(host))).collect();
    let (Some(name), Some(branch), Some(time_zone), []) = (name, branch, time_zone, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    Ok(Parsed { name, branch, time_zone, hosts, make_default: new.make_default, now })
}

/// A tenant that has nothing yet, not even a branch; in the server's lane.
pub(crate) async fn insert_bare(tx: &mut Tx, new: &Parsed) -> Result<TenantId, Error> {
    let tenant = TenantId::new(counters::next(tx, TenantId::SERVER, Counter::Tenant).await?);
    tenants::insert(tx, tenant, &new.name, &new.time_zone, new.now).await?;
    Ok(tenant)
}

/// In the server's lane.
pub(crate) async fn insert(tx: &mut Tx, new: &Parsed) -> Result<Created, Error> {
    let tenant = insert_bare(tx, new).await?;
    let branch = BranchCode::new(counters::next(tx, tenant, Counter::Branch).await?);
    branches::insert(tx, tenant, branch, &new.branch, new.now).await?;
    let count = i32::try_from(SITUATIONS.len()).expect("a few situations");
    let first = counters::take(tx, tenant, Counter::Situation, count).await?;
    situations::insert_born(tx, tenant, first, SITUATIONS, new.now).await?;
    let stages = i32::try_from(FUNNEL.stages.len()).expect("a few stages");
    let [funnel, stage] =
        counters::take_all(tx, tenant, [(Counter::Funnel, 1), (Counter::Stage, stages)]).await?;
    let born = funnels::insert(tenant, FunnelCode::new(funnel), FUNNEL.name, (stage, FUNNEL.stages), new.now);
    tx.batch(born).await?;
    registering::add_born(tx, tenant, new.now).await?;
    for host in &new.hosts {
        if !tenants::claim_host(tx, host, tenant).await? {
            return Err(Rejection::HostTaken(host.as_str().to_owned()).into());
        }
    }
    versions::raise_registers(tx, TenantId::SERVER).await?;
    let is_default = new.make_default || settings::get(&mut *tx, Setting::DefaultTenant).await?.is_none();
    if is_default {
        settings::set(tx, Setting::DefaultTenant, &tenant.to_string()).await?;
    }
    Ok(Created { tenant, branch, is_default })
}

/// The tenant that is meant: the one named, else the default.
#[boxed::future]
pub async fn meant(app: &App, named: Option<TenantId>) -> Result<Tenant, Error> {
    let id = match named {
        Some(id) => id,
        None => default(&app.db).await?.ok_or(Rejection::NoDefaultTenant)?,
    };
    tenants::find(&app.db, id).await?.ok_or_else(|| Rejection::UnknownTenant(id).into())
}

/// The tenant of requests that name none, where there is one.
#[boxed::future]
pub async fn default(from: impl Into<Source<'_>>) -> Result<Option<TenantId>, storage::Error> {
    let kept = settings::get(from, Setting::DefaultTenant).await?;
    kept.map(|text| text.parse().map(TenantId::new))
        .transpose()
        .map_err(|_| storage::Error::Broken("the default tenant is not a number".to_owned()))
}
