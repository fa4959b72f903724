//! Switches off the second factor of a user.

use super::super::sessions::ConsoleUser;
use super::super::users;
use super::{FactorCommand, OWN, has_valid_code, load_factor_owner};
use crate::access::login_audit::build_user_change;
use crate::mail::{self, Addressee, UserNotice};
use crate::session::{AccountActor, Session};
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, CallerAddress, Email, Rejection, Role, SecretOwnerKind, TenantId,
    UserCode,
};
use std::sync::Arc;
use storage::access::second_factors;
use storage::server::secrets;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

const OTHERS: AuditedOperation = AuditedOperation::RemoveSecondFactor;

const COMMAND: AuditedOperation = AuditedOperation::SecondFactorCommand;

/// Switches off the caller's second factor; `false` if the code is wrong.
#[boxed::future]
pub async fn switch_off_factor(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    if !has_valid_code(app, visitor, code, address).await? {
        return Ok(false);
    }
    let (tenant, user) = (visitor.session.scope.tenant(), visitor.session.user);
    remove_factor(app, (tenant, user), visitor.session.actor(OWN)).await?;
    Ok(true)
}

/// Removes the second factor of another user who lost it; for administrators. `false` if that user has none.
#[boxed::future]
pub async fn remove_factor_of_user(app: &App, caller: &Session, user: UserCode) -> Result<bool, Error> {
    caller.require_role(&Role::ADMINISTRATORS)?;
    if user == caller.user {
        return Err(Rejection::OwnSecondFactor.into());
    }
    remove_factor(app, (caller.scope.tenant(), user), caller.actor(OTHERS)).await
}

/// As [`remove_factor_of_user`], for the command line.
#[boxed::future]
pub async fn remove_factor_by_email(app: &App, tenant: TenantId, email: &str) -> Result<bool, Error> {
    let email = Email::parse(email)?;
    let input = (tenant, email);
    let found = app.db.read(input, |tx, (tenant, email)| {
        Box::pin(async move { users::load_user_by_email(tx, *tenant, email).await })
    });
    let user = found.await?.code;
    remove_factor(app, (tenant, user), AccountActor::for_command(COMMAND)).await
}

/// Removes the second factors of a tenant, whose secrets were lost with the server key; returns their number.
pub(crate) async fn remove_all_factors(app: &App, tenant: TenantId) -> Result<u64, Error> {
    let confirmed = second_factors::list_confirmed_factors(&app.db, tenant).await?;
    for (user, _) in &confirmed {
        let actor = AccountActor::for_command(AuditedOperation::KeyReplaceCommand);
        remove_factor(app, (tenant, *user), actor).await?;
    }
    Ok(confirmed.len() as u64)
}

async fn remove_factor(
    app: &App,
    (tenant, user): (TenantId, UserCode),
    actor: AccountActor,
) -> Result<bool, Error> {
    let what = (actor, Arc::clone(&app.public_url));
    let command = FactorCommand { vault: None, tenant, user, what, now: app.now() };
    let lane = WriteLane::foreground(tenant);
    let raised =
        app.db.write(lane, command, |tx, command| Box::pin(write_factor_removal(tx, command))).await?;
    if let Some(raised) = raised {
        app.versions.raise(tenant, raised);
    }
    Ok(raised.is_some())
}

async fn write_factor_removal(
    tx: &mut Tx,
    command: &FactorCommand<(AccountActor, Arc<str>)>,
) -> Result<Option<CacheVersions>, Error> {
    let (tenant, user, (actor, server)) = (command.tenant, command.user, &command.what);
    let found = load_factor_owner(tx, tenant, user).await?;
    let counted = second_factors::find_second_factor(&mut *tx, tenant, user)
        .await?
        .is_some_and(|one| one.confirmed_at.is_some());
    if !second_factors::delete_second_factor(tx, tenant, user).await? {
        return Ok(None);
    }
    secrets::delete_secret(tx, tenant, SecretOwnerKind::SecondFactor, user.get()).await?;
    if !counted {
        return Ok(None);
    }
    let change = build_user_change(AuditedAction::RemoveSecondFactor, user);
    actor.record(tx, tenant, change, command.now).await?;
    let to = Addressee { tenant, name: &found.name, email: &found.email };
    mail::enqueue_mail(tx, server, to, UserNotice::SecondFactorOff, command.now).await?;
    Ok(Some(versions::raise_access_version(tx, tenant).await?))
}
