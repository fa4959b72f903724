//! Users: created, listed, disabled, given a new password, their sessions ended. Whatever ends a session raises the
//! tenant's version of access in its unit, and this process takes it over at once. What administrators do to users of
//! whom they know the code is in `managed.rs`.

mod managed;

pub use managed::{Changed, Changes, Wanted, change, end_sessions_of, one, page, send_password};

use crate::access::{Actor, Session};
use crate::error::collect;
use crate::mail::{self, Addressee, Message};
use crate::once::{self, Done, Once};
use crate::{App, Error};
use domain::{
    BranchCode, Email, Field, Moment, Name, Password, PasswordOwner, Rejection, Role, Scope, TenantId,
    UserCode,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use storage::counters::{self, Counter};
use storage::users;
use storage::versions::{self, Versions};
use storage::{Lane, Tx, branches, logins, password_resets, tokens};

pub use storage::users::User;

#[derive(Debug)]
pub struct NewUser {
    pub tenant: TenantId,
    pub name: Name,
    pub email: Email,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub password: Initial,
}

/// The password with which a user begins.
#[derive(Debug)]
pub enum Initial {
    /// His own choice.
    Chosen(Password),
    /// Generated and sent to his address: nobody sees it on a screen, and the console has him change it.
    Mailed,
}

/// A password on its way into the database.
#[derive(Clone)]
struct Secret {
    hash: String,
    /// What his mail says; `None` where he chose it.
    mailed: Option<Password>,
    /// What its owner chose, to be judged by what is known of the owner.
    chosen: Option<Password>,
}

#[derive(Clone)]
pub(crate) struct Entry {
    tenant: TenantId,
    name: Name,
    email: Email,
    role: Role,
    branches: Vec<BranchCode>,
    secret: Secret,
    server: Arc<str>,
    now: Moment,
    kept: Kept,
}

impl Entry {
    /// The same user in a tenant that was not there yet when the password was hashed.
    pub(crate) fn in_tenant(self, tenant: TenantId) -> Entry {
        Entry { tenant, ..self }
    }
}

/// What else is known of a user who is created.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The code that he is to have.
    pub code: Option<UserCode>,
    pub by: Actor,
}

const CREATE: Actor = Actor::command("amparo user create");
const DISABLE: Actor = Actor::command("amparo user disable");
const RESET: Actor = Actor::command("amparo user reset");
const LOGOUT: Actor = Actor::command("amparo user logout");
/// The operation by which administrators create users.
pub const BY_ADMINISTRATOR: &str = "POST /gestao/usuario";

/// Whether a user of this role may have these branches; apart from [`create`] for callers that collect every problem.
pub fn check_branches(role: Role, branches: &[BranchCode]) -> Result<(), Rejection> {
    match branches {
        [] if !role.has_every_branch() => Err(Rejection::NoBranch),
        _ => Ok(()),
    }
}

/// Creates a user, by a command. A generated password is mailed in the same unit: there is no such user without his mail.
#[boxed::future]
pub async fn create(app: &App, new: NewUser) -> Result<User, Error> {
    create_by(app, new, CREATE).await
}

/// The same for somebody else.
pub(crate) async fn create_by(app: &App, new: NewUser, by: Actor) -> Result<User, Error> {
    let entry = entry(app, new, Kept { code: None, by }).await?;
    app.db.write(Lane::of(entry.tenant), entry, |tx, entry| Box::pin(insert(tx, entry))).await
}

/// As [`create`], once however often it is asked for.
#[boxed::future]
pub async fn create_once(app: &App, new: NewUser, kept: Kept, once: Once<User>) -> Result<Done<User>, Error> {
    let entry = entry(app, new, kept).await?;
    once::write(app, Lane::of(entry.tenant), once, entry, |tx, entry| Box::pin(insert(tx, entry))).await
}

