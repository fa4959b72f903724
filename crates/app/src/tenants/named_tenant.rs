//! Finds the tenant that a command means. That of a request is found in `tenant_of_request.rs`.

use crate::{App, Error};
use domain::{Rejection, TenantId};
use storage::server::settings::find_default_tenant;
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
