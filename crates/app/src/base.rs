//! What a tenant registered, as most calls need it: read once, remembered until it changes. And the server's own
//! directory: which tenant a request without a credential is meant for.

use crate::{App, Error, tenants};
use domain::{
    BranchCode, ClaimTypeCode, Entity, FunnelCode, PlanCode, ReceiverCode, Scope, SellerCode, SellerKind,
    SituationCode, SituationKind, StageCode, TenantId, TimeZone, ValidationPartner, fold,
};
use domain::{ClinicCode, DoctorCode, InspectionTypeCode, SpecialtyCode, TicketTypeCode};
use futures_util::future::BoxFuture;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
pub use storage::additional_fields::AdditionalField;
pub use storage::branches::Branch;
use storage::claim_types::ClaimType;
use storage::clinics::Clinic;
use storage::doctors::Doctor;
pub use storage::funnels::{Funnel, Stage};
use storage::inspection_types::InspectionType;
use storage::plans::Plan;
use storage::receivers::Receiver;
use storage::sellers::Seller;
use storage::situations::Situation;
use storage::specialties::Specialty;
use storage::ticket_types::TicketType;
use storage::vehicle_types::VehicleType;
use storage::{
    Tx, additional_fields, branches, claim_types, due_days, funnels, plans, receivers, sellers, situations,
    vehicle_types, versions,
};
use storage::{clinics, doctors, inspection_types, specialties, ticket_types};

/// The small registers of a tenant, each by name, then code.
#[derive(Debug)]
pub struct Registers {
    /// How new they are (`storage::versions`).
    pub version: i64,
    /// Decides every calendar day.
    pub zone: TimeZone,
    /// Benefits may be validated without a credential.
    pub open_validation: bool,
    /// Who may do so more often.
    pub validation_partners: Vec<ValidationPartner>,
    pub branches: Vec<Branch>,
    pub plans: Vec<Plan>,
    pub situations: Vec<Situation>,
    pub vehicle_types: Vec<VehicleType>,
    pub due_days: Vec<i32>,
    pub fields: Vec<AdditionalField>,
    pub claim_types: Vec<ClaimType>,
    pub inspection_types: Vec<InspectionType>,
    pub ticket_types: Vec<TicketType>,
    pub specialties: Vec<Specialty>,
    pub clinics: Vec<Clinic>,
    pub doctors: Vec<Doctor>,
    pub receivers: Vec<Receiver>,
    pub funnels: Vec<Funnel>,
    /// By code.
    pub sellers: HashMap<SellerCode, Seller>,
}

impl Registers {
    /// The branches in use that a caller may work in.
    pub fn branches_of<'r>(&'r self, scope: &'r Scope) -> impl Iterator<Item = &'r Branch> {
        self.branches.iter().filter(|branch| branch.active && scope.sees(branch.code))
    }

    /// Whether a caller may put something into a branch.
    pub fn is_usable(&self, scope: &Scope, branch: BranchCode) -> bool {
        self.branches_of(scope).any(|one| one.code == branch)
    }

    pub fn branch_name(&self, code: BranchCode) -> &str {
        self.branches.iter().find(|branch| branch.code == code).map_or("", |branch| &branch.name)
    }

    pub fn plan(&self, code: PlanCode) -> Option<&Plan> {
        self.plans.iter().find(|plan| plan.code == code)
    }

    pub fn situation(&self, code: SituationCode) -> Option<&Situation> {
        self.situations.iter().find(|situation| situation.code == code)
    }

    /// The type of a situation; one that is not registered has none of them.
    pub fn kind_of(&self, code: SituationCode) -> Option<SituationKind> {
        self.situation(code).map(|situation| situation.kind)
    }

    /// The situations of an entity that are in use.
    pub fn situations_of(&self, entity: Entity) -> impl Iterator<Item = &Situation> {
        self.situations.iter().filter(move |one| one.active && one.entity == entity)
    }

    /// What a type picks where only the type is said.
    pub fn default_situation(&self, entity: Entity, kind: SituationKind) -> Option<&Situation> {
        let mut of_kind = self.situations_of(entity).filter(|one| one.kind == kind);
        self.situations_of(entity).find(|one| one.kind == kind && one.is_default).or_else(|| of_kind.next())
    }

    /// A situation by its name, whatever its case and accents, also one no longer in use.
    pub fn situation_named(&self, entity: Entity, name: &str) -> Option<&Situation> {
        let folded = fold(name);
        self.situations.iter().find(|one| one.entity == entity && fold(&one.name) == folded)
    }

    /// Whether a record may go from one situation to another; from one that names none it may go anywhere.
    pub fn may_move(&self, from: SituationCode, to: SituationCode) -> bool {
        self.situation(from).is_none_or(|one| one.next.is_empty() || one.next.contains(&to))
    }

    pub fn claim_type(&self, code: ClaimTypeCode) -> Option<&ClaimType> {
        self.claim_types.iter().find(|one| one.code == code)
    }

    pub fn inspection_type(&self, code: InspectionTypeCode) -> Option<&InspectionType> {
        self.inspection_types.iter().find(|one| one.code == code)
    }

    pub fn ticket_type(&self, code: TicketTypeCode) -> Option<&TicketType> {
        self.ticket_types.iter().find(|one| one.code == code)
    }

    pub fn specialty(&self, code: SpecialtyCode) -> Option<&Specialty> {
        self.specialties.iter().find(|one| one.code == code)
    }

    pub fn clinic(&self, code: ClinicCode) -> Option<&Clinic> {
        self.clinics.iter().find(|one| one.code == code)
    }

    pub fn doctor(&self, code: DoctorCode) -> Option<&Doctor> {
        self.doctors.iter().find(|one| one.code == code)
    }

