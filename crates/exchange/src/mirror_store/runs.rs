//! Starts and ends mirror runs: finds or creates the tenant of a mirror, and ensures that one run is active at a time.

use super::StoredMirror;
use super::registers::{MirroredRegisterRecord, upsert_register_record};
use super::write_batch::append_audit_entry;
use ::registers::{FUNNEL, FieldContent, InitialSituation, SITUATIONS};
use app::{App, Error, registers, tenants};
use domain::{
    AuditedAction, AuditedChange, BranchCode, Entity, FunnelCode, Moment, SituationCode, SituationKind,
    TenantId, TimeZone,
};
use std::time::Duration;
use storage::exchange::mirrors;
use storage::registers::{branches, funnels};
use storage::server::counters::{self, Counter};
use storage::server::jobs::{self, LeasedJob};
use storage::server::settings::{self, ServerSetting};
use storage::server::versions;
use storage::{Tx, WriteLane};
use wire::mirror::FIRST_BRANCH;

/// User codes below this belong to the source. Local users get higher ones, so that they are never confused.
const OWN_USERS: i32 = 1_000;

/// The source of a mirror, as known before its tenant exists.
#[derive(Clone, Debug)]
pub struct MirrorSource {
    pub address: String,
    pub login: String,
    pub base: i32,
    /// The name for a new tenant.
    pub name: String,
    pub time_zone: String,
    pub branches: Vec<(i32, String)>,
    /// The situations of benefits, and the funnels with their stages.
    pub lists: Vec<MirroredRegisterRecord>,
    /// The tenant to write to, which must already mirror the same source.
    pub into: Option<TenantId>,
    /// Compares everything, not only what changed.
    pub is_full: bool,
}

/// The tenant that a run writes to.
#[derive(Clone, Debug)]
pub enum MirrorStartOutcome {
    Base {
        tenant: TenantId,
        is_new: bool,
    },
    /// The given tenant does not exist or is not a mirror.
    NoMirror(TenantId),
    /// The tenant mirrors another source.
    OtherSource(StoredMirror),
}

/// Finds or creates the tenant of a mirror. An existing state is not changed until the lease is held.
#[boxed::future]
pub async fn find_or_create_mirror(app: &App, source: &MirrorSource) -> Result<MirrorStartOutcome, Error> {
    let new = tenants::NewTenantInput {
        name: source.name.clone(),
        branch: source.branches.first().map_or_else(|| FIRST_BRANCH.to_owned(), |(_, name)| name.clone()),
        time_zone: source.time_zone.clone(),
        hosts: Vec::new(),
        make_default: false,
    };
    let input = (source.clone(), tenants::parse_new_tenant(&new, app.now())?, app.now());
    let server = WriteLane::foreground(TenantId::SERVER);
    app.db
        .write(server, input, |tx, (source, new, now)| Box::pin(resolve_mirror_tenant(tx, source, new, *now)))
        .await
}

async fn resolve_mirror_tenant(
    tx: &mut Tx,
    source: &MirrorSource,
    new: &tenants::ParsedTenant,
    now: Moment,
) -> Result<MirrorStartOutcome, Error> {
    let known = match source.into {
        Some(tenant) => match mirrors::find_mirror(&mut *tx, tenant).await? {
            None => return Ok(MirrorStartOutcome::NoMirror(tenant)),
            Some(one) if !one.is_mirror_of(&source.address, source.base, &source.login) => {
                return Ok(MirrorStartOutcome::OtherSource(one));
            }
            resolved => resolved,
        },
        None => mirrors::find_mirror_of_source(&mut *tx, &source.address, source.base, &source.login).await?,
    };
    Ok(match known {
        Some(known) => MirrorStartOutcome::Base { tenant: known.tenant, is_new: false },
        None => MirrorStartOutcome::Base {
            tenant: create_mirror_tenant(tx, source, new, now).await?,
            is_new: true,
        },
    })
}

/// Starts a new run of a leased mirror, or continues an interrupted one.
#[boxed::future]
pub async fn start_mirror_run(
    app: &App,
    source: &MirrorSource,
    lease: &MirrorLease,
) -> Result<StoredMirror, Error> {
    let zone = TimeZone::parse(&source.time_zone)?;
    let input = (source.login.clone(), source.is_full, zone, lease.clone(), app.now());
    app.db
        .write(WriteLane::background(lease.tenant), input, |tx, (login, is_full, zone, lease, now)| {
            Box::pin(async move {
                require_mirror_lease(tx, lease).await?;
                let known = mirrors::find_mirror(&mut *tx, lease.tenant).await?.ok_or(Error::LeaseLost)?;
                let has_record_queue = known.finished_at.is_none() && !(*is_full && known.since.is_some());
                let mirror = match has_record_queue {
                    true => StoredMirror { login: login.clone(), ..known },
                    false => reset_mirror_progress(known, login, *is_full, zone, *now),
                };
                tx.execute_batch(vec![mirrors::upsert_mirror(&mirror)]).await?;
                Ok(mirror)
            })
        })
        .await
}

