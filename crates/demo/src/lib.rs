//! A demonstration: a believable association made of nothing but a seed. The same seed and number of members give the
//! same rows on either engine, whenever they are loaded and however often the load was cut off.
//!
//! Where a later register or record belongs into the demonstration, its data stands in `association.rs` (written by
//! `founding.rs`) or follows from a member's number (`people.rs`, `benefits.rs`) and is written with him (`writing.rs`), or from
//! a number of its own and is written behind the members (`sales.rs`, `selling.rs`).

mod association;
mod benefits;
mod calendar;
mod cases;
mod claims;
mod credit_cards;
mod dependents;
mod dice;
mod documents;
mod equipment;
mod foundation;
mod health;
mod names;
mod people;
mod places;
mod plates;
mod progress;
mod sales;
mod sales_process;
mod sellers;
mod values;
mod vehicles;
mod write;

pub use crate::benefits::SampleBenefit;
pub use crate::dependents::SampleDependent;
pub use crate::people::{SampleGenerator, SampleMember};

use crate::progress::DemoLoadProgress;
use crate::write::{SampleMemberBatch, write_members};
use app::access::AccountActor;
use app::access::users::{self, CreateUser, InitialPassword};
use app::registers::snapshot::load_registers;
use app::tenants::{self, CreateTenant};
use app::{App, Error};
use domain::{BranchCode, DisplayName, Email, InputField, Password, Rejection, Role, TenantId, TimeZone};
use std::sync::Arc;
use storage::{Tx, WriteLane};
use tokio::task::JoinHandle;

/// The password of every user of a demonstration, unless another was chosen.
pub const PASSWORD: &str = "amparo-demo";
/// The login of its administrator.
pub const ADMINISTRATOR: &str = "admin@demo.example";
/// More would leave members without a document of their own.
pub const MOST_MEMBERS: u32 = 99_000_000;

const USERS: [(&str, &str, Role, &[i32]); 3] = [
    (ADMINISTRATOR, "Administração Demonstração", Role::Administrator, &[]),
    ("operador@demo.example", "Operação Belo Horizonte", Role::Operator, &[2]),
    ("integracao@demo.example", "Integração Demonstração", Role::Integration, &[1, 2, 3, 4, 5]),
];

/// Members written in one unit, with all that they have: a fraction of a second on either engine.
const TOGETHER: u32 = 1_000;

