//! An empty server is set up in a browser: whoever started it gets a link, good for a day and
//! until the first administrator is there.

use crate::access::{Actor, Session};
use crate::server_key::hex;
use crate::tenants::{self, NewTenant};
use crate::users::{self, Initial, NewUser, User};
use crate::{App, Error, collect};
use domain::{Email, Field, Moment, Name, Password, Rejection, Role, TenantId, UserCode};
use sha2::{Digest, Sha256};
use std::time::Duration;
use storage::counters::{self, Counter};
use storage::settings::{self, Setting};
use storage::{Lane, Tx, users as stored};

const RANDOM: usize = 16;
/// Who founds an association has no account yet.
const FOUNDING: Actor = Actor { user: None, operation: "POST /console/comecar/{codigo}", address: None };
/// Nobody's code.
const NOBODY: UserCode = UserCode::new(0);

fn digest(code: &str) -> String {
    hex(&Sha256::digest(code.as_bytes()))
}

/// Whether nobody can administer the server yet.
async fn is_empty(tx: &mut Tx) -> Result<bool, Error> {
    match tenants::default(&mut *tx).await? {
        Some(tenant) => Ok(!stored::another_administrator(tx, tenant, NOBODY).await?),
        None => Ok(true),
    }
}

/// How long a link is good for; a restart gives another.
pub const GOOD_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A fresh code, where the server is still empty; an earlier one is no longer good.
#[boxed::future]
pub async fn invite(app: &App) -> Result<Option<String>, Error> {
    if !app.db.read((), |tx, ()| Box::pin(is_empty(tx))).await? {
        return Ok(None);
    }
    let mut random = [0; RANDOM];
    app.chance.fill(&mut random);
    let code = hex(&random);
    let kept = format!("{} {}", digest(&code), app.now().plus(GOOD_FOR).millis());
    app.db
        .write(Lane::of(TenantId::SERVER), kept, |tx, kept| {
            Box::pin(async move { settings::set(tx, Setting::SetupCode, kept).await })
        })
        .await?;
    Ok(Some(code))
}

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupLink {
    /// To the page that sets the server up.
    Open,
    /// The server is set up already.
    Done,
    /// There is something to set up, but not by this link.
    Expired,
}

#[boxed::future]
pub async fn look_at_link(app: &App, code: &str) -> Result<SetupLink, Error> {
    app.db.read((digest(code), app.now()), |tx, asked| Box::pin(state_of_link(tx, asked))).await
}

async fn state_of_link(tx: &mut Tx, (digest, now): &(String, Moment)) -> Result<SetupLink, Error> {
    if !is_empty(tx).await? {
        return Ok(SetupLink::Done);
    }
    let kept = settings::get(tx, Setting::SetupCode).await?;
    // The digest of the code that was printed last, and when it expires.
    let kept = kept.as_deref().and_then(|kept| kept.split_once(' '));
    let is_good = kept.is_some_and(|(known, ends_at)| {
        known == digest && ends_at.parse().is_ok_and(|millis| *now < Moment::from_millis(millis))
    });
    Ok(if is_good { SetupLink::Open } else { SetupLink::Expired })
}

/// What the first page asks.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub association: String,
    pub branch: String,
    pub name: String,
    pub email: String,
    pub password: String,
}

/// What one unit makes.
struct Founding {
    /// The digest of the link's code, and when it was sent.
    link: (String, Moment),
    tenant: tenants::Parsed,
    administrator: users::Entry,
}

/// Founds the association, with its first branch and administrator, and uses the link up: all of it in one unit, so that of
/// several who send the page at once one does and the others are told that it is done.
#[boxed::future]
pub async fn found(app: &App, code: &str, wanted: &Wanted) -> Result<User, Error> {
    let new = NewTenant {
        name: wanted.association.clone(),
        branch: wanted.branch.clone(),
        time_zone: domain::TimeZone::DEFAULT.to_owned(),
        hosts: Vec::new(),
        make_default: true,
    };
    let mut problems = Vec::new();
    let tenant = tenants::parse(&new, app.now()).map_err(|error| {
        if let Error::Refused(found) = error {
            problems.extend(found);
        }
    });
    let name = collect(&mut problems, Name::parse(Field::PersonName, &wanted.name));
    let email = collect(&mut problems, Email::parse(&wanted.email));
    let password = collect(&mut problems, Password::parse(&wanted.password));
    let (Ok(tenant), Some(name), Some(email), Some(password), []) =
        (tenant, name, email, password, &problems[..])
    else {
        return Err(Error::Refused(problems));
    };
    let administrator = NewUser {
        // The unit knows which it is.
        tenant: TenantId::SERVER,
        name,
        email,
        role: Role::Administrator,
        branches: Vec::new(),
        password: Initial::Chosen(password),
    };
    let administrator = users::entry(app, administrator, users::Kept { code: None, by: FOUNDING }).await?;
    let founding = Founding { link: (digest(code), app.now()), tenant, administrator };
    let lane = Lane::of(TenantId::SERVER);
    app.db.write(lane, founding, |tx, founding| Box::pin(found_once(tx, founding))).await
}

async fn found_once(tx: &mut Tx, founding: &Founding) -> Result<User, Error> {
    if state_of_link(tx, &founding.link).await? != SetupLink::Open {
        return Err(Rejection::BadSetupLink.into());
    }
    // A command may have made the association already, without anybody in it.
    let tenant = match tenants::default(&mut *tx).await? {
        Some(tenant) => tenant,
        None => tenants::insert(tx, &founding.tenant).await?.tenant,
    };
    let administrator = founding.administrator.clone().in_tenant(tenant);
    let user = users::insert(tx, &administrator).await?;
    settings::forget(tx, Setting::SetupCode).await?;
    Ok(user)
}

/// Whether the caller's association has had anybody yet.
#[boxed::future]
pub async fn has_people(app: &App, caller: &Session) -> Result<bool, Error> {
    Ok(counters::last(&app.db, caller.scope.tenant(), Counter::Person).await? > 0)
}
