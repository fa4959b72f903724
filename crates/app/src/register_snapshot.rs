//! A cached snapshot of a tenant's small registers, and the server's directory of hosts, which selects the tenant of a
//! request without a credential.

use crate::{App, Error};
use domain::finance::TitleSituation;
use domain::{
    BranchCode, ClaimTypeCode, Entity, FunnelCode, PlanCode, ReceiverCode, Scope, SellerCode, SellerKind,
    SituationCode, SituationKind, StageCode, TenantId, TimeZone, ValidationPartner, fold_text,
};
use domain::{ClinicCode, DoctorCode, InspectionTypeCode, SpecialtyCode, TicketTypeCode};
use futures_util::future::BoxFuture;
use quick_cache::sync::Cache;
use std::collections::HashMap;
use std::sync::Arc;
use storage::Tx;
pub use storage::registers::additional_fields::StoredAdditionalField;
pub use storage::registers::branches::StoredBranch;
use storage::registers::claim_types::StoredClaimType;
use storage::registers::clinics::StoredClinic;
use storage::registers::doctors::StoredDoctor;
pub use storage::registers::funnels::{StoredFunnel, StoredStage};
use storage::registers::inspection_types::StoredInspectionType;
use storage::registers::money_registers::MoneyRegisters;
use storage::registers::plans::StoredPlan;
use storage::registers::sellers::StoredSeller;
use storage::registers::situations::StoredSituation;
use storage::registers::specialties::StoredSpecialty;
use storage::registers::ticket_types::StoredTicketType;
use storage::registers::vehicle_types::StoredVehicleType;
use storage::registers::{
    additional_fields, branches, claim_types, due_days, funnels, plans, sellers, situations, vehicle_types,
};
use storage::registers::{clinics, doctors, inspection_types, specialties, ticket_types};
use storage::server::tenants::{self, StoredTenant};
use storage::server::versions::{self};
use storage::triggers::receivers;
use storage::triggers::receivers::ActiveReceiver;
use wire::set_names::title_situation;

/// The small registers of a tenant, each by name, then code.
#[derive(Debug)]
pub struct TenantRegisters {
    /// The version of the snapshot (`storage::server::versions`).
    pub version: i64,
    /// Decides every calendar day.
    pub zone: TimeZone,
    /// Benefits may be validated without a credential.
    pub open_validation: bool,
    /// Partners with a higher limit for such validations.
    pub validation_partners: Vec<ValidationPartner>,
    pub branches: Vec<StoredBranch>,
    pub plans: Vec<StoredPlan>,
    pub situations: Vec<StoredSituation>,
    pub vehicle_types: Vec<StoredVehicleType>,
    pub due_days: Vec<i32>,
    pub fields: Vec<StoredAdditionalField>,
    pub claim_types: Vec<StoredClaimType>,
    pub inspection_types: Vec<StoredInspectionType>,
    pub ticket_types: Vec<StoredTicketType>,
    pub specialties: Vec<StoredSpecialty>,
    pub clinics: Vec<StoredClinic>,
    pub doctors: Vec<StoredDoctor>,
    pub receivers: Vec<ActiveReceiver>,
    pub funnels: Vec<StoredFunnel>,
    /// By code.
    pub sellers: HashMap<SellerCode, StoredSeller>,
    pub money: MoneyRegisters,
}

impl TenantRegisters {
    /// The active branches a caller may work in.
    pub fn usable_branches<'r>(&'r self, scope: &'r Scope) -> impl Iterator<Item = &'r StoredBranch> {
        self.branches.iter().filter(|branch| branch.active && scope.can_see(branch.code))
    }

    /// Whether a caller may put records into a branch.
    pub fn is_usable_branch(&self, scope: &Scope, branch: BranchCode) -> bool {
        self.usable_branches(scope).any(|one| one.code == branch)
    }

    pub fn branch_name(&self, code: BranchCode) -> &str {
        self.branches.iter().find(|branch| branch.code == code).map_or("", |branch| &branch.name)
    }

    pub fn plan(&self, code: PlanCode) -> Option<&StoredPlan> {
        self.plans.iter().find(|plan| plan.code == code)
    }

    pub fn situation(&self, code: SituationCode) -> Option<&StoredSituation> {
        self.situations.iter().find(|situation| situation.code == code)
    }

    /// The name of a situation in the history of an entity; those of titles are fixed.
    pub fn situation_name(&self, entity: Entity, code: SituationCode) -> Option<&str> {
        match entity {
            Entity::Title => TitleSituation::from_number(code.get().into()).map(title_situation),
            _ => self.situation(code).map(|one| one.name.as_str()),
        }
    }

