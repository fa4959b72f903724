//! Switches on the second factor of a user.

use super::super::sessions::ConsoleUser;
use super::recovery_codes;
use super::{FactorCommand, OWN, build_own_command, has_valid_password, load_factor_owner};
use crate::access;
use crate::access::login_audit::build_user_change;
use crate::mail::{self, Addressee, UserNotice};
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{AuditedAction, CallerAddress, SealedSecret, SecretOwnerKind};
use std::sync::Arc;
use storage::access::{second_factors, tokens};
use storage::server::secrets;
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};
use vault::totp;

/// Creates a secret to be confirmed. Replaces an unconfirmed secret; a confirmed one stays. `false` if the password is
/// wrong: an open session is not enough to lock the user out.
#[boxed::future]
pub async fn begin_enrolment(
    app: &App,
    visitor: &ConsoleUser,
    password: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    if !has_valid_password(app, visitor, password, address).await? {
        return Ok(false);
    }
    let mut secret = [0; totp::SECRET_BYTES];
    app.random_source.fill(&mut secret);
    let place = access::locate_factor_secret(visitor.session.scope.tenant(), visitor.session.user);
    let command = build_own_command(app, visitor, app.vault()?.seal(&*app.random_source, place, &secret)?)?;
    app.db
        .write(WriteLane::foreground(command.tenant), command, |tx, command| {
            Box::pin(write_enrolment(tx, command))
        })
        .await?;
    Ok(true)
}

async fn write_enrolment(tx: &mut Tx, command: &FactorCommand<SealedSecret>) -> Result<(), Error> {
    let (tenant, user) = (command.tenant, command.user);
    let factor = second_factors::find_second_factor(&mut *tx, tenant, user).await?;
    if factor.is_some_and(|factor| factor.confirmed_at.is_some()) {
        return Ok(());
    }
    second_factors::upsert_unconfirmed_factor(tx, tenant, user).await?;
    Ok(secrets::upsert_secret(tx, tenant, SecretOwnerKind::SecondFactor, user.get(), &command.what).await?)
}

/// An unconfirmed secret, as shown to its owner.
#[derive(Clone, PartialEq, Eq)]
pub struct EnrolmentSecret {
    /// For manual entry.
    pub text: String,
    /// The content of the QR code.
    pub address: String,
}

/// The unconfirmed secret, if there is one.
#[boxed::future]
pub async fn find_enrolment_secret(
    app: &App,
    visitor: &ConsoleUser,
) -> Result<Option<EnrolmentSecret>, Error> {
    let command = build_own_command(app, visitor, ())?;
    let secret = app.db.read(command, |tx, command| Box::pin(find_unconfirmed_secret(tx, command))).await?;
    Ok(secret.map(|secret| EnrolmentSecret {
        text: totp::encode_secret(&secret),
        address: totp::build_provisioning_uri(&secret, &visitor.base, &visitor.email),
    }))
}

async fn find_unconfirmed_secret<W>(
    tx: &mut Tx,
    command: &FactorCommand<W>,
) -> Result<Option<Vec<u8>>, Error> {
    let factor = second_factors::find_second_factor(&mut *tx, command.tenant, command.user).await?;
    match (factor, &command.vault) {
        (Some(factor), Some(vault)) if factor.confirmed_at.is_none() => {
            access::find_factor_secret(tx, vault, command.tenant, command.user).await
        }
        _ => Ok(None),
    }
}

/// Confirms the secret with a code, which switches the second factor on. Returns the recovery codes, which are never
/// shown again; `None` if the code is wrong or nothing is to be confirmed. Ends console sessions begun without a code,
/// except the current one; program tokens only reach `/ext` from now on.
#[boxed::future]
pub async fn confirm_enrolment(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
) -> Result<Option<Vec<String>>, Error> {
    let codes = recovery_codes::generate_recovery_codes(&*app.random_source);
    let what = FactorConfirmation {
        code: code.to_owned(),
        recovery: codes.clone(),
        session: visitor.session.key.hash,
        actor: visitor.session.actor(OWN),
        server: Arc::clone(&app.public_url),
    };
    let command = build_own_command(app, visitor, what)?;
    let tenant = command.tenant;
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), command, |tx, command| {
            Box::pin(write_confirmation(tx, command))
        })
        .await?;
    Ok(raised.map(|raised| {
        app.versions.raise(tenant, raised);
        codes
    }))
}

struct FactorConfirmation {
    code: String,
    recovery: Vec<String>,
    /// The session to keep.
    session: [u8; 32],
    actor: AccountActor,
    server: Arc<str>,
}

async fn write_confirmation(
    tx: &mut Tx,
    command: &FactorCommand<FactorConfirmation>,
) -> Result<Option<CacheVersions>, Error> {
    let (tenant, user) = (command.tenant, command.user);
    let FactorConfirmation { code, recovery: codes, session, actor, server } = &command.what;
    let Some(secret) = find_unconfirmed_secret(tx, command).await? else { return Ok(None) };
    let Some(step) = totp::find_code_step(&secret, code, command.now) else { return Ok(None) };
    let hashes: Vec<[u8; 32]> =
        codes.iter().filter_map(|code| recovery_codes::hash_recovery_code(tenant, user, code)).collect();
    second_factors::confirm_second_factor(tx, (tenant, user), step, &hashes, command.now).await?;
    tokens::delete_other_console_tokens(tx, tenant, user, session).await?;
    let change = build_user_change(AuditedAction::EnableSecondFactor, user);
    actor.record(tx, tenant, change, command.now).await?;
    let owner = load_factor_owner(tx, tenant, user).await?;
    let to = Addressee { tenant, name: &owner.name, email: &owner.email };
    mail::enqueue_mail(tx, server, to, UserNotice::SecondFactorOn, command.now).await?;
    Ok(Some(versions::raise_access_version(tx, tenant).await?))
}
