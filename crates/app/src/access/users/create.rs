//! Creates a user.

use crate::access::login_audit::build_user_change;
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::mail::{self, Addressee, UserNotice};
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, BranchCode, DisplayName, Email, InputField, Moment, MoneyRights,
    Password, PasswordOwner, Rejection, Role, Scope, TenantId, User, UserCode,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use storage::access::users;
use storage::registers::branches;
use storage::server::counters::{self, Counter};
use storage::{Tx, WriteLane};

#[derive(Debug)]
pub struct NewUserInput {
    pub tenant: TenantId,
    pub name: DisplayName,
    pub email: Email,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub money_rights: MoneyRights,
    pub gets_old_search_answer: bool,
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
pub(super) struct PreparedPassword {
    pub(super) hash: String,
    /// The password to mail; `None` if the user chose it.
    pub(super) mailed: Option<Password>,
    /// The chosen password, to be checked against the user's own data.
    pub(super) chosen: Option<Password>,
}

#[derive(Clone)]
pub(crate) struct PreparedUser {
    tenant: TenantId,
    name: DisplayName,
    email: Email,
    role: Role,
    branches: Vec<BranchCode>,
    money_rights: MoneyRights,
    gets_old_search_answer: bool,
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
pub async fn create_user(app: &App, new: NewUserInput) -> Result<User, Error> {
    create_user_as(app, new, CREATE).await
}

/// As [`create_user`], for another actor.
#[boxed::future]
pub async fn create_user_as(app: &App, new: NewUserInput, actor: AccountActor) -> Result<User, Error> {
    let entry = prepare_user(app, new, UserCreationContext { code: None, by: actor }).await?;
    app.db
        .write(WriteLane::foreground(entry.tenant), entry, |tx, entry| Box::pin(insert_user(tx, entry)))
        .await
}

/// As [`create_user`], with an idempotency key.
#[boxed::future]
pub async fn create_user_once(
    app: &App,
    new: NewUserInput,
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
    new: NewUserInput,
    context: UserCreationContext,
) -> Result<PreparedUser, Error> {
    let branches = normalize_branches(new.role, new.branches);
    let secret = match new.password {
        InitialPassword::Chosen(password) => prepare_chosen_password(app, password).await?,
        InitialPassword::Mailed => prepare_generated_password(app).await?,
    };
    Ok(PreparedUser {
        tenant: new.tenant,
        name: new.name,
        email: new.email,
        role: new.role,
        branches,
        money_rights: new.money_rights,
        gets_old_search_answer: new.gets_old_search_answer,
        secret,
        server: Arc::clone(&app.public_url),
        now: app.now(),
        context,
    })
}

/// Deduplicated and sorted; empty for a role that has every branch.
pub(super) fn normalize_branches(role: Role, codes: impl IntoIterator<Item = BranchCode>) -> Vec<BranchCode> {
    let codes: BTreeSet<BranchCode> = codes.into_iter().filter(|_| !role.has_every_branch()).collect();
    codes.into_iter().collect()
}

pub(super) async fn prepare_chosen_password(
    app: &App,
    password: Password,
) -> Result<PreparedPassword, Error> {
    let hash = app.passwords.hash(password.clone(), &*app.random_source).await?;
    Ok(PreparedPassword { hash, mailed: None, chosen: Some(password) })
}

pub(super) async fn prepare_generated_password(app: &App) -> Result<PreparedPassword, Error> {
    let password = Password::generate(&*app.random_source);
    let hash = app.passwords.hash(password.clone(), &*app.random_source).await?;
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
        money_rights: new.money_rights,
        gets_old_search_answer: new.gets_old_search_answer,
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
        stored_money_rights: new.money_rights,
        gets_old_search_answer: new.gets_old_search_answer,
        version: 1,
        updated_at: new.now,
    })
}

/// Problems with the branches of a user in this role. A branch the user already has may be inactive.
pub(super) async fn find_bad_branches(
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
