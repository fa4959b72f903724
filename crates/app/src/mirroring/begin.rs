//! The beginning and the end of a run: the base that a mirror is written into is founded, or found; one run at a time.

use super::lists::{Wanted, put};
use super::{Mirror, tell};
use crate::{App, Error, registering, tenants};
use domain::{BranchCode, Entity, FunnelCode, Moment, SituationCode, SituationKind, TenantId, TimeZone};
use registers::{BornSituation, FUNNEL, SITUATIONS, Value};
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::jobs::{self, Lease};
use storage::settings::{self, Setting};
use storage::{Lane, Tx, branches, funnels, mirrors, versions};

/// Codes of users below this are the source's: those who work here get others, and nobody is taken for somebody else.
const OWN_USERS: i32 = 1_000;

/// What is to be mirrored, as far as it is known before a base is there.
#[derive(Clone, Debug)]
pub struct Source {
    pub address: String,
    pub login: String,
    pub base: i32,
    /// What the new base is to be called.
    pub name: String,
    pub time_zone: String,
    pub branches: Vec<(i32, String)>,
    /// The situations of benefits, and the funnels with their stages.
    pub lists: Vec<Wanted>,
    /// Into this base, which is a mirror of the same already.
    pub into: Option<TenantId>,
    /// Everything is compared, not what changed alone.
    pub whole: bool,
}

/// Where a run writes.
#[derive(Clone, Debug)]
pub enum Begun {
    Base {
        tenant: TenantId,
        is_new: bool,
    },
    /// The base that was named is none, or no mirror.
    NoMirror(TenantId),
    /// It mirrors something else.
    OtherSource(Mirror),
}

/// Finds the base of a mirror, or founds one. What is kept of it stays as it is until it is in hand.
#[boxed::future]
pub async fn begin(app: &App, source: &Source) -> Result<Begun, Error> {
    let new = tenants::NewTenant {
        name: source.name.clone(),
        branch: source.branches.first().map_or_else(|| "Matriz".to_owned(), |(_, name)| name.clone()),
        time_zone: source.time_zone.clone(),
        hosts: Vec::new(),
        make_default: false,
    };
    let input = (source.clone(), tenants::parse(&new, app.now())?, app.now());
    let server = Lane::of(TenantId::SERVER);
    app.db.write(server, input, |tx, (source, new, now)| Box::pin(settle(tx, source, new, *now))).await
}

async fn settle(tx: &mut Tx, source: &Source, new: &tenants::Parsed, now: Moment) -> Result<Begun, Error> {
    let known = match source.into {
        Some(tenant) => match mirrors::find(&mut *tx, tenant).await? {
            None => return Ok(Begun::NoMirror(tenant)),
            Some(one) if !one.is_of(&source.address, source.base, &source.login) => {
                return Ok(Begun::OtherSource(one));
            }
            some => some,
        },
        None => mirrors::of(&mut *tx, &source.address, source.base, &source.login).await?,
    };
    Ok(match known {
        Some(known) => Begun::Base { tenant: known.tenant, is_new: false },
        None => Begun::Base { tenant: found(tx, source, new, now).await?, is_new: true },
    })
}

/// Begins another run of a mirror that is in hand, or goes on with one that was cut off.
#[boxed::future]
pub async fn choose(app: &App, source: &Source, hold: &Hold) -> Result<Mirror, Error> {
    let zone = TimeZone::parse(&source.time_zone)?;
    let input = (source.login.clone(), source.whole, zone, hold.clone(), app.now());
    app.db
        .write(Lane::background(hold.tenant), input, |tx, (login, whole, zone, hold, now)| {
            Box::pin(async move {
                check(tx, hold).await?;
                let known = mirrors::find(&mut *tx, hold.tenant).await?.ok_or(Error::Lost)?;
                let goes_on = known.finished_at.is_none() && !(*whole && known.since.is_some());
                let mirror = match goes_on {
                    true => Mirror { login: login.clone(), ..known },
                    false => anew(known, login, *whole, zone, *now),
                };
                tx.batch(vec![mirrors::keep(&mirror)]).await?;
                Ok(mirror)
            })
        })
        .await
}

fn anew(known: Mirror, login: &str, whole: bool, zone: &TimeZone, now: Moment) -> Mirror {
    // A day earlier, whatever the clocks and zones of both are.
    let day = |at: Moment| at.minus(Duration::from_secs(24 * 3600)).date_in(zone).to_iso();
    Mirror {
        login: login.to_owned(),
        since: known.complete_from.filter(|_| !whole).map(day),
        phase: 0,
        place: 0,
        requests: 0,
        written: 0,
        has_all: true,
        started_at: now,
        finished_at: None,
        ..known
    }
}

