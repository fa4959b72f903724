//! Finds the tenant of a request without a credential.

use crate::{App, Error};
use domain::TenantId;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use storage::Tx;
use storage::server::settings::find_default_tenant;
use storage::server::tenants;
use storage::server::versions::CacheVersions;

/// The tenant of each host, and the default tenant.
#[derive(Debug, Default)]
pub struct HostDirectory {
    hosts: HashMap<String, TenantId>,
    default: Option<TenantId>,
    active: Vec<TenantId>,
}

impl HostDirectory {
    /// The tenant of a host, which may include a port.
    fn find_tenant(&self, host: Option<&str>) -> Option<TenantId> {
        let named = host.and_then(|host| {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            self.hosts.get(name.trim_end_matches('.').to_ascii_lowercase().as_str()).copied()
        });
        named.or(self.default).filter(|tenant| self.active.contains(tenant))
    }
}

/// The directory, with the versions it was read under.
#[derive(Default)]
pub(crate) struct HostDirectoryCache(RwLock<Option<(CacheVersions, Arc<HostDirectory>)>>);

/// The tenant of a request without a credential: that of its host, else the default.
#[boxed::future]
pub async fn resolve_tenant_by_host(app: &App, host: Option<&str>) -> Result<TenantId, Error> {
    load_host_directory(app).await?.find_tenant(host).ok_or(Error::NoTenant)
}

async fn load_host_directory(app: &App) -> Result<Arc<HostDirectory>, Error> {
    let needed = app.versions.trusted_versions(TenantId::SERVER);
    if let Some(needed) = needed {
        let cached = app.caches.hosts.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, directory)) =
            cached.as_ref().filter(|(cached_versions, _)| cached_versions.registers == needed.registers)
        {
            return Ok(Arc::clone(directory));
        }
    }
    let read = Arc::new(app.db.read((), |tx, ()| Box::pin(read_host_directory(tx))).await?);
    if let Some(needed) = needed {
        let mut cached = app.caches.hosts.0.write().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((needed, Arc::clone(&read)));
    }
    Ok(read)
}

async fn read_host_directory(tx: &mut Tx) -> Result<HostDirectory, Error> {
    let all = tenants::list_tenants(&mut *tx).await?;
    Ok(HostDirectory {
        hosts: tenants::list_hosts(&mut *tx).await?.into_iter().collect(),
        default: find_default_tenant(&mut *tx).await?,
        active: all.into_iter().filter(|tenant| tenant.active).map(|tenant| tenant.id).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_leads_to_its_tenant_and_any_other_to_the_default() {
        let (one, two, inactive) = (TenantId::new(1), TenantId::new(2), TenantId::new(3));
        let hosts = [("app.demo.example".to_owned(), two), ("velho.example".to_owned(), inactive)];
        let directory = HostDirectory { hosts: hosts.into(), default: Some(one), active: vec![one, two] };
        assert_eq!(directory.find_tenant(Some("App.Demo.Example:8443")), Some(two));
        assert_eq!(directory.find_tenant(Some("app.demo.example.")), Some(two));
        assert_eq!(directory.find_tenant(Some("outro.example")), Some(one));
        assert_eq!(directory.find_tenant(Some("[::1]:8080")), Some(one));
        assert_eq!(directory.find_tenant(None), Some(one));
        assert_eq!(directory.find_tenant(Some("velho.example")), None);
        assert_eq!(HostDirectory::default().find_tenant(None), None);
    }
}
