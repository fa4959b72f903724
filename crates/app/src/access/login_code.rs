//! The second step of a console login: a code from the authenticator or from the recovery codes. Each code works once.
//! Failures are throttled like wrong passwords.

use super::SignInGrant;
use super::login::{build_sign_in_grant, build_token_statements};
use super::login_audit::{self, LoginTarget, build_user_change};
use super::password_hash::HashingTurn;
use super::second_factor::recovery_codes;
use super::throttle::FailureSubjects;
use crate::session::{AccountActor, TokenLookupKey, generate_token, parse_token_key};
use crate::{App, Error};
use domain::{AuditedAction, AuditedOperation, CallerAddress, Moment, SecretOwnerKind, TenantId, UserCode};
use storage::access::logins::{self, SignInUser};
use storage::access::second_factors::{self, SecondFactorChallenge};
use storage::server::secrets;
use storage::{Tx, WriteLane};
use tracing::Instrument;
use vault::{SecretLocation, Vault, totp};

/// The operation of the page that requests the code.
const DOOR: AuditedOperation = AuditedOperation::SubmitSignInCode;

#[derive(Debug)]
pub enum SignInCodeOutcome {
    Grant(Box<SignInGrant>),
    WrongCode,
    /// The ticket is unknown or expired: the login starts again with the password.
    ExpiredChallenge,
}

#[boxed::future]
pub async fn has_open_challenge(app: &App, ticket: &str) -> Result<bool, Error> {
    Ok(find_challenge(app, ticket).await?.is_some())
}

async fn find_challenge(
    app: &App,
    ticket: &str,
) -> Result<Option<(TokenLookupKey, SecondFactorChallenge)>, Error> {
    let Some(key) = parse_token_key(ticket) else { return Ok(None) };
    let found = second_factors::find_factor_challenge(&app.db, key.tenant, &key.hash, app.now()).await?;
    Ok(found.map(|entrance| (key, entrance)))
}

/// Submits the code for a ticket. Like a login, it runs to its end even if the caller disconnects.
#[boxed::future]
pub async fn submit_sign_in_code(
    app: &App,
    ticket: &str,
    code: &str,
    (address, agent): (CallerAddress, Option<String>),
) -> Result<SignInCodeOutcome, Error> {
    let Some((ticket, entrance)) = find_challenge(app, ticket).await? else {
        return Ok(SignInCodeOutcome::ExpiredChallenge);
    };
    let (app, code) = (app.clone(), code.to_owned());
    let giving = async move {
        let subjects = FailureSubjects::for_codes(ticket.tenant, entrance.user, address);
        let target = build_login_target((ticket.tenant, entrance.user), DOOR, address);
        let turn = wait_for_code_turn(&app, &subjects, &target).await?;
        let passed = complete_sign_in(&app, ticket, entrance.user, code, (address, agent)).await?;
        if let SignInCodeOutcome::WrongCode = passed {
            count_wrong_code(&app, subjects, &target).await?;
        }
        drop(turn);
        Ok(passed)
    };
    let ended = tokio::spawn(giving.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Checks a code of a signed-in user and uses it up if it is valid.
pub(crate) async fn check_code(
    app: &App,
    (tenant, user): (TenantId, UserCode),
    code: &str,
    (operation, address): (AuditedOperation, CallerAddress),
) -> Result<bool, Error> {
    let subjects = FailureSubjects::for_codes(tenant, user, address);
    let target = build_login_target((tenant, user), operation, address);
    let actor = AccountActor { user: Some(user), operation, address: Some(address) };
    let turn = wait_for_code_turn(app, &subjects, &target).await?;
    let (vault, code) = (app.vault()?.clone(), code.to_owned());
    let input = SubmittedCode { vault, tenant, user, code, actor, now: app.now() };
    let spent = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, typed| Box::pin(spend_code(tx, typed)))
        .await?;
    if spent.is_none() {
        count_wrong_code(app, subjects, &target).await?;
    }
    drop(turn);
    Ok(spent.is_some())
}

fn build_login_target(
    (tenant, user): (TenantId, UserCode),
    operation: AuditedOperation,
    address: CallerAddress,
) -> LoginTarget {
    LoginTarget { tenant: Some(tenant), user: Some(user), operation, address }
}

/// One attempt at a time, so that concurrent attempts cannot exceed the limits.
async fn wait_for_code_turn(
    app: &App,
    subjects: &FailureSubjects,
    target: &LoginTarget,
) -> Result<HashingTurn, Error> {
    app.throttle.check(app, subjects, app.now(), (false, target)).await?;
    let turn = app.passwords.wait_for_turn(true).await?;
    app.throttle.check(app, subjects, app.now(), (false, target)).await?;
    Ok(turn)
}

async fn count_wrong_code(app: &App, subjects: FailureSubjects, target: &LoginTarget) -> Result<(), Error> {
    metrics::counter!("amparo_login_failures_total").increment(1);
    app.throttle.count(app, subjects, app.now()).await?;
    if let Some(user) = target.user {
        let change = build_user_change(AuditedAction::RefuseCode, user);
        login_audit::record_login_failure(app, target, change);
    }
    Ok(())
}

/// A code as typed by the user.
struct SubmittedCode {
    vault: Vault,
    tenant: TenantId,
    user: UserCode,
    code: String,
    actor: AccountActor,
    now: Moment,
}

enum SpentCodeKind {
    Device,
    Recovery,
}

struct SignInCompletion {
    typed: SubmittedCode,
    ticket: TokenLookupKey,
    key: TokenLookupKey,
    address: CallerAddress,
    agent: Option<String>,
}

enum CompletionOutcome {
    Success(Box<SignInUser>),
    WrongCode,
    ExpiredChallenge,
}

async fn complete_sign_in(
    app: &App,
    ticket: TokenLookupKey,
    user: UserCode,
    code: String,
    (address, agent): (CallerAddress, Option<String>),
) -> Result<SignInCodeOutcome, Error> {
    let tenant = ticket.tenant;
    let (token, key) = generate_token(tenant, &*app.random_source);
    let actor = AccountActor { user: Some(user), operation: DOOR, address: Some(address) };
    let typed = SubmittedCode { vault: app.vault()?.clone(), tenant, user, code, actor, now: app.now() };
    let input = SignInCompletion { typed, ticket, key, address, agent };
    let step = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, pass| Box::pin(write_completion(tx, pass)))
        .await?;
    Ok(match step {
        CompletionOutcome::Success(entering) => SignInCodeOutcome::Grant(Box::new(
            build_sign_in_grant(app, token, (tenant, user), *entering).await?,
        )),
        CompletionOutcome::WrongCode => SignInCodeOutcome::WrongCode,
        CompletionOutcome::ExpiredChallenge => SignInCodeOutcome::ExpiredChallenge,
    })
}

