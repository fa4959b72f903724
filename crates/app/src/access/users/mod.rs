//! Users: creation, listing, disabling, passwords and ending sessions. Every change that ends a session raises the
//! tenant's access version in its transaction, and this process adopts it at once. Operations of administrators on a
//! user by code are in `manage.rs`.

mod manage;

pub use manage::{
    ChangeUser, ChangeUserOutcome, UserSearchQuery, change_user, end_user_sessions, list_user_page,
    read_user, send_new_password,
};

use crate::access::login_audit::build_user_change;
use crate::access::{AccountActor, Session};
use crate::error::collect_problem;
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::mail::{self, Addressee, UserNotice};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, BranchCode, DisplayName, Email, InputField, Moment, Password,
    PasswordOwner, Rejection, Role, Scope, TenantId, User, UserCode,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use storage::access::users;
use storage::access::{logins, password_resets, tokens};
use storage::registers::branches;
use storage::server::counters::{self, Counter};
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

#[derive(Debug)]
pub struct CreateUser {
    pub tenant: TenantId,
    pub name: DisplayName,
    pub email: Email,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub password: InitialPassword,
}

#[derive(Debug)]
pub enum InitialPassword {
    /// Chosen by the user.
    Chosen(Password),
    /// Generated and mailed to the user: it never appears on a screen, and the console requires a change.
    Mailed,
}

/// A hashed password ready to be written.
#[derive(Clone)]
struct PreparedPassword {
    hash: String,
    /// The password to mail; `None` if the user chose it.
    mailed: Option<Password>,
    /// The chosen password, to be checked against the user's own data.
    chosen: Option<Password>,
}

#[derive(Clone)]
pub(crate) struct PreparedUser {
    tenant: TenantId,
    name: DisplayName,
    email: Email,
    role: Role,
    branches: Vec<BranchCode>,
    secret: PreparedPassword,
    server: Arc<str>,
    now: Moment,
    context: UserCreationContext,
}

