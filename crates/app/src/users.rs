//! Users: created, listed, disabled, given a new password.

use crate::error::collect;
use crate::{App, Error};
use domain::{BranchCode, Email, Field, Moment, Name, Password, Rejection, Role, Scope, TenantId, UserCode};
use std::collections::BTreeSet;
use storage::counters::{self, Counter};
use storage::users::{self, User};
use storage::{Lane, Tx, branches, tokens};

#[derive(Debug)]
pub struct NewUser {
    pub tenant: TenantId,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub password: String,
}

struct Parsed {
    tenant: TenantId,
    name: Name,
    email: Email,
    role: Role,
    branches: Vec<BranchCode>,
    password_hash: String,
    now: Moment,
}

/// Creates a user with a password that its owner chose.
pub async fn create(app: &App, new: &NewUser) -> Result<UserCode, Error> {
    let mut problems = Vec::new();
    let name = collect(&mut problems, Name::parse(Field::Name, &new.name));
    let email = collect(&mut problems, Email::parse(&new.email));
    let password = collect(&mut problems, Password::parse(&new.password));
    let branches: BTreeSet<BranchCode> = new.branches.iter().copied().collect();
    if branches.is_empty() && !new.role.has_every_branch() {
        problems.push(Rejection::NoBranch);
    }
    let (Some(name), Some(email), Some(password), []) = (name, email, password, &problems[..]) else {
        return Err(Error::Refused(problems));
    };
    let input = Parsed {
        tenant: new.tenant,
        name,
        email,
        role: new.role,
        branches: branches.into_iter().collect(),
        password_hash: app.passwords.hash(password, &*app.chance).await?,
        now: app.now(),
    };
    app.db.write(Lane::of(new.tenant), input, |tx, input| Box::pin(insert(tx, input))).await
}

async fn insert(tx: &mut Tx, new: &Parsed) -> Result<UserCode, Error> {
    let there = branches::visible(&mut *tx, &Scope::whole(new.tenant)).await?;
    let is_there = |code: &BranchCode| there.iter().any(|branch| branch.code == *code && branch.active);
    let unknown: Vec<_> = new.branches.iter().filter(|code| !is_there(code)).collect();
    if !unknown.is_empty() {
        return Err(Error::Refused(
            unknown.into_iter().map(|code| Rejection::UnknownBranch(*code)).collect(),
        ));
    }
    let code = UserCode::new(counters::next(tx, new.tenant, Counter::User).await?);
    let row = users::NewUser {
        tenant: new.tenant,
        code,
        name: &new.name,
        email: &new.email,
        role: new.role,
        branches: &new.branches,
        password_hash: &new.password_hash,
        must_change_password: false,
        now: new.now,
    };
    users::insert(tx, &row).await?;
    if !users::claim_login(tx, &new.email, new.tenant, code).await? {
        return Err(Rejection::EmailTaken(new.email.to_string()).into());
    }
    Ok(code)
}

/// The users that the scope sees, by code.
pub async fn list(app: &App, scope: &Scope) -> Result<Vec<User>, Error> {
    Ok(users::visible(&app.db, scope).await?)
}

/// Disables a user and ends his sessions. Doing it again changes nothing.
pub async fn disable(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    app.db.write(Lane::of(tenant), input, |tx, input| Box::pin(deactivate(tx, input))).await
}

async fn deactivate(tx: &mut Tx, (tenant, email, now): &(TenantId, Email, Moment)) -> Result<(), Error> {
    let user = of_tenant(tx, *tenant, email).await?;
    let is_administrator = user.active && user.role == Role::Administrator;
    if is_administrator && !users::another_administrator(&mut *tx, *tenant, user.code).await? {
        return Err(Rejection::LastAdministrator(email.to_string()).into());
    }
    users::deactivate(tx, *tenant, user.code, *now).await?;
    tokens::end_all(tx, *tenant, user.code).await?;
    Ok(())
}

/// Gives a user a new password that its owner chose, and ends his sessions.
pub async fn reset(app: &App, tenant: TenantId, email: &str, password: &str) -> Result<(), Error> {
    let mut problems = Vec::new();
    let email = collect(&mut problems, Email::parse(email));
    let password = collect(&mut problems, Password::parse(password));
    let (Some(email), Some(password)) = (email, password) else { return Err(Error::Refused(problems)) };
    let hash = app.passwords.hash(password, &*app.chance).await?;
    let input = (tenant, email, hash, app.now());
    app.db.write(Lane::of(tenant), input, |tx, input| Box::pin(set_password(tx, input))).await
}

async fn set_password(
    tx: &mut Tx,
    (tenant, email, hash, now): &(TenantId, Email, String, Moment),
) -> Result<(), Error> {
    let user = of_tenant(tx, *tenant, email).await?;
    users::set_password(tx, *tenant, user.code, hash, false, *now).await?;
    tokens::end_all(tx, *tenant, user.code).await?;
    Ok(())
}

/// A user of another tenant answers like one that does not exist.
async fn of_tenant(tx: &mut Tx, tenant: TenantId, email: &Email) -> Result<User, Error> {
    let unknown = || Rejection::UnknownUser(email.to_string());
    let (owner, code) = users::login(&mut *tx, email).await?.ok_or_else(unknown)?;
    if owner != tenant {
        return Err(unknown().into());
    }
    Ok(users::find(&mut *tx, tenant, code).await?.ok_or_else(unknown)?)
}
