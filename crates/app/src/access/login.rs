//! Login with user name and password.
//!
//! A successful login is cached for ten minutes, as a keyed digest that only this process can compute, so that
//! programs that log in for every exchange do not pay for Argon2 each time; the user is still read again and a new
//! token written. All other attempts queue for the hash, and a failure is counted before the next attempt starts:
//! concurrent attempts cannot exceed the limits.

use super::check_code;
use super::login_audit::{self, LoginTarget, build_user_change};
use super::throttle::{FailureSubjects, is_known_address};
use crate::register_snapshot::{TenantRegisters, load_registers};
use crate::session::TOKEN_LIFE;
use crate::session::{AccountActor, TokenLookupKey, generate_token};
use crate::tenant_of_request::resolve_tenant_by_host;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, CallerAddress, Email, Moment, Password, RandomSource, Role, Scope,
    TenantId, UserCode,
};
use hmac::{Hmac, KeyInit, Mac};
use quick_cache::sync::Cache;
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use storage::access::logins::{self, AccountCredentials, SignInUser};
use storage::access::second_factors::{self, SecondFactorChallenge};
use storage::access::tokens::{self, NewTokenRow};
use storage::history::audit;
use storage::{Statement, Tx, WriteLane};
use tracing::Instrument;

/// Number of logins cached.
const LOGINS: usize = 10_000;
const LONGEST_LOGIN: usize = 254;
/// How long a successful login is cached.
const REMEMBERED_FOR: Duration = Duration::from_mins(10);

/// The result of a completed login.
#[derive(Debug)]
pub struct SignInGrant {
    pub token: String,
    pub tenant: TenantId,
    pub tenant_name: String,
    pub user: UserCode,
    pub user_name: String,
    pub role: Role,
    pub must_change_password: bool,
    pub scope: Scope,
    pub registers: Arc<TenantRegisters>,
}

/// The origin of a login attempt.
#[derive(Clone, Debug)]
pub struct CallerOrigin {
    pub address: CallerAddress,
    /// The requested host: it decides which association audits a login with an unknown user name.
    pub host: Option<String>,
}