impl PreparedUser {
    /// A copy for a tenant that did not exist yet when the password was hashed.
    pub(crate) fn with_tenant(self, tenant: TenantId) -> PreparedUser {
        PreparedUser { tenant, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct UserCreationContext {
    /// A fixed code for the new user.
    pub code: Option<UserCode>,
    pub by: AccountActor,
}

const CREATE: AccountActor = AccountActor::for_command(AuditedOperation::UserCreateCommand);
const DISABLE: AccountActor = AccountActor::for_command(AuditedOperation::UserDisableCommand);
const RESET: AccountActor = AccountActor::for_command(AuditedOperation::UserResetCommand);
const LOGOUT: AccountActor = AccountActor::for_command(AuditedOperation::UserLogoutCommand);
/// The operation by which administrators create users.
pub const BY_ADMINISTRATOR: AuditedOperation = AuditedOperation::CreateUser;

/// Whether a user of this role may have these branches; separate from [`create_user`] for callers that collect every
/// problem.
pub fn check_branches(role: Role, branches: &[BranchCode]) -> Result<(), Rejection> {
    match branches {
        [] if !role.has_every_branch() => Err(Rejection::NoBranch),
        _ => Ok(()),
    }
}

/// Creates a user from the command line. A generated password is mailed in the same transaction, so that no user
/// exists without the mail.
#[boxed::future]
pub async fn create_user(app: &App, new: CreateUser) -> Result<User, Error> {
    create_user_as(app, new, CREATE).await
}

/// As [`create_user`], for another actor.
#[boxed::future]
pub async fn create_user_as(app: &App, new: CreateUser, actor: AccountActor) -> Result<User, Error> {
    let entry = prepare_user(app, new, UserCreationContext { code: None, by: actor }).await?;
    app.db
        .write(WriteLane::foreground(entry.tenant), entry, |tx, entry| Box::pin(insert_user(tx, entry)))
        .await
}

/// As [`create_user`], with an idempotency key.
#[boxed::future]
pub async fn create_user_once(
    app: &App,
    new: CreateUser,
    context: UserCreationContext,
    once: IdempotentWrite<User>,
) -> Result<WriteOutcome<User>, Error> {
    let entry = prepare_user(app, new, context).await?;
    idempotency::write_idempotently(app, WriteLane::foreground(entry.tenant), once, entry, |tx, entry| {
        Box::pin(insert_user(tx, entry))
    })
    .await
}

pub(crate) async fn prepare_user(
    app: &App,
    new: CreateUser,
    context: UserCreationContext,
) -> Result<PreparedUser, Error> {
    let CreateUser { tenant, name, email, role, branches, password } = new;
    let branches = normalize_branches(role, branches);
    let secret = match password {
        InitialPassword::Chosen(password) => prepare_chosen_password(app, password).await?,
        InitialPassword::Mailed => prepare_generated_password(app).await?,
    };
    let server = Arc::clone(&app.public_url);
    Ok(PreparedUser { tenant, name, email, role, branches, secret, server, now: app.now(), context })
}

/// Deduplicated and sorted; empty for a role that has every branch.
fn normalize_branches(role: Role, codes: impl IntoIterator<Item = BranchCode>) -> Vec<BranchCode> {
    let codes: BTreeSet<BranchCode> = codes.into_iter().filter(|_| !role.has_every_branch()).collect();
    codes.into_iter().collect()
}

async fn prepare_chosen_password(app: &App, password: Password) -> Result<PreparedPassword, Error> {
    let hash = app.passwords.hash(password.clone(), &*app.chance).await?;
    Ok(PreparedPassword { hash, mailed: None, chosen: Some(password) })
}

async fn prepare_generated_password(app: &App) -> Result<PreparedPassword, Error> {
    let password = Password::generate(&*app.chance);
    let hash = app.passwords.hash(password.clone(), &*app.chance).await?;
    Ok(PreparedPassword { hash, mailed: Some(password), chosen: None })
}

/// The problem with a chosen password, checked against the user's name, address and association.
pub(crate) async fn check_chosen_password(
    tx: &mut Tx,
    tenant: TenantId,
    (name, email): (&str, &str),
    password: &Password,
) -> Result<Option<Rejection>, Error> {
    let association =
        storage::server::tenants::find_tenant(&mut *tx, tenant).await?.map(|tenant| tenant.name);
    let owner = PasswordOwner { email, name, association: association.as_deref().unwrap_or_default() };
    Ok(password.check_against(&owner).err())
}

pub(crate) async fn insert_user(tx: &mut Tx, new: &PreparedUser) -> Result<User, Error> {
    let mut problems = find_bad_branches(tx, new.tenant, (new.role, &new.branches), &[]).await?;
    if users::find_login_owner(&mut *tx, &new.email).await?.is_some() {
        problems.push(Rejection::EmailTaken(new.email.to_string()));
    }
    if let Some(code) = new.context.code
        && users::find_user(&mut *tx, new.tenant, code).await?.is_some()
    {
        problems.push(Rejection::CodeTaken { field: InputField::User, code: code.get() });
    }
    if let Some(password) = &new.secret.chosen {
        let owner = (new.name.as_str(), new.email.as_str());
        problems.extend(check_chosen_password(tx, new.tenant, owner, password).await?);
    }
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let code = match new.context.code {
        Some(code) => {
            counters::advance_counter(tx, new.tenant, Counter::User, code.get()).await?;
            code
        }
        None => UserCode::new(counters::reserve_number(tx, new.tenant, Counter::User).await?),
    };
    let row = users::NewUserRow {
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
    users::insert_user(tx, &row).await?;
    if !users::reserve_login(tx, &new.email, new.tenant, code).await? {
        return Err(Rejection::EmailTaken(new.email.to_string()).into());
    }
    if let Some(password) = &new.secret.mailed {
        let to = Addressee { tenant: new.tenant, name: new.name.as_str(), email: new.email.as_str() };
        mail::enqueue_mail(tx, &new.server, to, UserNotice::FirstPassword(password), new.now).await?;
    }
    new.context.by.record(tx, new.tenant, build_user_change(AuditedAction::Create, code), new.now).await?;
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

/// Problems with the branches of a user in this role. A branch the user already has may be inactive.
async fn find_bad_branches(
    tx: &mut Tx,
    tenant: TenantId,
    (role, requested): (Role, &[BranchCode]),
    current: &[BranchCode],
) -> Result<Vec<Rejection>, Error> {
    let there = branches::list_visible_branches(&mut *tx, &Scope::for_tenant(tenant)).await?;
    let is_there = |code: &BranchCode| there.iter().any(|branch| branch.code == *code && branch.active);
    let unknown = requested.iter().filter(|code| !is_there(code) && !current.contains(code));
    let mut problems: Vec<Rejection> = unknown.map(|code| Rejection::UnknownBranch(*code)).collect();
    problems.extend(check_branches(role, requested).err());
    Ok(problems)
}

/// Account activity shown to administrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountActivity {
    /// `None` if there was no login for thirty days.
    pub last_entered: Option<Moment>,
    pub second_factor_since: Option<Moment>,
}

/// Account activity of the users of the caller's association; users without any are absent.
#[boxed::future]
pub async fn list_account_activity(
    app: &App,
    caller: &Session,
) -> Result<HashMap<UserCode, AccountActivity>, Error> {
    caller.require_role(&[Role::Administrator])?;
    let tenant = caller.scope.tenant();
    let mut habits: HashMap<UserCode, AccountActivity> = HashMap::new();
    for (user, at) in logins::list_last_sign_ins(&app.db, tenant).await? {
        habits.entry(user).or_default().last_entered = Some(at);
    }
    for (user, since) in storage::access::second_factors::list_confirmed_factors(&app.db, tenant).await? {
        habits.entry(user).or_default().second_factor_since = Some(since);
    }
    Ok(habits)
}

/// The users visible to the scope, by code.
#[boxed::future]
pub async fn list_users(app: &App, scope: &Scope) -> Result<Vec<User>, Error> {
    Ok(users::list_visible_users(&app.db, scope).await?)
}

/// Disables a user and ends their sessions and open links. Idempotent.
#[boxed::future]
pub async fn disable_user(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, input| Box::pin(write_disabled_user(tx, input)))
        .await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn write_disabled_user(
    tx: &mut Tx,
    (tenant, email, now): &(TenantId, Email, Moment),
) -> Result<CacheVersions, Error> {
    let user = load_user_by_email(tx, *tenant, email).await?;
    refuse_last_administrator(tx, *tenant, &user).await?;
    users::deactivate_user(tx, *tenant, user.code, *now).await?;
    password_resets::delete_password_resets(tx, *tenant, user.code).await?;
    let change = build_user_change(AuditedAction::Change, user.code).with_fields(["ativo"]);
    DISABLE.record(tx, *tenant, change, *now).await?;
    end_open_sessions(tx, *tenant, user.code).await
}

/// An association always keeps at least one active administrator.
async fn refuse_last_administrator(tx: &mut Tx, tenant: TenantId, user: &User) -> Result<(), Error> {
    let is_administrator = user.active && user.role == Role::Administrator;
    if is_administrator && !users::has_other_administrator(&mut *tx, tenant, user.code).await? {
        return Err(Rejection::LastAdministrator(user.email.clone()).into());
    }
    Ok(())
}

/// Ends the sessions of a user, who can log in again with the same password.
#[boxed::future]
pub async fn end_sessions_by_email(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, input| Box::pin(write_ended_sessions(tx, input)))
        .await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn write_ended_sessions(
    tx: &mut Tx,
    (tenant, email, now): &(TenantId, Email, Moment),
) -> Result<CacheVersions, Error> {
    let user = load_user_by_email(tx, *tenant, email).await?;
    LOGOUT.record(tx, *tenant, build_user_change(AuditedAction::EndSessions, user.code), *now).await?;
    end_open_sessions(tx, *tenant, user.code).await
}

/// Revokes the user's tokens and invalidates cached sessions.
async fn end_open_sessions(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<CacheVersions, Error> {
    tokens::revoke_user_tokens(tx, tenant, user).await?;
    Ok(versions::raise_access_version(tx, tenant).await?)
}

/// Sets a chosen password from the command line, and ends the user's sessions and open links.
#[boxed::future]
pub async fn reset_password(app: &App, tenant: TenantId, email: &str, password: &str) -> Result<(), Error> {
    reset_password_as(app, tenant, (email, password), RESET).await
}

/// As [`reset_password`], for another actor.
pub(crate) async fn reset_password_as(
    app: &App,
    tenant: TenantId,
    (email, password): (&str, &str),
    actor: AccountActor,
) -> Result<(), Error> {
    let mut problems = Vec::new();
    let email = collect_problem(&mut problems, Email::parse(email));
    let password = collect_problem(&mut problems, Password::parse(password));
    let (Some(email), Some(password)) = (email, password) else { return Err(Error::Refused(problems)) };
    let secret = prepare_chosen_password(app, password).await?;
    apply_replacement(app, tenant, email, (secret, actor)).await
}

/// Mails a new generated password from the command line, and ends the user's sessions and open links.
#[boxed::future]
pub async fn resend_password(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let (email, secret) = (Email::parse(email)?, prepare_generated_password(app).await?);
    apply_replacement(app, tenant, email, (secret, RESET)).await
}

struct PasswordReplacement {
    tenant: TenantId,
    email: Email,
    secret: PreparedPassword,
    by: AccountActor,
    server: Arc<str>,
    now: Moment,
}

async fn apply_replacement(
    app: &App,
    tenant: TenantId,
    email: Email,
    (secret, actor): (PreparedPassword, AccountActor),
) -> Result<(), Error> {
    let (server, now) = (Arc::clone(&app.public_url), app.now());
    let new = PasswordReplacement { tenant, email, secret, by: actor, server, now };
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), new, |tx, new| Box::pin(write_replacement(tx, new)))
        .await?;
    app.memory.raise(tenant, raised);
    Ok(())
}

async fn write_replacement(tx: &mut Tx, new: &PasswordReplacement) -> Result<CacheVersions, Error> {
    let user = load_user_by_email(tx, new.tenant, &new.email).await?;
    let raised = give_password(tx, new.tenant, &user, &new.secret, (&new.server, new.now)).await?;
    let action = match new.by.user == Some(user.code) {
        true => AuditedAction::ChangeOwnPassword,
        false => AuditedAction::ReplacePassword,
    };
    new.by.record(tx, new.tenant, build_user_change(action, user.code), new.now).await?;
    Ok(raised)
}

/// Sets a password, and notifies the user if the account is active.
async fn give_password(
    tx: &mut Tx,
    tenant: TenantId,
    user: &User,
    secret: &PreparedPassword,
    (server, now): (&str, Moment),
) -> Result<CacheVersions, Error> {
    if secret.mailed.is_some() && !user.active {
        return Err(Rejection::DisabledUser(user.email.clone()).into());
    }
    if let Some(password) = &secret.chosen
        && let Some(problem) = check_chosen_password(tx, tenant, (&user.name, &user.email), password).await?
    {
        return Err(problem.into());
    }
    let raised = replace_password(tx, tenant, user.code, &secret.hash, secret.mailed.is_some(), now).await?;
    if user.active {
        let to = Addressee { tenant, name: &user.name, email: &user.email };
        let message = secret.mailed.as_ref().map_or(UserNotice::PasswordChanged, UserNotice::FirstPassword);
        mail::enqueue_mail(tx, server, to, message, now).await?;
    }
    Ok(raised)
}

/// Replaces a password: ends sessions and links, and forgets known addresses, which may belong to someone who had the
/// old password.
pub(crate) async fn replace_password(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    hash: &str,
    must_change: bool,
    now: Moment,
) -> Result<CacheVersions, Error> {
    users::update_password(tx, tenant, user, hash, must_change, now).await?;
    password_resets::delete_password_resets(tx, tenant, user).await?;
    logins::delete_known_addresses(tx, tenant, user).await?;
    end_open_sessions(tx, tenant, user).await
}

/// A user of another tenant gives the same answer as an unknown user.
pub(crate) async fn load_user_by_email(tx: &mut Tx, tenant: TenantId, email: &Email) -> Result<User, Error> {
    let unknown = || Rejection::UnknownUser(email.to_string());
    let (owner, code) = users::find_login_owner(&mut *tx, email).await?.ok_or_else(unknown)?;
    if owner != tenant {
        return Err(unknown().into());
    }
    Ok(users::find_user(&mut *tx, tenant, code).await?.ok_or_else(unknown)?)
}
