//! A tenant as its own administrator sees and changes it: what it is called, its calendar and its colours. Where it is found
//! is shown to him, and is the operator's to say (`hosts.rs`).

use crate::access::Session;
use crate::differences::{Fields, Present, between, named, refuse_old};
use crate::once::{self, Done, Once};
use crate::{App, Error};
use domain::{Colour, Moment, Name, Rejection, Role, TenantId, TimeZone, UserCode, ValidationPartner};
use storage::tenants::{self, Tenant};
use storage::versions::{self, Versions};
use storage::{Lane, Tx, audit};
use wire::read::Given;

const CHANGE: &str = "PUT /gestao/base";
/// More than any association names.
const MOST_PARTNERS: usize = 100;

/// A tenant with the hosts under which it is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    pub tenant: Tenant,
    /// In the order of the alphabet.
    pub hosts: Vec<String>,
}

/// The caller's own tenant.
#[boxed::future]
pub async fn own(app: &App, caller: &Session) -> Result<Own, Error> {
    app.db.read(caller.scope.tenant(), |tx, tenant| Box::pin(read(tx, *tenant))).await
}

async fn read(tx: &mut Tx, tenant: TenantId) -> Result<Own, Error> {
    let gone = || storage::Error::Broken("a tenant is gone".to_owned());
    let found = tenants::find(&mut *tx, tenant).await?.ok_or_else(gone)?;
    Ok(Own { tenant: found, hosts: tenants::hosts_of(tx, tenant).await? })
}

/// What of a tenant is to be another.
#[derive(Clone, Debug)]
pub struct Changes {
    pub version: i64,
    pub name: Option<Name>,
    pub time_zone: Option<TimeZone>,
    pub colour: Given<Colour>,
    pub second_colour: Given<Colour>,
    pub open_validation: Option<bool>,
    pub validation_partners: Given<Vec<ValidationPartner>>,
    /// The roles that must have a second factor.
    pub second_factor_roles: Given<Vec<Role>>,
}

impl Changes {
    /// A change of the version that was read, in which everything stays as it is.
    pub fn of_version(version: i64) -> Changes {
        Changes {
            version,
            name: None,
            time_zone: None,
            colour: Given::Keep,
            second_colour: Given::Keep,
            open_validation: None,
            validation_partners: Given::Keep,
            second_factor_roles: Given::Keep,
        }
    }
}

/// A tenant as it is now, and what is no longer trusted because of it.
#[derive(Clone, Debug)]
pub struct Changed {
    pub own: Own,
    /// Of the tenant itself, and of the server's directory.
    raised: Option<(Versions, Versions)>,
}

struct Doing {
    tenant: TenantId,
    by: UserCode,
    changes: Changes,
    now: Moment,
}

/// Changes the caller's own tenant. This process goes by it at once, the others within two seconds.
#[boxed::future]
pub async fn change(
    app: &App,
    caller: &Session,
    changes: Changes,
    once: Once<Changed>,
) -> Result<Done<Changed>, Error> {
    let tenant = caller.scope.tenant();
    let doing = Doing { tenant, by: caller.user, changes, now: app.now() };
    let done =
        once::write(app, Lane::of(tenant), once, doing, |tx, doing| Box::pin(write(tx, doing))).await?;
    if let Done::Now(Changed { raised: Some((own, server)), .. }) = &done {
        app.memory.raise(tenant, *own);
        app.memory.raise(TenantId::SERVER, *server);
    }
    Ok(done)
}

async fn write(tx: &mut Tx, doing: &Doing) -> Result<Changed, Error> {
    let before = read(tx, doing.tenant).await?;
    let after = wanted(&before, &doing.changes);
    if partners(&after.tenant).len() > MOST_PARTNERS {
        return Err(Rejection::TooManyPartners(MOST_PARTNERS).into());
    }
    if after.tenant.second_factor_roles.contains(&Role::Integration) {
        return Err(Rejection::FactorOfProgram.into());
    }
    let differences = between(fields(&before), fields(&after));
    let zone = TimeZone::parse(&before.tenant.time_zone)?;
    let present = Present { version: before.tenant.version, since: before.tenant.updated_at };
    if let Some(old) = refuse_old(doing.changes.version, present, &zone, &differences) {
        return Err(old.into());
    }
    if differences.is_empty() {
        return Ok(Changed { own: before, raised: None });
    }
    let mut after = after;
    after.tenant.updated_at = doing.now;
    tenants::update(tx, &after.tenant).await?;
    after.tenant.version += 1;
    let entry = audit::Entry {
        tenant: doing.tenant,
        at: doing.now,
        user: Some(doing.by),
        operation: CHANGE,
        person: None,
        detail: Some(format!("base alterada: {}", named(&differences))),
    };
    audit::append(tx, &entry).await?;
    let mut own = versions::raise_registers(tx, doing.tenant).await?;
    if before.tenant.second_factor_roles != after.tenant.second_factor_roles {
        own = versions::raise_access(tx, doing.tenant).await?;
    }
    let server = versions::raise_registers(tx, TenantId::SERVER).await?;
    Ok(Changed { own: after, raised: Some((own, server)) })
}

fn wanted(before: &Own, changes: &Changes) -> Own {
    let mut after = before.clone();
    let tenant = &mut after.tenant;
    if let Some(name) = &changes.name {
        tenant.name = name.to_string();
    }
    if let Some(zone) = &changes.time_zone {
        tenant.time_zone = zone.as_str().to_owned();
    }
    changes.colour.change(&mut tenant.colour, ToString::to_string);
    changes.second_colour.change(&mut tenant.second_colour, ToString::to_string);
    match &changes.second_factor_roles {
        Given::Set(roles) => tenant.second_factor_roles = roles.clone(),
        Given::Clear => tenant.second_factor_roles.clear(),
        Given::Keep => {}
    }
    tenant.second_factor_roles.sort_unstable_by_key(|role| role.number());
    tenant.second_factor_roles.dedup();
    if let Some(open) = changes.open_validation {
        tenant.open_validation = open;
    }
    changes.validation_partners.change(&mut tenant.validation_partners, |all| partners_text(all));
    tenant.validation_partners = tenant.validation_partners.take().filter(|lines| !lines.is_empty());
    after
}

/// How the partners of a tenant are kept: a line for each.
fn partners_text(partners: &[ValidationPartner]) -> String {
    partners.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The partners that are kept so.
pub fn partners(tenant: &Tenant) -> Vec<ValidationPartner> {
    let lines = tenant.validation_partners.as_deref().unwrap_or_default().lines();
    lines.filter_map(|line| ValidationPartner::parse(line).ok()).collect()
}

/// A tenant, field by field.
fn fields(own: &Own) -> Fields {
    let tenant = &own.tenant;
    let roles: Vec<&str> = tenant.second_factor_roles.iter().map(|role| wire::role(*role)).collect();
    vec![
        ("nome", Some(tenant.name.clone())),
        ("fuso", Some(tenant.time_zone.clone())),
        ("cor", tenant.colour.clone()),
        ("corSecundaria", tenant.second_colour.clone()),
        ("validacaoAberta", Some(tenant.open_validation.to_string())),
        ("parceirosValidacao", tenant.validation_partners.as_ref().map(|lines| lines.replace('\n', ", "))),
        ("segundoFatorObrigatorio", (!roles.is_empty()).then(|| roles.join(", "))),
    ]
}
