//! The second factor: a code from an authenticator besides the password, voluntary or required by the association.
//! Programs still log in with the password alone, but then only reach `/ext`. Users switch it on with their password
//! and off with a code; another administrator or a command can remove it. The secret is encrypted with the server key,
//! and recovery codes are stored as hashes.

pub(crate) mod recovery_codes;
pub(crate) mod totp;

use super::sessions::ConsoleUser;
use super::users;
use crate::access::login_audit::build_user_change;
use crate::access::{self, AccountActor, Session, SignInPurpose};
use crate::mail::{self, Addressee, UserNotice};
use crate::vault::Vault;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, CallerAddress, Email, InputField, Moment, Rejection, Role, TenantId,
    UserCode,
};
use std::sync::Arc;
use storage::access::{second_factors, tokens};
use storage::server::secrets::{self, SecretOwnerKind};
use storage::server::versions::{self, CacheVersions};
use storage::{Tx, WriteLane};

const OWN: AuditedOperation = AuditedOperation::ManageOwnSecondFactor;
const OTHERS: AuditedOperation = AuditedOperation::RemoveSecondFactor;
const COMMAND: AuditedOperation = AuditedOperation::SecondFactorCommand;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondFactorState {
    Off,
    /// A secret exists, but no code has confirmed it yet.
    Unconfirmed,
    On {
        since: Moment,
        recovery_left: i64,
    },
}

#[boxed::future]
pub async fn read_factor_state(
    app: &App,
    tenant: TenantId,
    user: UserCode,
) -> Result<SecondFactorState, Error> {
    let factor = second_factors::find_second_factor(&app.db, tenant, user).await?;
    Ok(match factor.map(|factor| factor.confirmed_at) {
        None => SecondFactorState::Off,
        Some(None) => SecondFactorState::Unconfirmed,
        Some(Some(since)) => {
            let recovery_left = second_factors::count_recovery_codes(&app.db, tenant, user).await?;
            SecondFactorState::On { since, recovery_left }
        }
    })
}

struct FactorCommand<W> {
    vault: Option<Vault>,
    tenant: TenantId,
    user: UserCode,
    what: W,
    now: Moment,
}

fn build_own_command<W>(app: &App, visitor: &ConsoleUser, what: W) -> Result<FactorCommand<W>, Error> {
    let (tenant, user) = (visitor.session.scope.tenant(), visitor.session.user);
    Ok(FactorCommand { vault: Some(app.vault()?.clone()), tenant, user, what, now: app.now() })
}

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
    let mut secret = [0; totp::SECRET];
    app.chance.fill(&mut secret);
    let place = access::locate_factor_secret(visitor.session.scope.tenant(), visitor.session.user);
    let command = build_own_command(app, visitor, app.vault()?.seal(&*app.chance, place, &secret)?)?;
    app.db
        .write(WriteLane::foreground(command.tenant), command, |tx, command| {
            Box::pin(write_enrolment(tx, command))
        })
        .await?;
    Ok(true)
}

async fn write_enrolment(tx: &mut Tx, command: &FactorCommand<Vec<u8>>) -> Result<(), Error> {
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
    let codes = recovery_codes::generate_recovery_codes(&*app.chance);
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
        app.memory.raise(tenant, raised);
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

async fn load_factor_owner(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<domain::User, Error> {
    let found = storage::access::users::find_user(&mut *tx, tenant, user).await?;
    found.ok_or(Error::NotFound { field: InputField::User, code: user.get() })
}

/// Checks a code of the signed-in user and uses it up. The password is not accepted: it alone must not remove the
/// second factor.
async fn has_valid_code(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    let account = (visitor.session.scope.tenant(), visitor.session.user);
    access::check_code(app, account, code, (OWN, address)).await
}

async fn has_valid_password(
    app: &App,
    visitor: &ConsoleUser,
    password: &str,
    address: CallerAddress,
) -> Result<bool, Error> {
    match access::sign_in_for_purpose(
        app,
        SignInPurpose::PasswordCheck(OWN),
        (&visitor.email, password),
        address.into(),
    )
    .await
    {
        Ok(_) => Ok(true),
        Err(Error::Credential) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Replaces the recovery codes with ten new ones; `None` if the code is wrong or there is no second factor.
#[boxed::future]
pub async fn renew_recovery_codes(
    app: &App,
    visitor: &ConsoleUser,
    code: &str,
    address: CallerAddress,
) -> Result<Option<Vec<String>>, Error> {
    if !has_valid_code(app, visitor, code, address).await? {
        return Ok(None);
    }
    let codes = recovery_codes::generate_recovery_codes(&*app.chance);
    let command = build_own_command(app, visitor, (codes.clone(), visitor.session.actor(OWN)))?;
    let lane = WriteLane::foreground(command.tenant);
    let done = app.db.write(lane, command, |tx, command| Box::pin(write_recovery_codes(tx, command))).await?;
    Ok(done.then_some(codes))
}

async fn write_recovery_codes(
    tx: &mut Tx,
    command: &FactorCommand<(Vec<String>, AccountActor)>,
) -> Result<bool, Error> {
    let (tenant, user, (codes, actor)) = (command.tenant, command.user, &command.what);
    let factor = second_factors::find_second_factor(&mut *tx, tenant, user).await?;
    if factor.is_none_or(|factor| factor.confirmed_at.is_none()) {
        return Ok(false);
    }
    let hashes: Vec<[u8; 32]> =
        codes.iter().filter_map(|code| recovery_codes::hash_recovery_code(tenant, user, code)).collect();
    tx.execute_batch(second_factors::replace_recovery_codes(tenant, user, &hashes)).await?;
    let change = build_user_change(AuditedAction::RenewRecoveryCodes, user);
    actor.record(tx, tenant, change, command.now).await?;
    Ok(true)
}

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
    caller.require_role(&[Role::Administrator])?;
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
        app.memory.raise(tenant, raised);
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
