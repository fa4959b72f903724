//! User management for administrators. A change of rights takes effect at once in this process and within two seconds
//! in every other: cached sessions are reloaded, and those of a disabled user end.

use super::{
    PreparedPassword, StoredUser, end_open_sessions, find_bad_branches, give_password, normalize_branches,
    prepare_generated_password, refuse_last_administrator,
};
use crate::access::login_audit::build_user_change;
use crate::access::{AccountActor, Session};
use crate::field_differences::{
    CurrentVersion, FieldDifference, FieldTexts, compare_fields, list_field_names, refuse_old_version,
};
use crate::idempotency::{self, IdempotentWrite, WriteOutcome};
use crate::mail::{self, Addressee, UserNotice};
use crate::members::search::SearchPage;
use crate::registers::snapshot::{TenantRegisters, load_registers};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, BranchCode, CallerAddress, DisplayName, Email,
    InputField, Moment, PAGE_SIZE, Rejection, Role, TenantId, TimeZone, UserCode, fold_text,
    has_word_beginnings, split_name_words,
};
use std::sync::Arc;
use storage::access::password_resets;
use storage::access::users;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

const CHANGE: AuditedOperation = AuditedOperation::ChangeUser;
const PASSWORD: AuditedOperation = AuditedOperation::SendUserPassword;
const END: AuditedOperation = AuditedOperation::EndUserSessions;

/// Filters for users; an empty field does not filter.
#[derive(Clone, Debug, Default)]
pub struct UserSearchQuery {
    /// Prefixes of words of the name, or a prefix of the address.
    pub filter: Option<String>,
    pub active: Option<bool>,
    pub role: Option<Role>,
    pub branch: Option<BranchCode>,
    /// Counted from 1.
    pub page: i32,
}

impl UserSearchQuery {
    fn matches(&self, user: &StoredUser) -> bool {
        let is_meant = |text: &String| {
            let words = split_name_words(text);
            fold_text(&user.email).starts_with(&fold_text(text.trim()))
                || (!words.is_empty() && has_word_beginnings(&words, &user.name))
        };
        self.filter.as_ref().is_none_or(is_meant)
            && self.active.is_none_or(|active| user.active == active)
            && self.role.is_none_or(|role| user.role == role)
            && self.branch.is_none_or(|branch| user.has_branch(branch))
    }
}

const PAGE: usize = PAGE_SIZE as usize;

/// A page of matching users, by name, then code. An association has at most hundreds of users, so all are read, and
/// comparisons that ignore case and accents run here.
#[boxed::future]
pub async fn list_user_page(
    app: &App,
    caller: &Session,
    query: UserSearchQuery,
) -> Result<SearchPage<StoredUser>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let mut all = users::list_visible_users(&app.db, &caller.scope).await?;
    all.retain(|user| query.matches(user));
    all.sort_by_cached_key(|user| (fold_text(&user.name), user.code));
    let total = all.len() as i64;
    let skip = usize::try_from(query.page - 1).unwrap_or_default().saturating_mul(PAGE);
    let rows = all.into_iter().skip(skip).take(PAGE).collect();
    Ok(SearchPage { rows, number: query.page, total, registers })
}

#[boxed::future]
pub async fn read_user(app: &App, caller: &Session, code: UserCode) -> Result<StoredUser, Error> {
    let found = users::find_user(&app.db, caller.scope.tenant(), code).await?;
    found.ok_or(Error::NotFound { field: InputField::User, code: code.get() })
}

/// Fields to change; absent ones stay.
#[derive(Clone, Debug)]
pub struct ChangeUser {
    pub version: i64,
    pub name: Option<DisplayName>,
    pub email: Option<Email>,
    pub role: Option<Role>,
    pub branches: Option<Vec<BranchCode>>,
    pub active: Option<bool>,
}

/// The changed user, and the cache versions raised by the change.
#[derive(Clone, Debug)]
pub struct ChangeUserOutcome {
    pub user: StoredUser,
    raised: Option<CacheVersions>,
}

struct UserAdminCommand<W> {
    tenant: TenantId,
    by: UserCode,
    address: Option<CallerAddress>,
    code: UserCode,
    what: W,
    zone: TimeZone,
    server: Arc<str>,
    now: Moment,
}

async fn prepare_command<W>(
    app: &App,
    caller: &Session,
    code: UserCode,
    what: W,
) -> Result<UserAdminCommand<W>, Error> {
    let tenant = caller.scope.tenant();
    let registers: Arc<TenantRegisters> = load_registers(app, tenant).await?;
    let (zone, server) = (registers.zone.clone(), Arc::clone(&app.public_url));
    let address = caller.address();
    Ok(UserAdminCommand { tenant, by: caller.user, address, code, what, zone, server, now: app.now() })
}

