//! What a tenant registered, as most calls need it: read once, remembered until it changes. And the server's own
//! directory: which tenant a request without a credential is meant for.

use crate::{App, Error, tenants};
use domain::{Scope, TenantId, fold};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use storage::branches::Branch;
use storage::plans::Plan;
use storage::situations::Situation;
use storage::vehicle_types::VehicleType;
use storage::{Tx, branches, due_days, plans, situations, vehicle_types};

/// The small registers of a tenant, each by name, then code.
#[derive(Debug)]
pub struct Registers {
    /// Decides every calendar day.
    pub time_zone: String,
    pub branches: Vec<Branch>,
    pub plans: Vec<Plan>,
    pub situations: Vec<Situation>,
    pub vehicle_types: Vec<VehicleType>,
    pub due_days: Vec<i32>,
}

impl Registers {
    /// The branches in use that a caller may work in.
    pub fn branches_of<'r>(&'r self, scope: &'r Scope) -> impl Iterator<Item = &'r Branch> {
        self.branches.iter().filter(|branch| branch.active && scope.sees(branch.code))
    }
}

/// The registers of a tenant as they are now.
pub async fn registers(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    // Looked at before the registers are: a change in between only makes them look older than they are.
    let needed = app.memory.versions(tenant);
    if let (Some(needed), Some((had, kept))) = (needed, app.memory.registers.get(&tenant))
        && had.registers == needed.registers
    {
        return Ok(kept);
    }
    let read = Arc::new(app.db.read(tenant, |tx, tenant| Box::pin(read(tx, *tenant))).await?);
    if let Some(needed) = needed {
        app.memory.registers.insert(tenant, (needed, Arc::clone(&read)));
    }
    Ok(read)
}

async fn read(tx: &mut Tx, tenant: TenantId) -> Result<Registers, Error> {
    let gone = || Error::Storage(storage::Error::Broken("a tenant is gone".to_owned()));
    let mut registers = Registers {
        time_zone: storage::tenants::find(&mut *tx, tenant).await?.ok_or_else(gone)?.time_zone,
        branches: branches::visible(&mut *tx, &Scope::whole(tenant)).await?,
        plans: plans::all(&mut *tx, tenant).await?,
        situations: situations::all(&mut *tx, tenant).await?,
        vehicle_types: vehicle_types::all(&mut *tx, tenant).await?,
        due_days: due_days::active(&mut *tx, tenant).await?,
    };
    // As people look things up: case and accents do not count.
    registers.branches.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.plans.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.situations.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.vehicle_types.sort_by_cached_key(|one| (fold(&one.name), one.code));
    Ok(registers)
}

/// Which tenant each host leads to, and the one of requests that name none.
#[derive(Debug, Default)]
pub struct Directory {
    hosts: HashMap<String, TenantId>,
    default: Option<TenantId>,
    active: Vec<TenantId>,
}

impl Directory {
    /// The tenant that a request to this host means. The host may carry a port.
    fn meant(&self, host: Option<&str>) -> Option<TenantId> {
        let named = host.and_then(|host| {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            self.hosts.get(name.trim_end_matches('.').to_ascii_lowercase().as_str()).copied()
        });
        named.or(self.default).filter(|tenant| self.active.contains(tenant))
    }
}

/// The tenant of a request without a credential: its host's, else the default.
pub async fn meant(app: &App, host: Option<&str>) -> Result<TenantId, Error> {
    directory(app).await?.meant(host).ok_or(Error::NoTenant)
}

async fn directory(app: &App) -> Result<Arc<Directory>, Error> {
    let needed = app.memory.versions(TenantId::SERVER);
    if let Some(needed) = needed {
        let kept = app.memory.directory.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, directory)) = kept.as_ref().filter(|(had, _)| had.registers == needed.registers) {
            return Ok(Arc::clone(directory));
        }
    }
    let read = Arc::new(app.db.read((), |tx, ()| Box::pin(read_directory(tx))).await?);
    if let Some(needed) = needed {
        let mut kept = app.memory.directory.write().unwrap_or_else(PoisonError::into_inner);
        *kept = Some((needed, Arc::clone(&read)));
    }
    Ok(read)
}

async fn read_directory(tx: &mut Tx) -> Result<Directory, Error> {
    let all = storage::tenants::all(&mut *tx).await?;
    Ok(Directory {
        hosts: storage::tenants::hosts(&mut *tx).await?.into_iter().collect(),
        default: tenants::default(&mut *tx).await?,
        active: all.into_iter().filter(|tenant| tenant.active).map(|tenant| tenant.id).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_leads_to_its_tenant_and_any_other_to_the_default() {
        let (one, two, gone) = (TenantId::new(1), TenantId::new(2), TenantId::new(3));
        let hosts = [("app.demo.example".to_owned(), two), ("velho.example".to_owned(), gone)];
        let directory = Directory { hosts: hosts.into(), default: Some(one), active: vec![one, two] };
        assert_eq!(directory.meant(Some("App.Demo.Example:8443")), Some(two));
        assert_eq!(directory.meant(Some("app.demo.example.")), Some(two));
        assert_eq!(directory.meant(Some("outro.example")), Some(one));
        assert_eq!(directory.meant(Some("[::1]:8080")), Some(one));
        assert_eq!(directory.meant(None), Some(one));
        assert_eq!(directory.meant(Some("velho.example")), None);
        assert_eq!(Directory::default().meant(None), None);
    }
}
