//! Disables a user and ends their sessions.

use super::load_user_by_email;
use crate::access::login_audit::build_user_change;
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, Email, Moment, Rejection, Role, TenantId, User, UserCode};
use storage::access::users;
use storage::access::{password_resets, tokens};
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

const DISABLE: AccountActor = AccountActor::for_command(AuditedOperation::UserDisableCommand);

const LOGOUT: AccountActor = AccountActor::for_command(AuditedOperation::UserLogoutCommand);

/// Disables a user and ends their sessions and open links. Idempotent.
#[boxed::future]
pub async fn disable_user(app: &App, tenant: TenantId, email: &str) -> Result<(), Error> {
    let input = (tenant, Email::parse(email)?, app.now());
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, input| Box::pin(write_disabled_user(tx, input)))
        .await?;
    app.versions.raise(tenant, raised);
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
pub(super) async fn refuse_last_administrator(
    tx: &mut Tx,
    tenant: TenantId,
    user: &User,
) -> Result<(), Error> {
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
    app.versions.raise(tenant, raised);
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
pub(super) async fn end_open_sessions(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
) -> Result<CacheVersions, Error> {
    tokens::revoke_user_tokens(tx, tenant, user).await?;
    Ok(versions::raise_access_version(tx, tenant).await?)
}