    /// The situation of a stored record.
    pub(crate) fn require_situation(&self, code: SituationCode) -> Result<&StoredSituation, Error> {
        let missing = || Error::Defect(format!("the situation {code} is not registered"));
        self.situation(code).ok_or_else(missing)
    }

    /// The type of a situation; `None` if it is not registered.
    pub fn situation_kind(&self, code: SituationCode) -> Option<SituationKind> {
        self.situation(code).map(|situation| situation.kind)
    }

    pub fn active_situations(&self, entity: Entity) -> impl Iterator<Item = &StoredSituation> {
        self.situations.iter().filter(move |one| one.active && one.entity == entity)
    }

    /// The situation to use if only its type is given.
    pub fn default_situation(&self, entity: Entity, kind: SituationKind) -> Option<&StoredSituation> {
        let mut of_kind = self.active_situations(entity).filter(|one| one.kind == kind);
        self.active_situations(entity)
            .find(|one| one.kind == kind && one.is_default)
            .or_else(|| of_kind.next())
    }

    /// A situation by name, ignoring case and accents; also an inactive one.
    pub fn find_situation_by_name(&self, entity: Entity, name: &str) -> Option<&StoredSituation> {
        let folded = fold_text(name);
        self.situations.iter().find(|one| one.entity == entity && fold_text(&one.name) == folded)
    }

    pub fn claim_type(&self, code: ClaimTypeCode) -> Option<&StoredClaimType> {
        self.claim_types.iter().find(|one| one.code == code)
    }

    pub fn inspection_type(&self, code: InspectionTypeCode) -> Option<&StoredInspectionType> {
        self.inspection_types.iter().find(|one| one.code == code)
    }

    pub fn ticket_type(&self, code: TicketTypeCode) -> Option<&StoredTicketType> {
        self.ticket_types.iter().find(|one| one.code == code)
    }

    pub fn specialty(&self, code: SpecialtyCode) -> Option<&StoredSpecialty> {
        self.specialties.iter().find(|one| one.code == code)
    }

    pub fn clinic(&self, code: ClinicCode) -> Option<&StoredClinic> {
        self.clinics.iter().find(|one| one.code == code)
    }

    pub fn doctor(&self, code: DoctorCode) -> Option<&StoredDoctor> {
        self.doctors.iter().find(|one| one.code == code)
    }

    pub fn seller_name(&self, code: SellerCode) -> Option<&str> {
        self.sellers.get(&code).map(|seller| seller.name.as_str())
    }

    /// Whether the seller is active, of this kind and visible to the caller.
    pub fn is_active_seller(&self, scope: &Scope, code: SellerCode, kind: SellerKind) -> bool {
        let seller = self.sellers.get(&code);
        seller.is_some_and(|one| one.active && one.kind == kind && scope.can_see(one.branch))
    }

    pub fn funnel(&self, code: FunnelCode) -> Option<&StoredFunnel> {
        self.funnels.iter().find(|funnel| funnel.code == code)
    }

    pub fn stage(&self, code: StageCode) -> Option<&StoredStage> {
        self.funnels.iter().flat_map(|funnel| &funnel.stages).find(|stage| stage.code == code)
    }

    /// The funnel of a deal that names none.
    pub fn first_funnel(&self) -> Option<&StoredFunnel> {
        let usable = self.funnels.iter().filter(|funnel| funnel.active && find_first_stage(funnel).is_some());
        usable.min_by_key(|funnel| (funnel.position, funnel.code))
    }

    /// The receivers subscribed to an entity.
    pub fn receivers_for(&self, entity: Entity) -> Vec<ReceiverCode> {
        self.receivers.iter().filter(|one| one.is_subscribed_to(entity)).map(|one| one.code).collect()
    }
}

/// The stage of a deal that names none.
pub fn find_first_stage(funnel: &StoredFunnel) -> Option<&StoredStage> {
    funnel.stages.iter().find(|stage| stage.active)
}

/// The registers of each tenant, valid while their version is the latest.
pub(crate) struct RegisterCache(Cache<TenantId, Arc<TenantRegisters>>);

impl Default for RegisterCache {
    fn default() -> RegisterCache {
        RegisterCache(Cache::new(1_000))
    }
}

/// The current registers of a tenant, from the cache if possible.
#[boxed::future]
pub async fn load_registers(app: &App, tenant: TenantId) -> Result<Arc<TenantRegisters>, Error> {
    let needed = app.versions.trusted_versions(tenant);
    if let (Some(needed), Some(cached)) = (needed, app.caches.registers.0.get(&tenant))
        && cached.version >= needed.registers
    {
        return Ok(cached);
    }
    reload_registers(app, tenant).await
}