impl From<CallerAddress> for CallerOrigin {
    fn from(address: CallerAddress) -> CallerOrigin {
        CallerOrigin { address, host: None }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum SignInPurpose {
    /// A token for a program.
    Program,
    /// A token for a program whose user also gave a code.
    ProgramWithCode,
    /// A console token for a browser; or a challenge, if the user has a second factor.
    Console { agent: Option<String> },
    /// Only verifies the password, for the named operation.
    PasswordCheck(AuditedOperation),
}

/// The operation of a login with a code.
const SESSION: AuditedOperation = AuditedOperation::OpenSession;

impl SignInPurpose {
    fn operation(&self) -> AuditedOperation {
        match self {
            SignInPurpose::Program => AuditedOperation::SignInProgram,
            SignInPurpose::ProgramWithCode => SESSION,
            SignInPurpose::Console { .. } => AuditedOperation::SignInToConsole,
            SignInPurpose::PasswordCheck(operation) => *operation,
        }
    }
}

#[derive(Debug)]
pub enum SignInOutcome {
    Grant(Box<SignInGrant>),
    /// The code is still required: this ticket only allows submitting it.
    Challenge(String),
}

/// How long the user may take to submit the code.
pub const CHALLENGE_LIFETIME: Duration = Duration::from_mins(10);

/// A login that succeeded recently.
#[derive(Clone)]
struct RememberedLogin {
    tenant: TenantId,
    user: UserCode,
    /// The address used at login, which may have changed since.
    email: Arc<str>,
    /// The hash the password matched.
    password_hash: Arc<str>,
    until: Moment,
    /// The audit entry that counts repeated logins of the program.
    entry: Option<i32>,
}

/// Successful logins, by their digest.
pub(crate) struct RememberedLogins {
    by_digest: Cache<[u8; 32], RememberedLogin>,
    /// Never leaves this process, so the digests are useless elsewhere.
    key: [u8; 64],
}

impl RememberedLogins {
    pub fn new(chance: &dyn RandomSource) -> RememberedLogins {
        let mut key = [0; 64];
        chance.fill(&mut key);
        RememberedLogins { by_digest: Cache::new(LOGINS), key }
    }
}

/// Logs a program in. An unknown user, a disabled user and a wrong password get the same answer after the same work.
/// The attempt runs to its end even if the caller disconnects, so that every failure is counted.
#[boxed::future]
pub async fn log_in_program(
    app: &App,
    login: &str,
    password: &str,
    address: CallerAddress,
) -> Result<SignInGrant, Error> {
    log_in_program_from(app, login, password, address.into()).await
}

/// As [`log_in_program`], with the requested host.
#[boxed::future]
pub async fn log_in_program_from(
    app: &App,
    login: &str,
    password: &str,
    origin: CallerOrigin,
) -> Result<SignInGrant, Error> {
    admit_program(app, SignInPurpose::Program, (login, password), origin).await
}

/// Logs a program in with password and code; the token reaches everything its owner may do. A user without a second
/// factor needs no code.
#[boxed::future]
pub async fn log_in_with_code(
    app: &App,
    (login, password, code): (&str, &str, Option<&str>),
    origin: CallerOrigin,
) -> Result<SignInGrant, Error> {
    let named =
        admit_program(app, SignInPurpose::PasswordCheck(SESSION), (login, password), origin.clone()).await?;
    let factor = second_factors::find_second_factor(&app.db, named.tenant, named.user).await?;
    if factor.is_none_or(|factor| factor.confirmed_at.is_none()) {
        return admit_program(app, SignInPurpose::Program, (login, password), origin).await;
    }
    let code = code.ok_or(Error::CodeNotGiven)?;
    if !check_code(app, (named.tenant, named.user), code, (SESSION, origin.address)).await? {
        return Err(Error::Credential);
    }
    admit_program(app, SignInPurpose::ProgramWithCode, (login, password), origin).await
}

async fn admit_program(
    app: &App,
    purpose: SignInPurpose,
    credential: (&str, &str),
    origin: CallerOrigin,
) -> Result<SignInGrant, Error> {
    match sign_in_for_purpose(app, purpose, credential, origin).await? {
        SignInOutcome::Grant(entered) => Ok(*entered),
        SignInOutcome::Challenge(_) => Err(Error::Credential),
    }
}

/// As [`log_in_program`], for any purpose.
pub(crate) async fn sign_in_for_purpose(
    app: &App,
    purpose: SignInPurpose,
    (login, password): (&str, &str),
    origin: CallerOrigin,
) -> Result<SignInOutcome, Error> {
    // Longer than any valid address or password: rejected before it is copied.
    if login.len() > LONGEST_LOGIN || password.len() > Password::LONGEST {
        return Err(Error::Credential);
    }
    let (app, login, password) = (app.clone(), login.to_owned(), password.to_owned());
    let attempt = async move { attempt_sign_in(&app, &login, password, (&purpose, &origin)).await };
    let ended = tokio::spawn(attempt.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

async fn attempt_sign_in(
    app: &App,
    login: &str,
    password: String,
    (purpose, origin): (&SignInPurpose, &CallerOrigin),
) -> Result<SignInOutcome, Error> {
    let address = origin.address;
    let through = (purpose, address);
    // An invalid address matches no user; it is counted and checked all the same.
    let email = Email::parse(login).ok();
    let name = email.as_ref().map_or(login, Email::as_str);
    let digest = digest_login(&app.caches.logins.key, name, &password, address);
    let subjects = FailureSubjects::for_login(name, address);
    if let Some(entered) = repeat_remembered_login(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let account = find_allowed_account(app, email.as_ref(), &subjects, (purpose, origin)).await?;
    let turn = app.passwords.wait_for_turn(account.is_known_here).await?;
    // During the wait, the same login may have succeeded, or too many others failed.
    if let Some(entered) = repeat_remembered_login(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let NamedAccount { account, target, .. } =
        find_allowed_account(app, email.as_ref(), &subjects, (purpose, origin)).await?;
    let hash = account.as_ref().map(|account| account.password_hash.as_str());
    let (turn, is_right) = app.passwords.verify(turn, password, hash).await;
    if let (true, Some(account)) = (is_right?, account) {
        drop(turn);
        let mut right = RememberedLogin {
            tenant: account.tenant,
            user: account.user,
            email: name.into(),
            password_hash: account.password_hash.into(),
            until: app.now().plus(REMEMBERED_FOR),
            entry: None,
        };
        if let Some((admission, entry)) = issue_token(app, &right, through).await? {
            right.entry = entry;
            app.caches.logins.by_digest.insert(digest, right);
            return Ok(admission);
        }
    }
    app.throttle.count(app, subjects, app.now()).await?;
    metrics::counter!("amparo_login_failures_total").increment(1);
    let change = match (target.user, purpose) {
        (Some(user), SignInPurpose::PasswordCheck(_)) => {
            build_user_change(AuditedAction::RefusePassword, user)
        }
        (Some(user), _) => build_user_change(AuditedAction::RefuseSignIn, user),
        (None, _) => AuditedAction::RefuseUnknownUser.into(),
    };
    login_audit::record_login_failure(app, &target, change);
    Err(Error::Credential)
}

/// The account a login attempt names.
struct NamedAccount {
    account: Option<AccountCredentials>,
    target: LoginTarget,
    /// The user logged in successfully from this address recently.
    is_known_here: bool,
}

/// The account the login names, unless it is throttled.
async fn find_allowed_account(
    app: &App,
    email: Option<&Email>,
    subjects: &FailureSubjects,
    (purpose, origin): (&SignInPurpose, &CallerOrigin),
) -> Result<NamedAccount, Error> {
    let (now, address) = (app.now(), origin.address);
    let account = match email {
        Some(email) => logins::find_account_credentials(&app.db, email, address).await?,
        None => None,
    };
    // With an unknown user, the tenant comes from the requested host; that lookup is cached.
    let tenant = match &account {
        Some(account) => Some(account.tenant),
        None => resolve_tenant_by_host(app, origin.host.as_deref()).await.ok(),
    };
    let target = LoginTarget {
        tenant,
        user: account.as_ref().map(|account| account.user),
        operation: purpose.operation(),
        address,
    };
    let known_since = account.as_ref().and_then(|account| account.known_since);
    let is_known_here = is_known_address(known_since, now);
    app.throttle.check(app, subjects, now, (is_known_here, &target)).await?;
    Ok(NamedAccount { account, target, is_known_here })
}

/// Repeats a cached login from the same address, if it is still valid. A throttled address is rejected first:
/// otherwise it could guess passwords without limit until one is cached.
async fn repeat_remembered_login(
    app: &App,
    digest: &[u8; 32],
    subjects: &FailureSubjects,
    through: (&SignInPurpose, CallerAddress),
) -> Result<Option<SignInOutcome>, Error> {
    let Some(mut right) = app.caches.logins.by_digest.get(digest) else { return Ok(None) };
    let target = LoginTarget {
        tenant: Some(right.tenant),
        user: Some(right.user),
        operation: through.0.operation(),
        address: through.1,
    };
    app.throttle.check(app, subjects, app.now(), (true, &target)).await?;
    if app.now() < right.until
        && let Some((admission, entry)) = issue_token(app, &right, through).await?
    {
        if entry.is_some() && entry != right.entry {
            right.entry = entry;
            app.caches.logins.by_digest.insert(*digest, right);
        }
        return Ok(Some(admission));
    }
    app.caches.logins.by_digest.remove(digest);
    Ok(None)
}

struct TokenIssuance {
    right: RememberedLogin,
    key: TokenLookupKey,
    purpose: SignInPurpose,
    address: CallerAddress,
    now: Moment,
}

/// Writes a token, unless the user was disabled or their password or address changed meanwhile. Also returns the audit
/// entry that counts further logins of this kind.
async fn issue_token(
    app: &App,
    right: &RememberedLogin,
    (purpose, address): (&SignInPurpose, CallerAddress),
) -> Result<Option<(SignInOutcome, Option<i32>)>, Error> {
    let (token, key) = generate_token(right.tenant, &*app.random_source);
    let input =
        TokenIssuance { right: right.clone(), key, purpose: purpose.clone(), address, now: app.now() };
    let lane = WriteLane::foreground(right.tenant);
    let written = app.db.write(lane, input, |tx, input| Box::pin(write_token(tx, input))).await?;
    let Some(TokenWriteOutcome { entering, is_half, entry }) = written else { return Ok(None) };
    let admission = match is_half {
        true => SignInOutcome::Challenge(token),
        false => SignInOutcome::Grant(Box::new(
            build_sign_in_grant(app, token, (right.tenant, right.user), entering).await?,
        )),
    };
    Ok(Some((admission, entry)))
}

pub(super) async fn build_sign_in_grant(
    app: &App,
    token: String,
    (tenant, user): (TenantId, UserCode),
    entering: SignInUser,
) -> Result<SignInGrant, Error> {
    Ok(SignInGrant {
        token,
        tenant,
        tenant_name: entering.tenant_name,
        user,
        user_name: entering.name,
        role: entering.role,
        must_change_password: entering.must_change_password,
        scope: Scope::for_role(tenant, entering.role, entering.branches),
        registers: load_registers(app, tenant).await?,
    })
}

struct TokenWriteOutcome {
    entering: SignInUser,
    /// The code is still required.
    is_half: bool,
    /// The audit entry of a program's login.
    entry: Option<i32>,
}

async fn write_token(tx: &mut Tx, issue: &TokenIssuance) -> Result<Option<TokenWriteOutcome>, Error> {
    let TokenIssuance { right, key, purpose, address, now } = issue;
    let entering = logins::find_sign_in_user(&mut *tx, right.tenant, right.user).await?;
    let is_right =
        |user: &SignInUser| *user.password_hash == *right.password_hash && *user.email == *right.email;
    let Some(entering) = entering.filter(is_right) else {
        return Ok(None);
    };
    let account = (right.tenant, right.user);
    let generation = entering.generation;
    let agent = match purpose {
        SignInPurpose::PasswordCheck(_) => {
            return Ok(Some(TokenWriteOutcome { entering, is_half: false, entry: None }));
        }
        SignInPurpose::Program | SignInPurpose::ProgramWithCode => None,
        SignInPurpose::Console { agent } => {
            let factor = second_factors::find_second_factor(&mut *tx, right.tenant, right.user).await?;
            if factor.is_some_and(|factor| factor.confirmed_at.is_some()) {
                let waits = SecondFactorChallenge { user: right.user, generation };
                let half = second_factors::insert_factor_challenge(
                    right.tenant,
                    &key.hash,
                    waits,
                    now.plus(CHALLENGE_LIFETIME),
                );
                tx.execute(half).await?;
                let change = build_user_change(AuditedAction::AcceptPassword, right.user);
                issue.actor().record(tx, right.tenant, change, *now).await?;
                return Ok(Some(TokenWriteOutcome { entering, is_half: true, entry: None }));
            }
            Some(agent.as_deref())
        }
    };
    let mut statements = build_token_statements(account, key, generation, (*address, agent), *now);
    if let SignInPurpose::ProgramWithCode = purpose {
        statements.push(tokens::mark_code_verified(right.tenant, &key.hash));
    }
    let entry = issue.record_login(tx, &mut statements).await?;
    tx.execute_batch(statements).await?;
    Ok(Some(TokenWriteOutcome { entering, is_half: false, entry }))
}

impl TokenIssuance {
    fn actor(&self) -> AccountActor {
        AccountActor {
            user: Some(self.right.user),
            operation: self.purpose.operation(),
            address: Some(self.address),
        }
    }

    /// Writes the audit entry. A cached login of a program only raises the count of its earlier entry: a program that
    /// logs in for every exchange leaves one row every ten minutes and reserves no further codes.
    async fn record_login(&self, tx: &mut Tx, statements: &mut Vec<Statement>) -> Result<Option<i32>, Error> {
        let (tenant, user) = (self.right.tenant, self.right.user);
        let action = match (&self.purpose, self.right.entry) {
            (SignInPurpose::Program, Some(entry)) => {
                statements.push(audit::add_entry_repeats(tenant, entry, 1));
                return Ok(Some(entry));
            }
            (SignInPurpose::Console { .. }, _) => AuditedAction::SignInToConsole,
            (SignInPurpose::ProgramWithCode, _) => AuditedAction::SignInToApiWithCode,
            (SignInPurpose::Program | SignInPurpose::PasswordCheck(_), _) => AuditedAction::SignInToApi,
        };
        let change = build_user_change(action, user);
        let entry = self.actor().record(tx, tenant, change, self.now).await?;
        Ok(Some(entry).filter(|_| matches!(self.purpose, SignInPurpose::Program)))
    }
}

/// Statements for a new token; a console token also stores its browser.
pub(super) fn build_token_statements(
    (tenant, user): (TenantId, UserCode),
    key: &TokenLookupKey,
    generation: i64,
    (address, agent): (CallerAddress, Option<Option<&str>>),
    now: Moment,
) -> Vec<Statement> {
    let expires_at = now.plus(TOKEN_LIFE);
    let mut statements = vec![
        tokens::insert_token(&NewTokenRow { tenant, hash: &key.hash, user, generation, now, expires_at }),
        logins::upsert_known_address(tenant, user, address, now),
    ];
    statements.extend(
        agent.map(|agent| tokens::mark_console_token(tenant, &key.hash, (&address.to_string(), agent), now)),
    );
    statements
}

fn digest_login(key: &[u8; 64], name: &str, password: &str, address: CallerAddress) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new(&(*key).into());
    let address = address.to_string();
    // Length prefixes keep the encoding unambiguous.
    for part in [name, &address] {
        mac.update(&part.len().to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac.update(password.as_bytes());
    mac.finalize().into_bytes().into()
}