/// A base with the source's branches, situations and funnels in place of those that others are born with.
async fn found(tx: &mut Tx, source: &Source, new: &tenants::Parsed, now: Moment) -> Result<TenantId, Error> {
    let tenant = tenants::insert_bare(tx, new).await?;
    for (code, name) in &source.branches {
        let name = domain::Name::parse(domain::Field::Branch, name)?;
        branches::insert(tx, tenant, BranchCode::new(*code), &name, now).await?;
        counters::reach(tx, tenant, Counter::Branch, *code).await?;
    }
    for wanted in &source.lists {
        put(tx, tenant, wanted, now).await?;
    }
    add_missing(tx, tenant, now).await?;
    if !source.lists.iter().any(|one| one.path == "funil") {
        let count = i32::try_from(FUNNEL.stages.len()).unwrap_or(0);
        let [funnel, stage] =
            counters::take_all(tx, tenant, [(Counter::Funnel, 1), (Counter::Stage, count)]).await?;
        let stages = (stage, FUNNEL.stages);
        tx.batch(funnels::insert(tenant, FunnelCode::new(funnel), FUNNEL.name, stages, now)).await?;
    }
    registering::add_born(tx, tenant, now).await?;
    counters::reach(tx, tenant, Counter::User, OWN_USERS - 1).await?;
    versions::raise_registers(tx, tenant).await?;
    versions::raise_registers(tx, TenantId::SERVER).await?;
    if settings::get(&mut *tx, Setting::DefaultTenant).await?.is_none() {
        settings::set(tx, Setting::DefaultTenant, &tenant.to_string()).await?;
    }
    tell(tx, tenant, format!("base criada como espelho de {}", source.address), now).await?;
    let mirror = Mirror {
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
    tx.batch(vec![mirrors::keep(&mirror)]).await?;
    Ok(tenant)
}

/// The situations without which an association cannot work: those of the other entities, and each type of a benefit's that
/// the source has none of.
async fn add_missing(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let there = storage::situations::all(&mut *tx, tenant).await?;
    let has = |kind: SituationKind| there.iter().any(|one| one.entity == Entity::Benefit && one.kind == kind);
    let is_named = |born: &BornSituation| {
        there
            .iter()
            .any(|one| one.entity == born.entity && domain::fold(&one.name) == domain::fold(born.name))
    };
    let missing = |born: &&BornSituation| match born.entity {
        Entity::Benefit => born.is_default && !has(born.kind) && !is_named(born),
        _ => true,
    };
    for born in SITUATIONS.iter().filter(missing) {
        let code = counters::next(tx, tenant, Counter::Situation).await?;
        storage::situations::insert_born(tx, tenant, code, std::slice::from_ref(born), now).await?;
    }
    // What a bare `ativo` and a cancellation pick: the first of each type.
    let all = storage::situations::all(&mut *tx, tenant).await?;
    for kind in Entity::Benefit.kinds() {
        let own = || all.iter().filter(|one| one.entity == Entity::Benefit && one.kind == *kind);
        let named = |one: &&storage::situations::Situation| {
            SITUATIONS.iter().any(|born| {
                born.entity == Entity::Benefit
                    && born.is_default
                    && born.kind == *kind
                    && domain::fold(born.name) == domain::fold(&one.name)
            })
        };
        if own().any(|one| one.is_default) {
            continue;
        }
        if let Some(first) = own().find(named).or_else(|| own().next()) {
            make_default(tx, tenant, first.code, now).await?;
        }
    }
    Ok(())
}

async fn make_default(tx: &mut Tx, tenant: TenantId, code: SituationCode, now: Moment) -> Result<(), Error> {
    let values = vec![("padrao", Value::Flag(true))];
    let wanted = Wanted { path: "situacao", code: Some(code.get()), values, active: true, only_new: false };
    put(tx, tenant, &wanted, now).await.map(drop)
}

/// Says that a run came to its end. Where pages of it could not be read, the next one asks for changes since the last that
/// had none missing.
#[boxed::future]
pub async fn complete(app: &App, mirror: &Mirror, hold: &Hold) -> Result<Mirror, Error> {
    let done = Mirror {
        complete_from: if mirror.has_all { Some(mirror.started_at) } else { mirror.complete_from },
        finished_at: Some(app.now()),
        phase: 0,
        place: 0,
        ..mirror.clone()
    };
    let lane = Lane::background(mirror.tenant);
    app.db
        .write(lane, (done.clone(), hold.clone()), |tx, (done, hold)| {
            Box::pin(async move {
                check(tx, hold).await?;
                tx.batch(vec![mirrors::unstage_all(done.tenant), mirrors::keep(done)]).await?;
                Ok::<_, Error>(())
            })
        })
        .await?;
    Ok(done)
}

/// A mirror in the hands of one process.
#[derive(Clone, Debug)]
pub struct Hold {
    lease: Lease,
    tenant: TenantId,
}

/// Whether a mirror is still in hand: what is written otherwise would undo what another process wrote.
pub(super) async fn check(tx: &mut Tx, hold: &Hold) -> Result<(), Error> {
    if jobs::is_held(tx, &hold.lease).await? { Ok(()) } else { Err(Error::Lost) }
}

/// How long a process may be silent before another may go on with its mirror.
pub const HELD_FOR: Duration = Duration::from_secs(30);

/// Takes a mirror in hand; `None` where another process has it.
#[boxed::future]
pub async fn hold(app: &App, tenant: TenantId) -> Result<Option<Hold>, Error> {
    let lane = Lane::background(TenantId::SERVER);
    let input = (format!("mirror {tenant}"), app.now());
    app.db
        .write(lane, input, |tx, (job, now)| {
            Box::pin(async move { Ok::<_, Error>(jobs::lease(tx, job, *now, HELD_FOR).await?) })
        })
        .await
        .map(|lease| lease.map(|lease| Hold { lease, tenant }))
}

/// Keeps it in hand; `false` where it was lost.
#[boxed::future]
pub async fn keep_hold(app: &App, hold: &Hold) -> Result<bool, Error> {
    let lane = Lane::background(TenantId::SERVER);
    let input = (hold.lease.clone(), app.now().plus(HELD_FOR));
    app.db
        .write(lane, input, |tx, (lease, until)| {
            Box::pin(async move { Ok::<_, Error>(jobs::extend(tx, lease, *until).await?) })
        })
        .await
}

/// Gives it back.
#[boxed::future]
pub async fn give_back(app: &App, hold: &Hold) -> Result<(), Error> {
    let lane = Lane::background(TenantId::SERVER);
    let input = (hold.lease.clone(), app.now());
    app.db
        .write(lane, input, |tx, (lease, now)| {
            Box::pin(async move { Ok::<_, Error>(jobs::finish(tx, lease, *now, *now).await?) })
        })
        .await
        .map(drop)
}
