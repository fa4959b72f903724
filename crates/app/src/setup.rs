//! An empty server is set up in a browser: whoever started it gets a link, good until the first administrator is there.

use crate::access::{Actor, Session};
use crate::server_key::hex;
use crate::tenants::{self, NewTenant};
use crate::users::{self, Initial, NewUser, User};
use crate::{App, Error, collect};
use domain::{Email, Field, Name, Password, Role, TenantId, UserCode};
use sha2::{Digest, Sha256};
use storage::counters::{self, Counter};
use storage::settings::{self, Setting};
use storage::{Lane, users as stored};

const RANDOM: usize = 16;
/// Who founds an association has no account yet.
const FOUNDING: Actor = Actor { user: None, operation: "POST /console/comecar/{codigo}", address: None };
/// Nobody's code.
const NOBODY: UserCode = UserCode::new(0);

fn digest(code: &str) -> String {
    hex(&Sha256::digest(code.as_bytes()))
}

/// Whether nobody can administer the server yet.
async fn is_empty(app: &App) -> Result<bool, Error> {
    match tenants::default(&app.db).await? {
        Some(tenant) => Ok(!stored::another_administrator(&app.db, tenant, NOBODY).await?),
        None => Ok(true),
    }
}

/// A fresh code, where the server is still empty; an earlier one is no longer good.
pub async fn invite(app: &App) -> Result<Option<String>, Error> {
    if !is_empty(app).await? {
        return Ok(None);
    }
    let mut random = [0; RANDOM];
    app.chance.fill(&mut random);
    let code = hex(&random);
    let kept = digest(&code);
    app.db
        .write(Lane::of(TenantId::SERVER), kept, |tx, kept| {
            Box::pin(async move { settings::set(tx, Setting::SetupCode, kept).await })
        })
        .await?;
    Ok(Some(code))
}

/// Whether this is the code, and there is still something to set up.
pub async fn is_open(app: &App, code: &str) -> Result<bool, Error> {
    let kept = settings::get(&app.db, Setting::SetupCode).await?;
    Ok(kept.is_some_and(|kept| kept == digest(code)) && is_empty(app).await?)
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

/// Founds the association, with its first branch and administrator. Cut off in between, it goes on where it was.
pub async fn found(app: &App, wanted: &Wanted) -> Result<User, Error> {
    let mut problems = Vec::new();
    collect(&mut problems, Name::parse(Field::Name, &wanted.association));
    collect(&mut problems, Name::parse(Field::Branch, &wanted.branch));
    let name = collect(&mut problems, Name::parse(Field::PersonName, &wanted.name));
    let email = collect(&mut problems, Email::parse(&wanted.email));
    let password = collect(&mut problems, Password::parse(&wanted.password));
    let (Some(name), Some(email), Some(password), []) = (name, email, password, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    let tenant = match tenants::default(&app.db).await? {
        Some(tenant) => tenant,
        None => {
            let new = NewTenant {
                name: wanted.association.clone(),
                branch: wanted.branch.clone(),
                time_zone: domain::TimeZone::DEFAULT.to_owned(),
                hosts: Vec::new(),
                make_default: true,
            };
            tenants::create(app, &new).await?.tenant
        }
    };
    let new = NewUser {
        tenant,
        name,
        email,
        role: Role::Administrator,
        branches: Vec::new(),
        password: Initial::Chosen(password),
    };
    users::create_by(app, new, FOUNDING).await
}

/// Whether the caller's association has had anybody yet.
pub async fn has_people(app: &App, caller: &Session) -> Result<bool, Error> {
    Ok(counters::last(&app.db, caller.scope.tenant(), Counter::Person).await? > 0)
}
