//! Demo data: a plausible association generated from a seed. The same seed and number of members give the same rows on
//! either database engine, whenever they are loaded and however often the load was interrupted.
//!
//! To add a register or record to the demo, put its data into `association.rs` (written by `foundation.rs`), or derive
//! it from a member's number (`people.rs`, `benefits/`; written by `write/`), or derive it from a number of its own and
//! write it after the members (`sales.rs`, `sales_process.rs`). Money (`money/`) comes last. It alone depends on the day
//! of the load, because what is due and overdue means nothing without a day on which it is.

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
mod generator;
mod health;
mod money;
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

pub use crate::benefits::{SampleBenefit, SampleDependent};
pub use crate::generator::SampleGenerator;
pub use crate::money::MOST_MONTHS;
pub use crate::people::SampleMember;

use crate::progress::{DemoLoadProgress, MoneyProgress};
use crate::write::{SampleMemberBatch, write_members};
use app::access::users::{self, InitialPassword, NewUserInput};
use app::register_snapshot::load_registers;
use app::session::AccountActor;
use app::tenants::{self, NewTenantInput};
use app::{App, Error};
use domain::{
    BranchCode, DisplayName, Email, InputField, MoneyRights, Password, Rejection, Role, TenantId, TimeZone,
};
use std::sync::Arc;
use storage::{Tx, WriteLane};
use tokio::task::JoinHandle;

/// The default password of every demo user.
pub const PASSWORD: &str = "amparo-demo";
/// The administrator's login.
pub const ADMINISTRATOR: &str = "admin@demo.example";
/// More members would not all get unique documents.
pub const MOST_MEMBERS: u32 = 99_000_000;

const USERS: [(&str, &str, Role, &[i32]); 3] = [
    (ADMINISTRATOR, "Administração Demonstração", Role::Administrator, &[]),
    ("operador@demo.example", "Operação Belo Horizonte", Role::Operator, &[2]),
    ("integracao@demo.example", "Integração Demonstração", Role::Integration, &[1, 2, 3, 4, 5]),
];

/// Members per transaction, with all their records: far from the time limit of a transaction even on a busy machine.
const MEMBERS_PER_TRANSACTION: u32 = 250;

