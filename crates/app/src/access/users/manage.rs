//! User management for administrators. A change of rights takes effect at once in this process and within two seconds
//! in every other: cached sessions are reloaded, and those of a disabled user end.

use super::create::{PreparedPassword, find_bad_branches, normalize_branches, prepare_generated_password};
use super::disable::{end_open_sessions, refuse_last_administrator};
use super::replace_password::give_password;
use crate::access::login_audit::build_user_change;
use crate::command::{WriteCommand, run_command};
use crate::idempotency::{IdempotentWrite, WriteOutcome};
use crate::mail::{self, Addressee, UserNotice};
use crate::register_snapshot::load_registers;
use crate::search_page::SearchPage;
use crate::session::{AccountActor, Session};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedChange, AuditedOperation, BranchCode, CallerAddress, DisplayName, Email,
    InputField, MoneyRights, PAGE_SIZE, Rejection, Role, User, UserCode, fold_text, has_word_beginnings,
    split_name_words,
};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::Tx;
use storage::access::password_resets;
use storage::access::users;
use storage::server::versions::{self, CacheVersions};
use wire::field_differences::{FieldDifference, compare_fields, list_field_names};
use wire::field_texts::FieldTexts;
use wire::record_version::{CurrentVersion, refuse_old_version};

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
    fn matches(&self, user: &User) -> bool {
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

const USERS_PER_PAGE: usize = PAGE_SIZE as usize;

/// A page of matching users, by name, then code. An association has at most hundreds of users, so all are read, and
/// comparisons that ignore case and accents run here.
#[boxed::future]
pub async fn list_user_page(
    app: &App,
    caller: &Session,
    query: UserSearchQuery,
) -> Result<SearchPage<User>, Error> {
    let registers = load_registers(app, caller.scope.tenant()).await?;
    let mut all = users::list_visible_users(&app.db, &caller.scope).await?;
    all.retain(|user| query.matches(user));
    all.sort_by_cached_key(|user| (fold_text(&user.name), user.code));
    let total = all.len() as i64;
    let skip = usize::try_from(query.page - 1).unwrap_or_default().saturating_mul(USERS_PER_PAGE);
    let rows = all.into_iter().skip(skip).take(USERS_PER_PAGE).collect();
    Ok(SearchPage { rows, number: query.page, total, registers })
}

#[boxed::future]
pub async fn read_user(app: &App, caller: &Session, code: UserCode) -> Result<User, Error> {
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
    pub money_rights: Option<MoneyRights>,
    pub gets_old_search_answer: Option<bool>,
    pub active: Option<bool>,
}

/// The changed user, and the cache versions raised by the change.
#[derive(Clone, Debug)]
pub struct ChangeUserOutcome {
    pub user: User,
    raised: Option<CacheVersions>,
}

/// The user to change, and how.
#[derive(Clone)]
struct UserAdminInput<W> {
    code: UserCode,
    what: W,
    address: Option<CallerAddress>,
    server: Arc<str>,
}

impl<W> WriteCommand<UserAdminInput<W>> {
    async fn load_user(&self, tx: &mut Tx) -> Result<User, Error> {
        let code = self.input.code;
        let found = users::find_user(&mut *tx, self.scope.tenant(), code).await?;
        found.ok_or(Error::NotFound { field: InputField::User, code: code.get() })
    }

    async fn record_audit(&self, tx: &mut Tx, change: AuditedChange) -> Result<(), Error> {
        let actor = AccountActor { user: self.user, operation: self.operation, address: self.input.address };
        actor.record(tx, self.scope.tenant(), change, self.now).await.map(drop)
    }
}

/// Runs the command, and adopts the cache versions that it raised in the database.
async fn run_admin_command<W, F>(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    (code, what): (UserCode, W),
    once: IdempotentWrite<ChangeUserOutcome>,
    unit: F,
) -> Result<WriteOutcome<ChangeUserOutcome>, Error>
where
    F: for<'t> Fn(
            &'t mut Tx,
            &'t WriteCommand<UserAdminInput<W>>,
        ) -> BoxFuture<'t, Result<ChangeUserOutcome, Error>>
        + Copy
        + Send
        + Sync
        + 'static,
    W: Clone + Send + Sync + 'static,
{
    let input = UserAdminInput { code, what, address: caller.address(), server: Arc::clone(&app.public_url) };
    let outcome = run_command(app, caller, operation, input, once, unit).await?;
    if let WriteOutcome::Fresh(ChangeUserOutcome { raised: Some(raised), .. }) = &outcome {
        app.versions.raise(caller.scope.tenant(), *raised);
    }
    Ok(outcome)
}

#[boxed::future]
pub async fn change_user(
    app: &App,
    caller: &Session,
    code: UserCode,
    changes: ChangeUser,
    once: IdempotentWrite<ChangeUserOutcome>,
) -> Result<WriteOutcome<ChangeUserOutcome>, Error> {
    run_admin_command(app, caller, CHANGE, (code, changes), once, |tx, command| {
        Box::pin(write_user_change(tx, command))
    })
    .await
}