async fn write_completion(tx: &mut Tx, pass: &SignInCompletion) -> Result<CompletionOutcome, Error> {
    let SignInCompletion { typed, ticket, key, address, agent } = pass;
    let (tenant, now) = (typed.tenant, typed.now);
    let challenge = second_factors::find_factor_challenge(&mut *tx, tenant, &ticket.hash, now).await?;
    let entering = logins::find_sign_in_user(&mut *tx, tenant, typed.user).await?;
    let (Some(challenge), Some(entering)) = (challenge, entering) else {
        return Ok(CompletionOutcome::ExpiredChallenge);
    };
    // The user's sessions were ended since, perhaps by a new password; that ends this challenge too.
    if challenge.generation != entering.generation {
        return Ok(CompletionOutcome::ExpiredChallenge);
    }
    let Some(spent) = spend_code(tx, typed).await? else { return Ok(CompletionOutcome::WrongCode) };
    let action = match spent {
        SpentCodeKind::Device => AuditedAction::SignInToConsoleWithCode,
        SpentCodeKind::Recovery => AuditedAction::SignInToConsoleWithRecoveryCode,
    };
    typed.actor.record(tx, tenant, build_user_change(action, typed.user), now).await?;
    let origin = (*address, Some(agent.as_deref()));
    let mut statements = build_token_statements((tenant, typed.user), key, entering.generation, origin, now);
    statements.push(second_factors::delete_factor_challenge(tenant, &ticket.hash));
    tx.execute_batch(statements).await?;
    Ok(CompletionOutcome::Success(Box::new(entering)))
}

/// Uses up a code: an authenticator code for a step around now and later than the last one used, or a recovery code.
/// `None` if it is neither.
async fn spend_code(tx: &mut Tx, typed: &SubmittedCode) -> Result<Option<SpentCodeKind>, Error> {
    let (tenant, user) = (typed.tenant, typed.user);
    let factor = second_factors::find_second_factor(&mut *tx, tenant, user).await?;
    let Some(factor) = factor.filter(|factor| factor.confirmed_at.is_some()) else { return Ok(None) };
    if let Some(hash) = recovery_codes::hash_recovery_code(tenant, user, &typed.code) {
        if !second_factors::consume_recovery_code(tx, tenant, user, &hash).await? {
            return Ok(None);
        }
        let change = build_user_change(AuditedAction::UseRecoveryCode, user);
        typed.actor.record(tx, tenant, change, typed.now).await?;
        return Ok(Some(SpentCodeKind::Recovery));
    }
    let Some(secret) = find_factor_secret(tx, &typed.vault, tenant, user).await? else { return Ok(None) };
    match totp::find_code_step(&secret, &typed.code, typed.now).filter(|step| *step > factor.last_step) {
        Some(step) => {
            let is_first = second_factors::consume_time_step(tx, tenant, user, step).await?;
            Ok(is_first.then_some(SpentCodeKind::Device))
        }
        None => Ok(None),
    }
}

pub(crate) fn locate_factor_secret(tenant: TenantId, user: UserCode) -> SecretLocation {
    SecretLocation { tenant, kind: SecretOwnerKind::SecondFactor, code: user.get() }
}

pub(crate) async fn find_factor_secret(
    tx: &mut Tx,
    vault: &Vault,
    tenant: TenantId,
    user: UserCode,
) -> Result<Option<Vec<u8>>, Error> {
    let sealed = secrets::find_secret(&mut *tx, tenant, SecretOwnerKind::SecondFactor, user.get()).await?;
    let opened = sealed.map(|sealed| vault.open(locate_factor_secret(tenant, user), &sealed));
    Ok(opened.transpose()?)
}