    pub fn seller_name(&self, code: SellerCode) -> Option<&str> {
        self.sellers.get(&code).map(|seller| seller.name.as_str())
    }

    /// Whether somebody sells in this way now, where the caller may see him.
    pub fn sells(&self, scope: &Scope, code: SellerCode, kind: SellerKind) -> bool {
        let seller = self.sellers.get(&code);
        seller.is_some_and(|one| one.active && one.kind == kind && scope.sees(one.branch))
    }

    pub fn funnel(&self, code: FunnelCode) -> Option<&Funnel> {
        self.funnels.iter().find(|funnel| funnel.code == code)
    }

    pub fn stage(&self, code: StageCode) -> Option<&Stage> {
        self.funnels.iter().flat_map(|funnel| &funnel.stages).find(|stage| stage.code == code)
    }

    /// Where a deal goes that names no funnel.
    pub fn first_funnel(&self) -> Option<&Funnel> {
        let usable = self.funnels.iter().filter(|funnel| funnel.active && first_stage(funnel).is_some());
        usable.min_by_key(|funnel| (funnel.position, funnel.code))
    }

    /// Who is told of changes of an entity.
    pub fn receivers_of(&self, entity: Entity) -> Vec<ReceiverCode> {
        self.receivers.iter().filter(|one| one.hears(entity)).map(|one| one.code).collect()
    }
}

/// Where a deal begins that names no stage.
pub fn first_stage(funnel: &Funnel) -> Option<&Stage> {
    funnel.stages.iter().find(|stage| stage.active)
}

/// The registers of a tenant as they are now.
#[boxed::future]
pub async fn registers(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    let needed = app.memory.versions(tenant);
    if let (Some(needed), Some(kept)) = (needed, app.memory.registers.get(&tenant))
        && kept.version >= needed.registers
    {
        return Ok(kept);
    }
    fresh(app, tenant).await
}

/// The registers of a tenant, read now.
pub(crate) async fn fresh(app: &App, tenant: TenantId) -> Result<Arc<Registers>, Error> {
    let read = Arc::new(app.db.read(tenant, |tx, tenant| Box::pin(read(tx, *tenant))).await?);
    app.memory.registers.insert(tenant, Arc::clone(&read));
    Ok(read)
}

async fn read(tx: &mut Tx, tenant: TenantId) -> Result<Registers, Error> {
    let gone = || Error::Storage(storage::Error::Broken("a tenant is gone".to_owned()));
    let sellers = sellers::all(&mut *tx, tenant).await?;
    let own = storage::tenants::find(&mut *tx, tenant).await?.ok_or_else(gone)?;
    let mut registers = Registers {
        version: versions::of(&mut *tx, tenant).await?.registers,
        zone: TimeZone::parse(&own.time_zone)?,
        open_validation: own.open_validation,
        validation_partners: tenants::partners(&own),
        branches: branches::visible(&mut *tx, &Scope::whole(tenant)).await?,
        plans: plans::all(&mut *tx, tenant).await?,
        situations: situations::all(&mut *tx, tenant).await?,
        vehicle_types: vehicle_types::all(&mut *tx, tenant).await?,
        due_days: due_days::active(&mut *tx, tenant).await?,
        fields: additional_fields::all(&mut *tx, tenant).await?,
        claim_types: claim_types::all(&mut *tx, tenant).await?,
        inspection_types: inspection_types::all(&mut *tx, tenant).await?,
        ticket_types: ticket_types::all(&mut *tx, tenant).await?,
        specialties: specialties::all(&mut *tx, tenant).await?,
        clinics: clinics::all(&mut *tx, tenant).await?,
        doctors: doctors::all(&mut *tx, tenant).await?,
        receivers: receivers::active(&mut *tx, tenant).await?,
        funnels: funnels::all(tx, tenant).await?,
        sellers: sellers.into_iter().map(|seller| (seller.code, seller)).collect(),
    };
    // As people look things up: case and accents do not count.
    registers.branches.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.plans.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.situations.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.vehicle_types.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.claim_types.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.inspection_types.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.ticket_types.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.specialties.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.clinics.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.doctors.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.fields.sort_by_cached_key(|one| (fold(&one.name), one.code));
    registers.funnels.sort_by_cached_key(|one| (fold(&one.name), one.code));
    Ok(registers)
}

/// Refuses to go on where the registers that something is decided by are no longer those of the database. Asked inside
/// the unit that decides, so that no process ever writes by what another has just changed.
pub(crate) async fn confirm(tx: &mut Tx, tenant: TenantId, by: &Registers) -> Result<(), Error> {
    let now = versions::of(&mut *tx, tenant).await?.registers;
    if now == by.version { Ok(()) } else { Err(Error::Stale) }
}

/// Reads on one snapshot by the registers of that moment: `input` is made of them, and they are confirmed before anything
/// is read. Where one changed meanwhile, they are read anew.
pub(crate) async fn read_by_registers<I, T, F>(
    app: &App,
    tenant: TenantId,
    input: impl Fn(&Registers) -> I,
    reads: F,
) -> Result<(T, Arc<Registers>), Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, Error>> + Copy + Send + Sync + 'static,
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    let mut by = registers(app, tenant).await?;
    for _ in 0..DECISIONS {
        let asked = (Arc::clone(&by), input(&by));
        let read = app.db.read(asked, move |tx, (by, input)| {
            Box::pin(async move {
                confirm(tx, tenant, by).await?;
                reads(tx, input).await
            })
        });
        match read.await {
            Err(Error::Stale) => by = fresh(app, tenant).await?,
            other => return other.map(|value| (value, by)),
        }
    }
    Err(Error::Stale)
}

/// How often something is decided anew because a register changed meanwhile.
pub(crate) const DECISIONS: usize = 4;

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
#[boxed::future]
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