async fn write_user_change(
    tx: &mut Tx,
    command: &WriteCommand<UserAdminInput<ChangeUser>>,
) -> Result<ChangeUserOutcome, Error> {
    let (tenant, changes) = (command.scope.tenant(), &command.input.what);
    let before = users::find_user(&mut *tx, tenant, command.input.code).await?;
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
    let before = before.ok_or(Error::NotFound { field: InputField::User, code: command.input.code.get() })?;
    let after = User {
        name: changes.name.as_ref().map_or(before.name.clone(), ToString::to_string),
        email: changes.email.as_ref().map_or(before.email.clone(), ToString::to_string),
        role,
        active: changes.active.unwrap_or(before.active),
        branches: new_branches,
        stored_money_rights: changes.money_rights.unwrap_or(before.stored_money_rights),
        gets_old_search_answer: changes.gets_old_search_answer.unwrap_or(before.gets_old_search_answer),
        ..before.clone()
    };
    let differences = compare_fields(render_user_fields(&before), render_user_fields(&after));
    let present = CurrentVersion { version: before.version, since: before.updated_at };
    if let Some(old) = refuse_old_version(changes.version, present, &command.registers.zone, &differences) {
        return Err(old.into());
    }
    if differences.is_empty() {
        return Ok(ChangeUserOutcome { user: before, raised: None });
    }
    Box::pin(store_user_change(tx, command, before, after, &differences)).await
}

async fn store_user_change(
    tx: &mut Tx,
    command: &WriteCommand<UserAdminInput<ChangeUser>>,
    before: User,
    mut after: User,
    differences: &[FieldDifference],
) -> Result<ChangeUserOutcome, Error> {
    let (tenant, UserAdminInput { code, what, server, .. }) = (command.scope.tenant(), &command.input);
    let code = *code;
    let leaves = before.active
        && before.role == Role::Administrator
        && !(after.active && after.role == Role::Administrator);
    if leaves && command.user == Some(code) {
        return Err(Rejection::OwnRights.into());
    }
    if leaves {
        refuse_last_administrator(tx, tenant, &before).await?;
    }
    let email = what.email.as_ref().filter(|email| email.as_str() != before.email);
    if let Some(email) = email
        && users::find_login_owner(&mut *tx, email).await?.is_some()
    {
        return Err(Rejection::EmailTaken(email.to_string()).into());
    }
    after.updated_at = command.now;
    users::update_user(tx, tenant, &after).await?;
    after.version += 1;
    if let Some(email) = email {
        users::delete_login(tx, &before.email, tenant, code).await?;
        if !users::reserve_login(tx, email, tenant, code).await? {
            return Err(Rejection::EmailTaken(email.to_string()).into());
        }
        // Readers of the old address must no longer be able to set a password.
        password_resets::delete_password_resets(tx, tenant, code).await?;
    }
    let is_disabled = before.active && !after.active;
    if is_disabled {
        password_resets::delete_password_resets(tx, tenant, code).await?;
    }
    let raised = match is_disabled || email.is_some() {
        true => end_open_sessions(tx, tenant, code).await?,
        false => versions::raise_access_version(tx, tenant).await?,
    };
    if email.is_some() {
        // Both addresses are notified: the owner of the account reads at least one of them.
        for (email, message) in
            [(&before.email, UserNotice::EmailLeft), (&after.email, UserNotice::EmailTaken)]
        {
            let to = Addressee { tenant, name: &after.name, email };
            mail::enqueue_mail(tx, server, to, message, command.now).await?;
        }
    }
    let change = build_user_change(AuditedAction::Change, code).with_fields(list_field_names(differences));
    command.record_audit(tx, change).await?;
    Ok(ChangeUserOutcome { user: after, raised: Some(raised) })
}

fn render_user_fields(user: &User) -> FieldTexts {
    let branches: Vec<String> = user.branches.iter().map(ToString::to_string).collect();
    let money_rights: Vec<&str> = user.money_rights().iter().map(wire::money_right).collect();
    vec![
        ("nome", Some(user.name.clone())),
        ("email", Some(user.email.clone())),
        ("perfil", Some(wire::role(user.role).to_owned())),
        ("lojas", (!branches.is_empty()).then(|| branches.join(", "))),
        ("permissoesFinanceiras", (!money_rights.is_empty()).then(|| money_rights.join(", "))),
        ("respostaAntigaPesquisa", Some(user.gets_old_search_answer.to_string())),
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
    let input = (code, (prepare_generated_password(app).await?, reason));
    run_admin_command(app, caller, PASSWORD, input, once, |tx, command| {
        Box::pin(write_sent_password(tx, command))
    })
    .await
}

async fn write_sent_password(
    tx: &mut Tx,
    command: &WriteCommand<UserAdminInput<(PreparedPassword, Option<String>)>>,
) -> Result<ChangeUserOutcome, Error> {
    let user = command.load_user(tx).await?;
    let UserAdminInput { what: (secret, reason), server, .. } = &command.input;
    let raised = give_password(tx, command.scope.tenant(), &user, secret, (server, command.now)).await?;
    let change = build_user_change(AuditedAction::ReplacePassword, user.code).with_reason(reason.as_deref());
    command.record_audit(tx, change).await?;
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
    run_admin_command(app, caller, END, (code, reason), once, |tx, command| {
        Box::pin(write_session_end(tx, command))
    })
    .await
}

async fn write_session_end(
    tx: &mut Tx,
    command: &WriteCommand<UserAdminInput<Option<String>>>,
) -> Result<ChangeUserOutcome, Error> {
    let user = command.load_user(tx).await?;
    let raised = end_open_sessions(tx, command.scope.tenant(), user.code).await?;
    let reason = command.input.what.as_deref();
    let change = build_user_change(AuditedAction::EndSessions, user.code).with_reason(reason);
    command.record_audit(tx, change).await?;
    Ok(ChangeUserOutcome { user, raised: Some(raised) })
}
