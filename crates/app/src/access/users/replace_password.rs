//! Gives a user another password.

use super::create::{
    PreparedPassword, check_chosen_password, prepare_chosen_password, prepare_generated_password,
};
use super::disable::end_open_sessions;
use super::load_user_by_email;
use crate::access::login_audit::build_user_change;
use crate::error::collect_problem;
use crate::mail::{self, Addressee, UserNotice};
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, Email, Moment, Password, Rejection, TenantId, User, UserCode};
use std::sync::Arc;
use storage::access::users;
use storage::access::{logins, password_resets};
use storage::server::versions::CacheVersions;
use storage::{Tx, WriteLane};

const RESET: AccountActor = AccountActor::for_command(AuditedOperation::UserResetCommand);

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
    app.versions.raise(tenant, raised);
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
pub(super) async fn give_password(
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