fn reset_mirror_progress(
    mirror: StoredMirror,
    login: &str,
    is_full: bool,
    zone: &TimeZone,
    now: Moment,
) -> StoredMirror {
    // One day of overlap covers differences between clocks and time zones.
    let day = |at: Moment| at.minus(Duration::from_hours(24)).date_in(zone);
    StoredMirror {
        login: login.to_owned(),
        since: mirror.complete_from.filter(|_| !is_full).map(day),
        phase: 0,
        place: 0,
        requests: 0,
        written: 0,
        has_all: true,
        started_at: now,
        finished_at: None,
        ..mirror
    }
}

/// Creates a tenant with the source's branches, situations and funnels instead of the default ones.
async fn create_mirror_tenant(
    tx: &mut Tx,
    source: &MirrorSource,
    new: &tenants::ParsedTenant,
    now: Moment,
) -> Result<TenantId, Error> {
    let tenant = tenants::insert_bare_tenant(tx, new).await?;
    for (code, name) in &source.branches {
        let name = domain::DisplayName::parse(domain::InputField::Branch, name)?;
        branches::insert_branch(tx, tenant, BranchCode::new(*code), &name, now).await?;
        counters::advance_counter(tx, tenant, Counter::Branch, *code).await?;
    }
    for record in &source.lists {
        upsert_register_record(tx, tenant, record, now).await?;
    }
    insert_missing_situations(tx, tenant, now).await?;
    if !source.lists.iter().any(|one| one.path == "funil") {
        let count = i32::try_from(FUNNEL.stages.len()).unwrap_or(0);
        let [funnel, stage] =
            counters::reserve_number_blocks(tx, tenant, [(Counter::Funnel, 1), (Counter::Stage, count)])
                .await?;
        let stages = (stage, FUNNEL.stages);
        tx.execute_batch(funnels::insert_funnel(tenant, FunnelCode::new(funnel), FUNNEL.name, stages, now))
            .await?;
    }
    registers::insert_default_records(tx, tenant, now).await?;
    counters::advance_counter(tx, tenant, Counter::User, OWN_USERS - 1).await?;
    versions::raise_registers_version(tx, tenant).await?;
    versions::raise_registers_version(tx, TenantId::SERVER).await?;
    if settings::find_setting(&mut *tx, ServerSetting::DefaultTenant).await?.is_none() {
        settings::upsert_setting(tx, ServerSetting::DefaultTenant, &tenant.to_string()).await?;
    }
    append_audit_entry(
        tx,
        tenant,
        AuditedChange::from(AuditedAction::CreateMirror).with_argument(&source.address),
        now,
    )
    .await?;
    let mirror = StoredMirror {
        tenant,
        source: source.address.clone(),
        login: source.login.clone(),
        source_base: source.base,
        since: None,
        phase: 0,
        place: 0,
        requests: 0,
        written: 0,
        has_all: true,
        started_at: now,
        complete_from: None,
        finished_at: None,
    };
    tx.execute_batch(vec![mirrors::upsert_mirror(&mirror)]).await?;
    Ok(tenant)
}

/// Adds the situations that a tenant needs: those of other entities, and each benefit kind that the source lacks.
async fn insert_missing_situations(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let existing = storage::registers::situations::list_situations(&mut *tx, tenant).await?;
    let has_kind =
        |kind: SituationKind| existing.iter().any(|one| one.entity == Entity::Benefit && one.kind == kind);
    let is_named = |initial: &InitialSituation| {
        existing.iter().any(|one| {
            one.entity == initial.entity && domain::fold_text(&one.name) == domain::fold_text(initial.name)
        })
    };
    let missing = |initial: &&InitialSituation| match initial.entity {
        Entity::Benefit => initial.is_default && !has_kind(initial.kind) && !is_named(initial),
        _ => true,
    };
    for initial in SITUATIONS.iter().filter(missing) {
        let code = counters::reserve_number(tx, tenant, Counter::Situation).await?;
        storage::registers::situations::insert_default_situations(
            tx,
            tenant,
            code,
            std::slice::from_ref(initial),
            now,
        )
        .await?;
    }
    // Plain `ativo` and cancellations use the first situation of each kind.
    let all = storage::registers::situations::list_situations(&mut *tx, tenant).await?;
    for kind in Entity::Benefit.situation_kinds() {
        let candidates = || all.iter().filter(|one| one.entity == Entity::Benefit && one.kind == *kind);
        let named = |one: &&storage::registers::situations::StoredSituation| {
            SITUATIONS.iter().any(|initial| {
                initial.entity == Entity::Benefit
                    && initial.is_default
                    && initial.kind == *kind
                    && domain::fold_text(initial.name) == domain::fold_text(&one.name)
            })
        };
        if candidates().any(|one| one.is_default) {
            continue;
        }
        if let Some(first) = candidates().find(named).or_else(|| candidates().next()) {
            make_situation_default(tx, tenant, first.code, now).await?;
        }
    }
    Ok(())
}

