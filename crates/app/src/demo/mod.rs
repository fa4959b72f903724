//! A demonstration: a believable association made of nothing but a seed. The same seed and number of members give the
//! same rows on either engine, whenever they are loaded and however often the load was cut off.
//!
//! Where a later register or record belongs into the demonstration, its data stands in `association.rs` (written by
//! `founding.rs`) or follows from a member's number (`people.rs`).

mod association;
mod dice;
mod documents;
mod founding;
mod names;
mod people;
mod places;
mod progress;
mod sellers;

pub use people::{Crowd, Member};

use crate::people::{listed_days, own};
use crate::situations::member;
use crate::tenants::{self, NewTenant};
use crate::users::{self, Initial, NewUser};
use crate::{App, Error};
use domain::{BranchCode, Email, Field, Name, Password, PersonCode, Rejection, Role, TenantId, TimeZone};
use progress::Progress;
use storage::counters::{self, Counter};
use storage::listing::ListedRow;
use storage::{Lane, Tx, listing, phones};

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

/// Members written in one unit: a fraction of a second on either engine.
const TOGETHER: u32 = 4_000;

/// What is to be loaded.
#[derive(Clone, Debug)]
pub struct Demo {
    pub members: u32,
    pub seed: u64,
    /// Of every user; matters only where they are created.
    pub password: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    pub tenant: TenantId,
    pub members: u32,
}

/// Fills an empty database, or goes on where a load of the same demonstration was cut off. `tell` is told how many
/// members are there, again and again.
pub async fn load(app: &App, demo: &Demo, tell: &mut (dyn FnMut(u32) + Send)) -> Result<Loaded, Error> {
    // Before anything is written, not when the first user is.
    Password::parse(&demo.password)?;
    let base = NewTenant {
        name: association::NAME.to_owned(),
        branch: places::BRANCHES[0].name.to_owned(),
        time_zone: TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: true,
    };
    let input = (tenants::parse(&base, app.now())?, demo.members.min(MOST_MEMBERS), demo.seed);
    let server = Lane::of(TenantId::SERVER);
    let mut progress = app.db.write(server, input, |tx, input| Box::pin(begin(tx, input))).await?;
    create_users(app, progress.tenant, &demo.password).await?;
    let crowd = Crowd::new(progress.seed, progress.members);
    tell(progress.loaded);
    while progress.loaded < progress.members {
        let end = progress.members.min(progress.loaded + TOGETHER);
        let members: Vec<Member> = (progress.loaded + 1..=end).map(|number| crowd.member(number)).collect();
        let lane = Lane::background(progress.tenant);
        let input = (progress, members);
        progress = app.db.write(lane, input, |tx, input| Box::pin(write_members(tx, input))).await?;
        tell(progress.loaded);
    }
    let done = Progress { done: true, ..progress };
    app.db.write(server, done, |tx, done| Box::pin(done.write(tx))).await?;
    Ok(Loaded { tenant: progress.tenant, members: progress.members })
}

/// Fills an empty database, or ends what was begun there, whatever it was; on one that holds data it adds nothing, and
/// answers `None`.
pub async fn fill(
    app: &App,
    demo: &Demo,
    tell: &mut (dyn FnMut(u32) + Send),
) -> Result<Option<Loaded>, Error> {
    let begun = Progress::read(&app.db).await?.map(|Progress { members, seed, .. }| (members, seed));
    let (members, seed) = begun.unwrap_or((demo.members, demo.seed));
    match load(app, &Demo { members, seed, ..demo.clone() }, tell).await {
        Err(Error::Refused(problems)) if problems == [Rejection::NotEmpty] => Ok(None),
        other => other.map(Some),
    }
}

/// The users of a demonstration who still have the password that everybody knows.
pub async fn with_known_password(app: &App) -> Result<Vec<&'static str>, Error> {
    let mut found = Vec::new();
    for (email, ..) in USERS {
        let Some((tenant, code)) = storage::users::login(&app.db, &Email::parse(email)?).await? else {
            continue;
        };
        let Some(hash) = storage::users::password_hash(&app.db, tenant, code).await? else { continue };
        if app.passwords.is_of(PASSWORD, &hash).await? {
            found.push(email);
        }
    }
    Ok(found)
}

async fn begin(tx: &mut Tx, (base, members, seed): &(tenants::Parsed, u32, u64)) -> Result<Progress, Error> {
    match Progress::read(&mut *tx).await? {
        Some(begun) if begun.done => Err(Rejection::NotEmpty.into()),
        Some(begun) if (begun.members, begun.seed) != (*members, *seed) => {
            Err(Rejection::DemoUnfinished { members: begun.members, seed: begun.seed }.into())
        }
        Some(begun) => Ok(begun),
        None if !storage::tenants::all(&mut *tx).await?.is_empty() => Err(Rejection::NotEmpty.into()),
        None => {
            let tenant = founding::found(tx, base, *seed).await?;
            let progress = Progress { tenant, members: *members, seed: *seed, loaded: 0, done: false };
            progress.write(tx).await?;
            Ok(progress)
        }
    }
}

async fn create_users(app: &App, tenant: TenantId, password: &str) -> Result<(), Error> {
    for (email, name, role, branches) in USERS {
        let new = NewUser {
            tenant,
            name: Name::parse(Field::Name, name)?,
            email: Email::parse(email)?,
            role,
            branches: branches.iter().copied().map(BranchCode::new).collect(),
            password: Initial::Chosen(Password::parse(password)?),
        };
        match users::create(app, new).await {
            // He was created before the load was cut off.
            Err(Error::Refused(problems)) if matches!(problems[..], [Rejection::EmailTaken(_)]) => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// Writes the next members. Where another process has written some meanwhile, it writes nothing and says how far that
/// one is, so that two that load the same demonstration help each other.
async fn write_members(tx: &mut Tx, (known, members): &(Progress, Vec<Member>)) -> Result<Progress, Error> {
    let gone = || storage::Error::Broken("the progress of a demonstration is gone".to_owned());
    let found = Progress::read(&mut *tx).await?.ok_or_else(gone)?;
    if found != *known {
        return Ok(found);
    }
    let (tenant, count) = (known.tenant, members.len() as u32);
    let first = counters::take(tx, tenant, Counter::Person, count as i32).await?;
    let first = PersonCode::new(first);
    storage::people::insert_all(tx, tenant, first, members.iter().map(|member| &member.person)).await?;
    phones::insert_all(tx, tenant, first, members.iter().map(|member| &member.phones[..])).await?;
    let zone = TimeZone::parse(TimeZone::DEFAULT)?;
    let people = (first.get()..).zip(members).map(|(code, member)| (PersonCode::new(code), &member.person));
    let days: Vec<(String, String)> =
        members.iter().map(|member| listed_days(&member.person, &zone)).collect();
    let slot = counters::take(tx, tenant, Counter::Slot, count as i32).await?;
    let rows: Vec<ListedRow<'_>> = (slot..)
        .zip(people.zip(&days))
        .map(|(slot, ((code, person), days))| ListedRow {
            slot,
            member: member(code, person),
            own: own(person, days),
        })
        .collect();
    tx.batch(listing::add(tenant, &rows)).await?;
    let progress = Progress { loaded: known.loaded + count, ..*known };
    progress.write(tx).await?;
    Ok(progress)
}