pub(crate) async fn entry(app: &App, new: NewUser, kept: Kept) -> Result<Entry, Error> {
    let NewUser { tenant, name, email, role, branches, password } = new;
    let branches = own_branches(role, branches);
    let secret = match password {
        Initial::Chosen(password) => chosen(app, password).await?,
        Initial::Mailed => generated(app).await?,
    };
    let server = Arc::clone(&app.public_url);
    Ok(Entry { tenant, name, email, role, branches, secret, server, now: app.now(), kept })
}

/// Each once, by code. Who has every branch is given none.
fn own_branches(role: Role, given: impl IntoIterator<Item = BranchCode>) -> Vec<BranchCode> {
    let given: BTreeSet<BranchCode> = given.into_iter().filter(|_| !role.has_every_branch()).collect();
    given.into_iter().collect()
}

async fn chosen(app: &App, password: Password) -> Result<Secret, Error> {
    let hash = app.passwords.hash(password.clone(), &*app.chance).await?;
    Ok(Secret { hash, mailed: None, chosen: Some(password) })
}

async fn generated(app: &App) -> Result<Secret, Error> {
    let password = Password::generated(&*app.chance);
    let hash = app.passwords.hash(password.clone(), &*app.chance).await?;
    Ok(Secret { hash, mailed: Some(password), chosen: None })
}

/// What speaks against a password that its owner chose: what is known of the owner, in the owner's association.
pub(crate) async fn judge_chosen(
    tx: &mut Tx,
    tenant: TenantId,
    (name, email): (&str, &str),
    password: &Password,
) -> Result<Option<Rejection>, Error> {
    let association = storage::tenants::find(&mut *tx, tenant).await?.map(|tenant| tenant.name);
    let owner = PasswordOwner { email, name, association: association.as_deref().unwrap_or_default() };
    Ok(password.check_against(&owner).err())
}

pub(crate) async fn insert(tx: &mut Tx, new: &Entry) -> Result<User, Error> {
    let mut problems = bad_branches(tx, new.tenant, (new.role, &new.branches), &[]).await?;
    if users::login(&mut *tx, &new.email).await?.is_some() {
        problems.push(Rejection::EmailTaken(new.email.to_string()));
    }
    if let Some(code) = new.kept.code
        && users::find(&mut *tx, new.tenant, code).await?.is_some()
    {
        problems.push(Rejection::CodeTaken { field: Field::User, code: code.get() });
    }
    if let Some(password) = &new.secret.chosen {
        let owner = (new.name.as_str(), new.email.as_str());
        problems.extend(judge_chosen(tx, new.tenant, owner, password).await?);
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let code = match new.kept.code {
        Some(code) => {
            counters::reach(tx, new.tenant, Counter::User, code.get()).await?;
            code
        }
        None => UserCode::new(counters::next(tx, new.tenant, Counter::User).await?),
    };
    let row = users::NewUser {
        tenant: new.tenant,
        code,
        name: &new.name,
        email: &new.email,
        role: new.role,
        branches: &new.branches,
        password_hash: &new.secret.hash,
        must_change_password: new.secret.mailed.is_some(),
        now: new.now,
    };
    users::insert(tx, &row).await?;
    if !users::claim_login(tx, &new.email, new.tenant, code).await? {
        return Err(Rejection::EmailTaken(new.email.to_string()).into());
    }
    if let Some(password) = &new.secret.mailed {
        let to = Addressee { tenant: new.tenant, name: new.name.as_str(), email: new.email.as_str() };
        mail::write(tx, &new.server, to, Message::FirstPassword(password), new.now).await?;
    }
    new.kept.by.record(tx, new.tenant, format!("usuário {code} criado"), new.now).await?;
    Ok(User {
        code,
        name: new.name.to_string(),
        email: new.email.to_string(),
        role: new.role,
        active: true,
        branches: new.branches.clone(),
        version: 1,
        updated_at: new.now,
    })
}

/// What speaks against the branches of a user in this role. One that he has already may be out of use meanwhile.
async fn bad_branches(
    tx: &mut Tx,
    tenant: TenantId,
    (role, wanted): (Role, &[BranchCode]),
    had: &[BranchCode],
) -> Result<Vec<Rejection>, Error> {
    let there = branches::visible(&mut *tx, &Scope::whole(tenant)).await?;
    let is_there = |code: &BranchCode| there.iter().any(|branch| branch.code == *code && branch.active);
    let unknown = wanted.iter().filter(|code| !is_there(code) && !had.contains(code));
    let mut problems: Vec<Rejection> = unknown.map(|code| Rejection::UnknownBranch(*code)).collect();
    problems.extend(check_branches(role, wanted).err());
    Ok(problems)
}

/// What administrators want to know of each user besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    /// None where he has not for thirty days.
    pub last_entered: Option<Moment>,
    pub second_factor_since: Option<Moment>,
}

