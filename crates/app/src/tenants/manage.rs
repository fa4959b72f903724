//! The caller's own tenant, as its administrator sees and changes it: name, time zone and colours. Hosts are read-only
//! here; the operator manages them (`hosts.rs`).

use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::register_snapshot::parse_partners;
use crate::session::Session;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, AuditedRecordKind, Colour, DisplayName, Rejection, Role,
    TenantId, TimeZone, ValidationPartner,
};
use storage::Tx;
use storage::history::audit;
use storage::server::tenants::{self, StoredTenant};
use storage::server::versions::{self, CacheVersions};
use wire::field_differences::{compare_fields, list_field_names};
use wire::field_texts::FieldTexts;
use wire::read::FieldPatch;
use wire::record_version::{CurrentVersion, refuse_old_version};

const CHANGE: AuditedOperation = AuditedOperation::ChangeTenant;
/// More than any association needs.
const MOST_PARTNERS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTenant {
    pub tenant: StoredTenant,
    /// Sorted.
    pub hosts: Vec<String>,
}

#[boxed::future]
pub async fn read_own_tenant(app: &App, caller: &Session) -> Result<OwnTenant, Error> {
    app.db.read(caller.scope.tenant(), |tx, tenant| Box::pin(load_own_tenant(tx, *tenant))).await
}

async fn load_own_tenant(tx: &mut Tx, tenant: TenantId) -> Result<OwnTenant, Error> {
    let missing_tenant = || storage::Error::Broken("a tenant is gone".to_owned());
    let found = tenants::find_tenant(&mut *tx, tenant).await?.ok_or_else(missing_tenant)?;
    Ok(OwnTenant { tenant: found, hosts: tenants::list_hosts_of_tenant(tx, tenant).await? })
}

/// Fields of a tenant to change.
#[derive(Clone, Debug)]
pub struct ChangeTenant {
    pub version: i64,
    pub name: Option<DisplayName>,
    pub time_zone: Option<TimeZone>,
    pub colour: FieldPatch<Colour>,
    pub second_colour: FieldPatch<Colour>,
    pub open_validation: Option<bool>,
    pub validation_partners: FieldPatch<Vec<ValidationPartner>>,
    /// The roles that must have a second factor.
    pub second_factor_roles: FieldPatch<Vec<Role>>,
}

impl ChangeTenant {
    /// An empty change based on the given version.
    pub fn from_version(version: i64) -> ChangeTenant {
        ChangeTenant {
            version,
            name: None,
            time_zone: None,
            colour: FieldPatch::Keep,
            second_colour: FieldPatch::Keep,
            open_validation: None,
            validation_partners: FieldPatch::Keep,
            second_factor_roles: FieldPatch::Keep,
        }
    }
}

/// The changed tenant, and the cache versions raised by the change.
#[derive(Clone, Debug)]
pub struct ChangeTenantOutcome {
    pub tenant: OwnTenant,
    /// Of the tenant itself, and of the server's host directory.
    raised: Option<(CacheVersions, CacheVersions)>,
}

/// Changes the caller's own tenant. Effective at once in this process, and within two seconds in others.
#[boxed::future]
pub async fn change_own_tenant(
    app: &App,
    caller: &Session,
    changes: ChangeTenant,
    once: IdempotentWrite<ChangeTenantOutcome>,
) -> Result<WriteOutcome<ChangeTenantOutcome>, Error> {
    let outcome = run_command(app, caller, CHANGE, changes, once, |tx, command| {
        Box::pin(write_tenant_change(tx, command))
    })
    .await?;
    if let WriteOutcome::Fresh(ChangeTenantOutcome {
        raised: Some((tenant_versions, server_versions)), ..
    }) = &outcome
    {
        app.versions.raise(caller.scope.tenant(), *tenant_versions);
        app.versions.raise(TenantId::SERVER, *server_versions);
    }
    Ok(outcome)
}

async fn write_tenant_change(
    tx: &mut Tx,
    command: &WriteCommand<ChangeTenant>,
) -> Result<ChangeTenantOutcome, Error> {
    let (tenant, changes) = (command.scope.tenant(), &command.input);
    let before = load_own_tenant(tx, tenant).await?;
    let after = apply_tenant_changes(&before, changes);
    if parse_partners(&after.tenant).len() > MOST_PARTNERS {
        return Err(Rejection::TooManyPartners(MOST_PARTNERS).into());
    }
    if after.tenant.second_factor_roles.contains(&Role::Integration) {
        return Err(Rejection::FactorOfProgram.into());
    }
    let differences = compare_fields(render_tenant_fields(&before), render_tenant_fields(&after));
    let zone = TimeZone::parse(&before.tenant.time_zone)?;
    let present = CurrentVersion { version: before.tenant.version, since: before.tenant.updated_at };
    if let Some(old) = refuse_old_version(changes.version, present, &zone, &differences) {
        return Err(old.into());
    }
    if differences.is_empty() {
        return Ok(ChangeTenantOutcome { tenant: before, raised: None });
    }
    let mut after = after;
    after.tenant.updated_at = command.now;
    tenants::update_tenant(tx, &after.tenant).await?;
    after.tenant.version += 1;
    let change = AuditedChange::new(AuditedAction::Change, AuditedRecordKind::Tenant, tenant.get())
        .with_fields(list_field_names(&differences));
    audit::append_audit_entry(tx, &command.actor_context().audit_entry(None, change)).await?;
    let mut tenant_versions = versions::raise_registers_version(tx, tenant).await?;
    if before.tenant.second_factor_roles != after.tenant.second_factor_roles {
        tenant_versions = versions::raise_access_version(tx, tenant).await?;
    }
    let server_versions = versions::raise_registers_version(tx, TenantId::SERVER).await?;
    Ok(ChangeTenantOutcome { tenant: after, raised: Some((tenant_versions, server_versions)) })
}

fn apply_tenant_changes(before: &OwnTenant, changes: &ChangeTenant) -> OwnTenant {
    let mut after = before.clone();
    let tenant = &mut after.tenant;
    if let Some(name) = &changes.name {
        tenant.name = name.to_string();
    }
    if let Some(zone) = &changes.time_zone {
        tenant.time_zone = zone.as_str().to_owned();
    }
    changes.colour.apply_to(&mut tenant.colour, ToString::to_string);
    changes.second_colour.apply_to(&mut tenant.second_colour, ToString::to_string);
    match &changes.second_factor_roles {
        FieldPatch::Set(roles) => tenant.second_factor_roles = roles.clone(),
        FieldPatch::Clear => tenant.second_factor_roles.clear(),
        FieldPatch::Keep => {}
    }
    tenant.second_factor_roles.sort_unstable_by_key(|role| role.number());
    tenant.second_factor_roles.dedup();
    if let Some(open) = changes.open_validation {
        tenant.open_validation = open;
    }
    changes.validation_partners.apply_to(&mut tenant.validation_partners, |all| render_partners(all));
    tenant.validation_partners = tenant.validation_partners.take().filter(|lines| !lines.is_empty());
    after
}

/// The stored form of the partners: one per line.
fn render_partners(partners: &[ValidationPartner]) -> String {
    partners.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn render_tenant_fields(own_tenant: &OwnTenant) -> FieldTexts {
    let tenant = &own_tenant.tenant;
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