async fn make_situation_default(
    tx: &mut Tx,
    tenant: TenantId,
    code: SituationCode,
    now: Moment,
) -> Result<(), Error> {
    let values = vec![("padrao", FieldContent::Flag(true))];
    let record = MirroredRegisterRecord {
        path: "situacao",
        code: Some(code.get()),
        values,
        active: true,
        only_new: false,
    };
    upsert_register_record(tx, tenant, &record, now).await.map(drop)
}

/// Ends a run. If pages could not be read, the next run asks for changes since the last complete one.
#[boxed::future]
pub async fn complete_mirror_run(
    app: &App,
    mirror: &StoredMirror,
    lease: &MirrorLease,
) -> Result<StoredMirror, Error> {
    let done = StoredMirror {
        complete_from: if mirror.has_all { Some(mirror.started_at) } else { mirror.complete_from },
        finished_at: Some(app.now()),
        phase: 0,
        place: 0,
        ..mirror.clone()
    };
    let lane = WriteLane::background(mirror.tenant);
    app.db
        .write(lane, (done.clone(), lease.clone()), |tx, (done, lease)| {
            Box::pin(async move {
                require_mirror_lease(tx, lease).await?;
                tx.execute_batch(vec![
                    mirrors::delete_all_staged_bodies(done.tenant),
                    mirrors::upsert_mirror(done),
                ])
                .await?;
                Ok::<_, Error>(())
            })
        })
        .await?;
    Ok(done)
}

/// The exclusive lease on a mirror.
#[derive(Clone, Debug)]
pub struct MirrorLease {
    job: LeasedJob,
    tenant: TenantId,
}

/// Fails if the lease was lost: a write would undo the work of another process.
pub(super) async fn require_mirror_lease(tx: &mut Tx, lease: &MirrorLease) -> Result<(), Error> {
    if jobs::is_lease_held(tx, &lease.job).await? { Ok(()) } else { Err(Error::LeaseLost) }
}

/// Lease duration: after this time without renewal another process may take over.
pub const HELD_FOR: Duration = Duration::from_secs(30);

/// `None` if another process holds the lease.
#[boxed::future]
pub async fn lease_mirror(app: &App, tenant: TenantId) -> Result<Option<MirrorLease>, Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    let input = (format!("mirror {tenant}"), app.now());
    app.db
        .write(lane, input, |tx, (job, now)| {
            Box::pin(async move { Ok::<_, Error>(jobs::lease_job(tx, job, *now, HELD_FOR).await?) })
        })
        .await
        .map(|lease| lease.map(|lease| MirrorLease { job: lease, tenant }))
}

/// `false` if the lease was lost.
#[boxed::future]
pub async fn extend_mirror_lease(app: &App, lease: &MirrorLease) -> Result<bool, Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    let input = (lease.job.clone(), app.now().plus(HELD_FOR));
    app.db
        .write(lane, input, |tx, (lease, until)| {
            Box::pin(async move { Ok::<_, Error>(jobs::extend_job_lease(tx, lease, *until).await?) })
        })
        .await
}

#[boxed::future]
pub async fn release_mirror_lease(app: &App, lease: &MirrorLease) -> Result<(), Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    let input = (lease.job.clone(), app.now());
    app.db
        .write(lane, input, |tx, (lease, now)| {
            Box::pin(async move { Ok::<_, Error>(jobs::finish_job(tx, lease, *now, *now).await?) })
        })
        .await
        .map(drop)
}

/// The mirror state of a tenant; `None` if it is not a mirror.
#[boxed::future]
pub async fn find_mirror(app: &App, tenant: TenantId) -> Result<Option<StoredMirror>, Error> {
    Ok(mirrors::find_mirror(&app.db, tenant).await?)
}