impl<W> UserAdminCommand<W> {
    async fn load_user(&self, tx: &mut Tx) -> Result<StoredUser, Error> {
        let found = users::find_user(&mut *tx, self.tenant, self.code).await?;
        found.ok_or(Error::NotFound { field: InputField::User, code: self.code.get() })
    }

    async fn record_audit(
        &self,
        tx: &mut Tx,
        operation: AuditedOperation,
        change: AuditedChange,
    ) -> Result<(), Error> {
        let actor = AccountActor { user: Some(self.by), operation, address: self.address };
        actor.record(tx, self.tenant, change, self.now).await.map(drop)
    }
}

/// Adopts the versions this process has just raised in the database.
fn adopt_raised_versions(
    app: &App,
    caller: &Session,
    outcome: WriteOutcome<ChangeUserOutcome>,
) -> WriteOutcome<ChangeUserOutcome> {
    if let WriteOutcome::Fresh(ChangeUserOutcome { raised: Some(raised), .. }) = &outcome {
        app.memory.raise(caller.scope.tenant(), *raised);
    }
    outcome
}

#[boxed::future]
pub async fn change_user(
    app: &App,
    caller: &Session,
    code: UserCode,
    changes: ChangeUser,
    once: IdempotentWrite<ChangeUserOutcome>,
) -> Result<WriteOutcome<ChangeUserOutcome>, Error> {
    let command = prepare_command(app, caller, code, changes).await?;
    let lane = WriteLane::foreground(command.tenant);
    let outcome = idempotency::write_idempotently(app, lane, once, command, |tx, command| {
        Box::pin(write_user_change(tx, command))
    })
    .await?;
    Ok(adopt_raised_versions(app, caller, outcome))
}

async fn write_user_change(
    tx: &mut Tx,
    command: &UserAdminCommand<ChangeUser>,
) -> Result<ChangeUserOutcome, Error> {
    let (tenant, changes) = (command.tenant, &command.what);
    let before = users::find_user(&mut *tx, tenant, command.code).await?;
    let old_branches = before.as_ref().map_or(&[][..], |before| &before.branches);
    // The input is validated before the code in the path.
    let anybody = if changes.branches.is_some() { Role::Operator } else { Role::Administrator };
    let role = changes.role.or(before.as_ref().map(|before| before.role)).unwrap_or(anybody);
    let new_branches =
        normalize_branches(role, changes.branches.clone().unwrap_or_else(|| old_branches.to_vec()));
    let problems = find_bad_branches(tx, tenant, (role, &new_branches), old_branches).await?;
    if !problems.is_empty() {
        return Err(Error::Refused(problems));
    }
    let before = before.ok_or(Error::NotFound { field: InputField::User, code: command.code.get() })?;
    let after = StoredUser {
        name: changes.name.as_ref().map_or(before.name.clone(), ToString::to_string),
        email: changes.email.as_ref().map_or(before.email.clone(), ToString::to_string),
        role,
        active: changes.active.unwrap_or(before.active),
        branches: new_branches,
        ..before.clone()
    };
    let differences = compare_fields(render_user_fields(&before), render_user_fields(&after));
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    if let Some(old) = refuse_old_version(changes.version, present, &command.zone, &differences) {
        return Err(old.into());
    }
    if differences.is_empty() {
        return Ok(ChangeUserOutcome { user: before, raised: None });
    }
    Box::pin(store_user_change(tx, command, before, after, &differences)).await
}

