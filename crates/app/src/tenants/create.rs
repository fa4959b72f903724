//! Creates a tenant with its default registers.

use super::hosts;
use crate::error::collect_problem;
use crate::{App, Error, registers};
use ::registers::{FUNNEL, SITUATIONS};
use domain::{
    BranchCode, DisplayName, FunnelCode, HostName, InputField, Moment, Rejection, TenantId, TimeZone,
};
use storage::registers::{branches, funnels, situations};
use storage::server::counters::{self, Counter};
use storage::server::settings::{self, ServerSetting};
use storage::server::{tenants, versions};
use storage::{Tx, WriteLane};

#[derive(Clone, Debug)]
pub struct NewTenantInput {
    pub name: String,
    /// The name of its first branch.
    pub branch: String,
    pub time_zone: String,
    pub hosts: Vec<String>,
    /// Make it the default tenant, for requests that name none. The first tenant always is.
    pub make_default: bool,
}

pub struct ParsedTenant {
    name: DisplayName,
    branch: DisplayName,
    time_zone: TimeZone,
    hosts: Vec<HostName>,
    make_default: bool,
    now: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewTenantOutcome {
    pub tenant: TenantId,
    pub branch: BranchCode,
    pub is_default: bool,
}

/// Creates a tenant with its first branch and the default situations, funnel and types.
#[boxed::future]
pub async fn create_tenant(app: &App, new: &NewTenantInput) -> Result<NewTenantOutcome, Error> {
    let input = parse_new_tenant(new, app.now())?;
    if let Some(host) =
        new.hosts.iter().find_map(|host| hosts::parse_tenant_host(&app.public_url, host).err())
    {
        return Err(host.into());
    }
    // In the server's lane: concurrently created tenants get different numbers, and exactly one is the first.
    app.db
        .write(WriteLane::foreground(TenantId::SERVER), input, |tx, input| Box::pin(insert_tenant(tx, input)))
        .await
}

pub fn parse_new_tenant(new: &NewTenantInput, now: Moment) -> Result<ParsedTenant, Error> {
    let mut problems = Vec::new();
    let name = collect_problem(&mut problems, DisplayName::parse(InputField::Name, &new.name));
    let branch = collect_problem(&mut problems, DisplayName::parse(InputField::Branch, &new.branch));
    let time_zone = collect_problem(&mut problems, TimeZone::parse(&new.time_zone));
    let hosts =
        new.hosts.iter().filter_map(|host| collect_problem(&mut problems, HostName::parse(host))).collect();
    let (Some(name), Some(branch), Some(time_zone), []) = (name, branch, time_zone, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    Ok(ParsedTenant { name, branch, time_zone, hosts, make_default: new.make_default, now })
}

/// A tenant without any records, not even a branch; in the server's lane.
#[boxed::future]
pub async fn insert_bare_tenant(tx: &mut Tx, new: &ParsedTenant) -> Result<TenantId, Error> {
    let tenant = TenantId::new(counters::reserve_number(tx, TenantId::SERVER, Counter::Tenant).await?);
    tenants::insert_tenant(tx, tenant, &new.name, &new.time_zone, new.now).await?;
    Ok(tenant)
}

/// Must run in the server's lane.
#[boxed::future]
pub async fn insert_tenant(tx: &mut Tx, new: &ParsedTenant) -> Result<NewTenantOutcome, Error> {
    let tenant = insert_bare_tenant(tx, new).await?;
    let branch = BranchCode::new(counters::reserve_number(tx, tenant, Counter::Branch).await?);
    branches::insert_branch(tx, tenant, branch, &new.branch, new.now).await?;
    let count = i32::try_from(SITUATIONS.len()).expect("a few situations");
    let first = counters::reserve_numbers(tx, tenant, Counter::Situation, count).await?;
    situations::insert_default_situations(tx, tenant, first, SITUATIONS, new.now).await?;
    let stages = i32::try_from(FUNNEL.stages.len()).expect("a few stages");
    let [funnel, stage] =
        counters::reserve_number_blocks(tx, tenant, [(Counter::Funnel, 1), (Counter::Stage, stages)]).await?;
    let born =
        funnels::insert_funnel(tenant, FunnelCode::new(funnel), FUNNEL.name, (stage, FUNNEL.stages), new.now);
    tx.execute_batch(born).await?;
    registers::insert_default_records(tx, tenant, new.now).await?;
    for host in &new.hosts {
        if !tenants::reserve_host(tx, host, tenant).await? {
            return Err(Rejection::HostTaken(host.as_str().to_owned()).into());
        }
    }
    versions::raise_registers_version(tx, TenantId::SERVER).await?;
    let is_default =
        new.make_default || settings::find_setting(&mut *tx, ServerSetting::DefaultTenant).await?.is_none();
    if is_default {
        settings::upsert_setting(tx, ServerSetting::DefaultTenant, &tenant.to_string()).await?;
    }
    Ok(NewTenantOutcome { tenant, branch, is_default })
}