/// What is to be loaded.
#[derive(Clone, Debug)]
pub struct DemoLoadOptions {
    pub members: u32,
    pub seed: u64,
    /// Of every user; matters only where they are created.
    pub password: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoLoadOutcome {
    pub tenant: TenantId,
    pub members: u32,
}

/// Fills an empty database, or goes on where a load of the same demonstration was cut off. `tell` is told how many
/// members are there, again and again.
#[boxed::future]
pub async fn load_demo(
    app: &App,
    demo: &DemoLoadOptions,
    tell: &mut (dyn FnMut(u32) + Send),
) -> Result<DemoLoadOutcome, Error> {
    // Before anything is written, not when the first user is.
    Password::parse(&demo.password)?;
    let base = CreateTenant {
        name: association::NAME.to_owned(),
        branch: places::BRANCHES[0].name.to_owned(),
        time_zone: TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: true,
    };
    let input = (tenants::parse_new_tenant(&base, app.now())?, demo.members.min(MOST_MEMBERS), demo.seed);
    let server = WriteLane::foreground(TenantId::SERVER);
    let mut progress = app.db.write(server, input, |tx, input| Box::pin(begin_load(tx, input))).await?;
    create_users(app, progress.tenant, &demo.password).await?;
    let registers = load_registers(app, progress.tenant).await?;
    let crowd = Arc::new(SampleGenerator::new(progress.seed, progress.members));
    let mut next = generate_members(&crowd, progress);
    tell(progress.loaded);
    while progress.loaded < progress.members {
        let members = next.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        // The members behind these are made while these are written.
        let expected = DemoLoadProgress { loaded: progress.loaded + members.len() as u32, ..progress };
        next = generate_members(&crowd, expected);
        let part = SampleMemberBatch { known: progress, registers: Arc::clone(&registers), members };
        let lane = WriteLane::background(progress.tenant);
        progress = app.db.write(lane, part, |tx, part| Box::pin(write_members(tx, part))).await?;
        if progress != expected {
            next = generate_members(&crowd, progress);
        }
        tell(progress.loaded);
    }
    progress = load_sales(app, &crowd, progress).await?;
    let done = DemoLoadProgress { done: true, ..progress };
    app.db.write(server, done, |tx, done| Box::pin(done.save(tx))).await?;
    Ok(DemoLoadOutcome { tenant: progress.tenant, members: progress.members })
}

/// Writes the leads that are still missing, and their deals.
async fn load_sales(
    app: &App,
    crowd: &SampleGenerator,
    mut progress: DemoLoadProgress,
) -> Result<DemoLoadProgress, Error> {
    let wanted = sales::count_leads(progress.members);
    while progress.leads < wanted {
        let last = wanted.min(progress.leads + sales_process::TOGETHER);
        let prospects = (progress.leads + 1..=last).map(|number| crowd.generate_lead(number)).collect();
        let part = sales_process::SampleLeadBatch { known: progress, prospects };
        let lane = WriteLane::background(progress.tenant);
        progress =
            app.db.write(lane, part, |tx, part| Box::pin(sales_process::write_leads(tx, part))).await?;
    }
    Ok(progress)
}

/// Fills an empty database, or ends what was begun there, whatever it was; on one that holds data it adds nothing, and
/// answers `None`.
#[boxed::future]
pub async fn fill_empty_database(
    app: &App,
    demo: &DemoLoadOptions,
    tell: &mut (dyn FnMut(u32) + Send),
) -> Result<Option<DemoLoadOutcome>, Error> {
    let begun =
        DemoLoadProgress::load(&app.db).await?.map(|DemoLoadProgress { members, seed, .. }| (members, seed));
    let (members, seed) = begun.unwrap_or((demo.members, demo.seed));
    match load_demo(app, &DemoLoadOptions { members, seed, ..demo.clone() }, tell).await {
        Err(Error::Refused(problems)) if problems == [Rejection::NotEmpty] => Ok(None),
        other => other.map(Some),
    }
}

/// The users of a demonstration who still have the password that everybody knows.
#[boxed::future]
pub async fn list_users_with_known_password(app: &App) -> Result<Vec<&'static str>, Error> {
    let mut found = Vec::new();
    for (email, ..) in USERS {
        let Some((tenant, code)) =
            storage::access::users::find_login_owner(&app.db, &Email::parse(email)?).await?
        else {
            continue;
        };
        let Some(hash) = storage::access::users::find_password_hash(&app.db, tenant, code).await? else {
            continue;
        };
        if app.passwords.is_match(PASSWORD, &hash).await? {
            found.push(email);
        }
    }
    Ok(found)
}

/// Makes the members behind those that are loaded: beside the runtime, for they take as long as a unit.
fn generate_members(
    crowd: &Arc<SampleGenerator>,
    progress: DemoLoadProgress,
) -> JoinHandle<Vec<SampleMember>> {
    let end = progress.members.min(progress.loaded + TOGETHER);
    let crowd = Arc::clone(crowd);
    tokio::task::spawn_blocking(move || {
        (progress.loaded + 1..=end).map(|number| crowd.generate_member(number)).collect()
    })
}

async fn begin_load(
    tx: &mut Tx,
    (base, members, seed): &(tenants::ParsedTenant, u32, u64),
) -> Result<DemoLoadProgress, Error> {
    match DemoLoadProgress::load(&mut *tx).await? {
        Some(begun) if begun.done => Err(Rejection::NotEmpty.into()),
        Some(begun) if (begun.members, begun.seed) != (*members, *seed) => {
            Err(Rejection::DemoUnfinished { members: begun.members, seed: begun.seed }.into())
        }
        Some(begun) => Ok(begun),
        None if !storage::server::tenants::list_tenants(&mut *tx).await?.is_empty() => {
            Err(Rejection::NotEmpty.into())
        }
        None => {
            let tenant = foundation::create_association(tx, base, *seed).await?;
            let progress =
                DemoLoadProgress { tenant, members: *members, seed: *seed, loaded: 0, leads: 0, done: false };
            progress.save(tx).await?;
            Ok(progress)
        }
    }
}

async fn create_users(app: &App, tenant: TenantId, password: &str) -> Result<(), Error> {
    for (email, name, role, branches) in USERS {
        let new = CreateUser {
            tenant,
            name: DisplayName::parse(InputField::Name, name)?,
            email: Email::parse(email)?,
            role,
            branches: branches.iter().copied().map(BranchCode::new).collect(),
            password: InitialPassword::Chosen(Password::parse(password)?),
        };
        match users::create_user_as(app, new, AccountActor::for_command("amparo demo")).await {
            // He was created before the load was cut off.
            Err(Error::Refused(problems)) if matches!(problems[..], [Rejection::EmailTaken(_)]) => {}
            other => drop(other?),
        }
    }
    Ok(())
}