async fn store_user_change(
    tx: &mut Tx,
    command: &UserAdminCommand<ChangeUser>,
    before: StoredUser,
    mut after: StoredUser,
    differences: &[FieldDifference],
) -> Result<ChangeUserOutcome, Error> {
    let tenant = command.tenant;
    let leaves = before.active
        && before.role == Role::Administrator
        && !(after.active && after.role == Role::Administrator);
    if leaves && command.by == command.code {
        return Err(Rejection::OwnRights.into());
    }
    if leaves {
        refuse_last_administrator(tx, tenant, &before).await?;
    }
    let email = command.what.email.as_ref().filter(|email| email.as_str() != before.email);
    if let Some(email) = email
        && users::find_login_owner(&mut *tx, email).await?.is_some()
    {
        return Err(Rejection::EmailTaken(email.to_string()).into());
    }
    after.updated_at = command.now;
    users::update_user(tx, tenant, &after).await?;
    after.version += 1;
    if let Some(email) = email {
        users::delete_login(tx, &before.email, tenant, command.code).await?;
        if !users::reserve_login(tx, email, tenant, command.code).await? {
            return Err(Rejection::EmailTaken(email.to_string()).into());
        }
        // Readers of the old address must no longer be able to set a password.
        password_resets::delete_password_resets(tx, tenant, command.code).await?;
    }
    let is_disabled = before.active && !after.active;
    if is_disabled {
        password_resets::delete_password_resets(tx, tenant, command.code).await?;
    }
    let raised = match is_disabled || email.is_some() {
        true => end_open_sessions(tx, tenant, command.code).await?,
        false => versions::raise_access_version(tx, tenant).await?,
    };
    if email.is_some() {
        // Both addresses are notified: the owner of the account reads at least one of them.
        for (email, message) in
            [(&before.email, UserNotice::EmailLeft), (&after.email, UserNotice::EmailTaken)]
        {
            let to = Addressee { tenant, name: &after.name, email };
            mail::enqueue_mail(tx, &command.server, to, message, command.now).await?;
        }
    }
    let change =
        build_user_change(AuditedAction::Change, command.code).with_fields(list_field_names(differences));
    command.record_audit(tx, CHANGE, change).await?;
    Ok(ChangeUserOutcome { user: after, raised: Some(raised) })
}

fn render_user_fields(user: &StoredUser) -> FieldTexts {
    let branches: Vec<String> = user.branches.iter().map(ToString::to_string).collect();
    vec![
        ("nome", Some(user.name.clone())),
        ("email", Some(user.email.clone())),
        ("perfil", Some(wire::role(user.role).to_owned())),
        ("lojas", (!branches.is_empty()).then(|| branches.join(", "))),
        ("ativo", Some(user.active.to_string())),
    ]
}

/// Mails a user a new generated password, and ends their sessions and open links.
#[boxed::future]
pub async fn send_new_password(
    app: &App,
    caller: &Session,
    code: UserCode,
    reason: Option<String>,
    once: IdempotentWrite<ChangeUserOutcome>,
) -> Result<WriteOutcome<ChangeUserOutcome>, Error> {
    let command =
        prepare_command(app, caller, code, (prepare_generated_password(app).await?, reason)).await?;
    let lane = WriteLane::foreground(command.tenant);
    let outcome = idempotency::write_idempotently(app, lane, once, command, |tx, command| {
        Box::pin(write_sent_password(tx, command))
    })
    .await?;
    Ok(adopt_raised_versions(app, caller, outcome))
}

async fn write_sent_password(
    tx: &mut Tx,
    command: &UserAdminCommand<(PreparedPassword, Option<String>)>,
) -> Result<ChangeUserOutcome, Error> {
    let user = command.load_user(tx).await?;
    let (secret, reason) = &command.what;
    let raised = give_password(tx, command.tenant, &user, secret, (&command.server, command.now)).await?;
    let change =
        build_user_change(AuditedAction::ReplacePassword, command.code).with_reason(reason.as_deref());
    command.record_audit(tx, PASSWORD, change).await?;
    Ok(ChangeUserOutcome { user, raised: Some(raised) })
}

/// Ends the sessions of a user, who can log in again with the same password.
#[boxed::future]
pub async fn end_user_sessions(
    app: &App,
    caller: &Session,
    code: UserCode,
    reason: Option<String>,
    once: IdempotentWrite<ChangeUserOutcome>,
) -> Result<WriteOutcome<ChangeUserOutcome>, Error> {
    let command = prepare_command(app, caller, code, reason).await?;
    let lane = WriteLane::foreground(command.tenant);
    let outcome = idempotency::write_idempotently(app, lane, once, command, |tx, command| {
        Box::pin(write_session_end(tx, command))
    })
    .await?;
    Ok(adopt_raised_versions(app, caller, outcome))
}

async fn write_session_end(
    tx: &mut Tx,
    command: &UserAdminCommand<Option<String>>,
) -> Result<ChangeUserOutcome, Error> {
    let user = command.load_user(tx).await?;
    let raised = end_open_sessions(tx, command.tenant, command.code).await?;
    let change =
        build_user_change(AuditedAction::EndSessions, command.code).with_reason(command.what.as_deref());
    command.record_audit(tx, END, change).await?;
    Ok(ChangeUserOutcome { user, raised: Some(raised) })
}