/// The habits of the users of the caller's association; of whom nothing is known is absent.
#[boxed::future]
pub async fn habits(app: &App, caller: &Session) -> Result<HashMap<UserCode, Habit>, Error> {
    caller.must_be(&[Role::Administrator])?;
    let tenant = caller.scope.tenant();
    let mut habits: HashMap<UserCode, Habit> = HashMap::new();
    for (user, at) in logins::last_seen(&app.db, tenant).await? {
        habits.entry(user).or_default().last_entered = Some(at);
    }
    for (user, since) in storage::second_factors::all(&app.db, tenant).await? {
        habits.entry(user).or_default().second_factor_since = Some(since);
    }
    Ok(habits)
}

/// The users that the scope sees, by code.
#[boxed::future]
pub async fn list(app: &App, scope: &Scope) -> Result<Vec<User>, Error> {
    Ok(users::visible(&app.db, scope).await?)
}

/// Disables a user, ends his sessions and his open links. Doing it again changes nothing.
#[boxed::future]
pub async fn disable(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    let raised = app.db.write(Lane::of(tenant), input, |tx, input| Box::pin(deactivate(tx, input))).await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn deactivate(
    tx: &mut Tx,
    (tenant, email, now): &(TenantId, Email, Moment),
) -> Result<Versions, Error> {
    let user = of_tenant(tx, *tenant, email).await?;
    refuse_last(tx, *tenant, &user).await?;
    users::deactivate(tx, *tenant, user.code, *now).await?;
    password_resets::end_all(tx, *tenant, user.code).await?;
    DISABLE.record(tx, *tenant, format!("usuário {} alterado: ativo", user.code), *now).await?;
    end(tx, *tenant, user.code).await
}

/// An association is never left without somebody who runs it.
async fn refuse_last(tx: &mut Tx, tenant: TenantId, user: &User) -> Result<(), Error> {
    let is_administrator = user.active && user.role == Role::Administrator;
    if is_administrator && !users::another_administrator(&mut *tx, tenant, user.code).await? {
        return Err(Rejection::LastAdministrator(user.email.clone()).into());
    }
    Ok(())
}

/// Ends the sessions of a user; he may begin others with the password he has.
#[boxed::future]
pub async fn end_sessions(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    let raised = app.db.write(Lane::of(tenant), input, |tx, input| Box::pin(end_all(tx, input))).await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn end_all(tx: &mut Tx, (tenant, email, now): &(TenantId, Email, Moment)) -> Result<Versions, Error> {
    let user = of_tenant(tx, *tenant, email).await?;
    LOGOUT.record(tx, *tenant, format!("usuário {} teve as sessões encerradas", user.code), *now).await?;
    end(tx, *tenant, user.code).await
}

/// Ends what a user has open, here and in whatever a process remembers of it.
async fn end(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<Versions, Error> {
    tokens::end_all(tx, tenant, user).await?;
    Ok(versions::raise_access(tx, tenant).await?)
}

/// Gives a user a new password that its owner chose, by a command, and ends his sessions and open links.
#[boxed::future]
pub async fn reset(app: &App, tenant: TenantId, email: &str, password: &str) -> Result<(), Error> {
    reset_by(app, tenant, (email, password), RESET).await
}

/// The same for somebody else.
pub(crate) async fn reset_by(
    app: &App,
    tenant: TenantId,
    (email, password): (&str, &str),
    by: Actor,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let email = collect(&mut problems, Email::parse(email));
    let password = collect(&mut problems, Password::parse(password));
    let (Some(email), Some(password)) = (email, password) else { return Err(Error::Refused(problems)) };
    let secret = chosen(app, password).await?;
    replace(app, tenant, email, (secret, by)).await
}

/// Sends a user a new generated password, by a command, and ends his sessions and open links.
#[boxed::future]
pub async fn resend_password(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let (email, secret) = (Email::parse(email)?, generated(app).await?);
    replace(app, tenant, email, (secret, RESET)).await
}

struct Replacement {
    tenant: TenantId,
    email: Email,
    secret: Secret,
    by: Actor,
    server: Arc<str>,
    now: Moment,
}

async fn replace(
    app: &App,
    tenant: TenantId,
    email: Email,
    (secret, by): (Secret, Actor),
) -> Result<(), Error> {
    let (server, now) = (Arc::clone(&app.public_url), app.now());
    let new = Replacement { tenant, email, secret, by, server, now };
    let raised = app.db.write(Lane::of(tenant), new, |tx, new| Box::pin(set_password(tx, new))).await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn set_password(tx: &mut Tx, new: &Replacement) -> Result<Versions, Error> {
    let user = of_tenant(tx, new.tenant, &new.email).await?;
    let raised = give_password(tx, new.tenant, &user, &new.secret, (&new.server, new.now)).await?;
    let done = match new.by.user == Some(user.code) {
        true => "trocou a própria senha",
        false => "recebeu outra senha",
    };
    new.by.record(tx, new.tenant, format!("usuário {} {done}", user.code), new.now).await?;
    Ok(raised)
}

/// Gives a user a password, and tells him of it where he may enter.
async fn give_password(
    tx: &mut Tx,
    tenant: TenantId,
    user: &User,
    secret: &Secret,
    (server, now): (&str, Moment),
) -> Result<Versions, Error> {
    if secret.mailed.is_some() && !user.active {
        return Err(Rejection::DisabledUser(user.email.clone()).into());
    }
    if let Some(password) = &secret.chosen
        && let Some(problem) = judge_chosen(tx, tenant, (&user.name, &user.email), password).await?
    {
        return Err(problem.into());
    }
    let raised = replace_password(tx, tenant, user.code, &secret.hash, secret.mailed.is_some(), now).await?;
    if user.active {
        let to = Addressee { tenant, name: &user.name, email: &user.email };
        let message = secret.mailed.as_ref().map_or(Message::PasswordChanged, Message::FirstPassword);
        mail::write(tx, server, to, message, now).await?;
    }
    Ok(raised)
}

/// A new password in place of the old one: whatever was open under that ends, sessions and links, and no address is known
/// any more, for it may be that of whoever had the old password.
pub(crate) async fn replace_password(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    hash: &str,
    must_change: bool,
    now: Moment,
) -> Result<Versions, Error> {
    users::set_password(tx, tenant, user, hash, must_change, now).await?;
    password_resets::end_all(tx, tenant, user).await?;
    logins::forget_addresses(tx, tenant, user).await?;
    end(tx, tenant, user).await
}

/// A user of another tenant answers like one that does not exist.
pub(crate) async fn of_tenant(tx: &mut Tx, tenant: TenantId, email: &Email) -> Result<User, Error> {
    let unknown = || Rejection::UnknownUser(email.to_string());
    let (owner, code) = users::login(&mut *tx, email).await?.ok_or_else(unknown)?;
    if owner != tenant {
        return Err(unknown().into());
    }
    Ok(users::find(&mut *tx, tenant, code).await?.ok_or_else(unknown)?)
}