#[derive(Clone, Debug)]
pub struct DemoLoadOptions {
    pub members: u32,
    pub seed: u64,
    /// Of every user; used only when they are created.
    pub password: String,
    /// How many months of titles there are, ending today; without it, as many as suit the number of members.
    pub months: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoLoadOutcome {
    pub tenant: TenantId,
    pub members: u32,
}

/// Fills an empty database, or continues an interrupted load of the same demo. `on_progress` is called repeatedly with
/// the number of members loaded.
#[boxed::future]
pub async fn load_demo(
    app: &App,
    demo: &DemoLoadOptions,
    on_progress: &mut (dyn FnMut(u32) + Send),
) -> Result<DemoLoadOutcome, Error> {
    // Checked before anything is written, not when the first user is created.
    Password::parse(&demo.password)?;
    let base = NewTenantInput {
        name: association::NAME.to_owned(),
        branch: places::BRANCHES[0].name.to_owned(),
        time_zone: TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: true,
    };
    let today = app.now().date_in(&TimeZone::parse(TimeZone::DEFAULT)?);
    let members = demo.members.min(MOST_MEMBERS);
    let months = demo.months.map_or_else(|| money::choose_months(members), |months| months.min(MOST_MONTHS));
    let wanted = DemoLoadProgress {
        // Assigned when the association is created.
        tenant: TenantId::SERVER,
        members,
        seed: demo.seed,
        loaded: 0,
        leads: 0,
        done: false,
        money: MoneyProgress::new(today, months),
    };
    let input = (tenants::parse_new_tenant(&base, app.now())?, wanted);
    let server = WriteLane::foreground(TenantId::SERVER);
    let mut progress = app.db.write(server, input, |tx, input| Box::pin(begin_load(tx, input))).await?;
    create_users(app, progress.tenant, &demo.password).await?;
    let registers = load_registers(app, progress.tenant).await?;
    let generator = Arc::new(SampleGenerator::new(progress.seed, progress.members));
    let mut next = generate_members(&generator, progress);
    on_progress(progress.loaded);
    while progress.loaded < progress.members {
        let members = next.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        // The next members are generated while these are written.
        let expected = DemoLoadProgress { loaded: progress.loaded + members.len() as u32, ..progress };
        next = generate_members(&generator, expected);
        let part = SampleMemberBatch { progress, registers: Arc::clone(&registers), members };
        let lane = WriteLane::background(progress.tenant);
        progress = app.db.write(lane, part, |tx, part| Box::pin(write_members(tx, part))).await?;
        if progress != expected {
            next = generate_members(&generator, progress);
        }
        on_progress(progress.loaded);
    }
    progress = load_sales(app, &generator, progress).await?;
    progress = money::load_money(app, &registers, progress).await?;
    let done = DemoLoadProgress { done: true, ..progress };
    app.db.write(server, done, |tx, done| Box::pin(done.save(tx))).await?;
    Ok(DemoLoadOutcome { tenant: progress.tenant, members: progress.members })
}

/// Writes the remaining leads and their deals.
async fn load_sales(
    app: &App,
    generator: &SampleGenerator,
    mut progress: DemoLoadProgress,
) -> Result<DemoLoadProgress, Error> {
    let lead_count = sales::count_leads(progress.members);
    while progress.leads < lead_count {
        let last = lead_count.min(progress.leads + sales_process::LEADS_PER_TRANSACTION);
        let prospects = (progress.leads + 1..=last).map(|number| generator.generate_lead(number)).collect();
        let part = sales_process::SampleLeadBatch { progress, prospects };
        let lane = WriteLane::background(progress.tenant);
        progress =
            app.db.write(lane, part, |tx, part| Box::pin(sales_process::write_leads(tx, part))).await?;
    }
    Ok(progress)
}

/// Fills an empty database, or completes an interrupted load with the members and seed it was started with. Returns
/// `None`, without any change, if the database holds other data.
#[boxed::future]
pub async fn fill_empty_database(
    app: &App,
    demo: &DemoLoadOptions,
    on_progress: &mut (dyn FnMut(u32) + Send),
) -> Result<Option<DemoLoadOutcome>, Error> {
    let unfinished =
        DemoLoadProgress::load(&app.db).await?.map(|DemoLoadProgress { members, seed, .. }| (members, seed));
    let (members, seed) = unfinished.unwrap_or((demo.members, demo.seed));
    match load_demo(app, &DemoLoadOptions { members, seed, ..demo.clone() }, on_progress).await {
        Err(Error::Refused(problems)) if problems == [Rejection::NotEmpty] => Ok(None),
        other => other.map(Some),
    }
}

/// Demo users that still have the default password.
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

/// Generates the next members on a blocking thread, because it takes as long as a transaction.
fn generate_members(
    generator: &Arc<SampleGenerator>,
    progress: DemoLoadProgress,
) -> JoinHandle<Vec<SampleMember>> {
    let end = progress.members.min(progress.loaded + MEMBERS_PER_TRANSACTION);
    let generator = Arc::clone(generator);
    tokio::task::spawn_blocking(move || {
        (progress.loaded + 1..=end).map(|number| generator.generate_member(number)).collect()
    })
}

async fn begin_load(
    tx: &mut Tx,
    (base, wanted): &(tenants::ParsedTenant, DemoLoadProgress),
) -> Result<DemoLoadProgress, Error> {
    match DemoLoadProgress::load(&mut *tx).await? {
        Some(stored) if stored.done => Err(Rejection::NotEmpty.into()),
        Some(stored) if (stored.members, stored.seed) != (wanted.members, wanted.seed) => {
            Err(Rejection::DemoUnfinished { members: stored.members, seed: stored.seed }.into())
        }
        Some(stored) => Ok(stored),
        None if !storage::server::tenants::list_tenants(&mut *tx).await?.is_empty() => {
            Err(Rejection::NotEmpty.into())
        }
        None => {
            let tenant = foundation::create_association(tx, base, wanted.seed).await?;
            let progress = DemoLoadProgress { tenant, ..*wanted };
            progress.save(tx).await?;
            Ok(progress)
        }
    }
}

async fn create_users(app: &App, tenant: TenantId, password: &str) -> Result<(), Error> {
    for (email, name, role, branches) in USERS {
        let new = NewUserInput {
            tenant,
            name: DisplayName::parse(InputField::Name, name)?,
            email: Email::parse(email)?,
            role,
            branches: branches.iter().copied().map(BranchCode::new).collect(),
            money_rights: MoneyRights::SEE_AND_SETTLE,
            gets_old_search_answer: false,
            password: InitialPassword::Chosen(Password::parse(password)?),
        };
        match users::create_user_as(
            app,
            new,
            AccountActor::for_command(domain::AuditedOperation::DemoCommand),
        )
        .await
        {
            // The user was created before the load was interrupted.
            Err(Error::Refused(problems)) if matches!(problems[..], [Rejection::EmailTaken(_)]) => {}
            other => drop(other?),
        }
    }
    Ok(())
}
