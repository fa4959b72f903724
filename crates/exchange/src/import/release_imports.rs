//! Releases the imports that a process which is gone had leased.

use app::{App, Error};
use storage::WriteLane;
use storage::exchange::imports::leases;

/// Releases the imports of all tenants, and returns how many were leased. Only for a process that knows that no other
/// works on any.
#[boxed::future]
pub async fn release_all_imports(app: &App) -> Result<u64, Error> {
    let mut released = 0;
    for tenant in storage::server::tenants::list_tenants(&app.db).await? {
        let release = app.db.write(WriteLane::background(tenant.id), tenant.id, |tx, tenant| {
            Box::pin(async move { Ok::<_, Error>(leases::release_all_imports(tx, *tenant).await?) })
        });
        released += release.await?;
    }
    Ok(released)
}
