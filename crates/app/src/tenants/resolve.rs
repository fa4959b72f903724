//! Finds the tenant that a command or a request means.

use crate::{App, Error};
use domain::{Rejection, TenantId};
use storage::ReadSource;
use storage::server::settings::{self, ServerSetting};
use storage::server::tenants;
use storage::server::tenants::StoredTenant;

/// The named tenant, or else the default.
#[boxed::future]
pub async fn resolve_tenant(app: &App, named: Option<TenantId>) -> Result<StoredTenant, Error> {
    let id = match named {
        Some(id) => id,
        None => find_default_tenant(&app.db).await?.ok_or(Rejection::NoDefaultTenant)?,
    };
    tenants::find_tenant(&app.db, id).await?.ok_or_else(|| Rejection::UnknownTenant(id).into())
}

/// The tenant of requests that name none, if any.
#[boxed::future]
pub async fn find_default_tenant(
    source: impl Into<ReadSource<'_>>,
) -> Result<Option<TenantId>, storage::Error> {
    let stored = settings::find_setting(source, ServerSetting::DefaultTenant).await?;
    stored
        .map(|text| text.parse().map(TenantId::new))
        .transpose()
        .map_err(|_| storage::Error::Broken("the default tenant is not a number".to_owned()))
}