/// The registers of a tenant, always from the database.
#[boxed::future]
pub async fn reload_registers(app: &App, tenant: TenantId) -> Result<Arc<TenantRegisters>, Error> {
    let read = Arc::new(app.db.read(tenant, |tx, tenant| Box::pin(read_registers(tx, *tenant))).await?);
    app.caches.registers.0.insert(tenant, Arc::clone(&read));
    Ok(read)
}

async fn read_registers(tx: &mut Tx, tenant: TenantId) -> Result<TenantRegisters, Error> {
    let missing_tenant = || Error::Storage(storage::Error::Broken("a tenant is gone".to_owned()));
    let sellers = sellers::list_sellers(&mut *tx, tenant).await?;
    let tenant_row = tenants::find_tenant(&mut *tx, tenant).await?.ok_or_else(missing_tenant)?;
    let mut registers = TenantRegisters {
        version: versions::load_versions(&mut *tx, tenant).await?.registers,
        zone: TimeZone::parse(&tenant_row.time_zone)?,
        open_validation: tenant_row.open_validation,
        validation_partners: parse_partners(&tenant_row),
        branches: branches::list_visible_branches(&mut *tx, &Scope::for_tenant(tenant)).await?,
        plans: plans::list_plans(&mut *tx, tenant).await?,
        situations: situations::list_situations(&mut *tx, tenant).await?,
        vehicle_types: vehicle_types::list_vehicle_types(&mut *tx, tenant).await?,
        due_days: due_days::list_active_due_days(&mut *tx, tenant).await?,
        fields: additional_fields::list_additional_fields(&mut *tx, tenant).await?,
        claim_types: claim_types::list_claim_types(&mut *tx, tenant).await?,
        inspection_types: inspection_types::list_inspection_types(&mut *tx, tenant).await?,
        ticket_types: ticket_types::list_ticket_types(&mut *tx, tenant).await?,
        specialties: specialties::list_specialties(&mut *tx, tenant).await?,
        clinics: clinics::list_clinics(&mut *tx, tenant).await?,
        doctors: doctors::list_doctors(&mut *tx, tenant).await?,
        receivers: receivers::list_active_receivers(&mut *tx, tenant).await?,
        funnels: funnels::list_funnels(&mut *tx, tenant).await?,
        sellers: sellers.into_iter().map(|seller| (seller.code, seller)).collect(),
        money: MoneyRegisters::load(tx, tenant).await?,
    };
    // Sorted as displayed: ignoring case and accents.
    registers.branches.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.plans.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.situations.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.vehicle_types.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.claim_types.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.inspection_types.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.ticket_types.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.specialties.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.clinics.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.doctors.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.fields.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    registers.funnels.sort_by_cached_key(|one| (fold_text(&one.name), one.code));
    Ok(registers)
}

/// Parses the stored form of the partners for validations: one per line.
pub fn parse_partners(tenant: &StoredTenant) -> Vec<ValidationPartner> {
    let lines = tenant.validation_partners.as_deref().unwrap_or_default().lines();
    lines.filter_map(|line| ValidationPartner::parse(line).ok()).collect()
}

/// Fails if the snapshot is older than the registers in the database. Called inside the transaction that decides, so
/// that no process writes based on registers another has just changed.
#[boxed::future]
pub async fn confirm_registers(
    tx: &mut Tx,
    tenant: TenantId,
    registers: &TenantRegisters,
) -> Result<(), Error> {
    let now = versions::load_versions(&mut *tx, tenant).await?.registers;
    if now == registers.version { Ok(()) } else { Err(Error::StaleRegisters) }
}

/// Reads on one database snapshot with the registers of that moment: `input` is built from them, and they are
/// confirmed before the read. If one changed meanwhile, they are reloaded.
pub async fn read_with_registers<I, T, F>(
    app: &App,
    tenant: TenantId,
    input: impl Fn(&TenantRegisters) -> I,
    reads: F,
) -> Result<(T, Arc<TenantRegisters>), Error>
where
    F: for<'t> Fn(&'t mut Tx, &'t I) -> BoxFuture<'t, Result<T, Error>> + Copy + Send + Sync + 'static,
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    let mut registers = load_registers(app, tenant).await?;
    for _ in 0..SNAPSHOT_ATTEMPTS {
        let query_input = (Arc::clone(&registers), input(&registers));
        let read = app.db.read(query_input, move |tx, (registers, input)| {
            Box::pin(async move {
                confirm_registers(tx, tenant, registers).await?;
                reads(tx, input).await
            })
        });
        match read.await {
            Err(Error::StaleRegisters) => registers = reload_registers(app, tenant).await?,
            other => return other.map(|value| (value, registers)),
        }
    }
    Err(Error::StaleRegisters)
}

/// Maximum number of attempts when a register changes meanwhile.
pub const SNAPSHOT_ATTEMPTS: usize = 4;
