//! Entering with login and password.
//!
//! A right login is remembered for ten minutes, as a keyed digest that only this process can make, so that programs that
//! log in for every conversation do not pay for Argon2 each time; the user is looked up again all the same, and a token
//! written. Everybody else waits for his turn at the hash, and his failure is counted before the turn passes on: however
//! many try at once, no more get through than the limits say.

use super::login_audit::{self, AccountActor, LoginTarget};
use super::throttle::FailureSubjects;
use super::token::{self, TokenLookupKey};
use super::{KNOWN_FOR, TOKEN_LIFE, check_code};
use crate::registers::snapshot::{self, TenantRegisters, load_registers};
use crate::{App, Error};
use domain::{CallerAddress, Email, Moment, Password, Role, Scope, TenantId, UserCode};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use storage::access::logins::{self, AccountCredentials, SignInUser};
use storage::access::second_factors::{self, SecondFactorChallenge};
use storage::access::tokens::{self, NewTokenRow};
use storage::history::audit;
use storage::{Statement, Tx, WriteLane};
use tracing::Instrument;

const LONGEST_LOGIN: usize = 254;
/// How long a right login is remembered.
const REMEMBERED_FOR: Duration = Duration::from_secs(10 * 60);

/// Somebody who has just entered.
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

/// From where somebody tries to enter.
#[derive(Clone, Debug)]
pub struct CallerOrigin {
    pub address: CallerAddress,
    /// The host that was asked: it says which association is told of a login that names nobody.
    pub host: Option<String>,
}

impl From<CallerAddress> for CallerOrigin {
    fn from(address: CallerAddress) -> CallerOrigin {
        CallerOrigin { address, host: None }
    }
}

/// What a right login is for.
#[derive(Clone, Debug)]
pub(crate) enum SignInPurpose {
    /// A token, as programs get it.
    Program,
    /// The same for somebody who has given a code besides.
    ProgramWithCode,
    /// A token of the console, for a browser that calls itself so; where a second factor is owed, the right to give it.
    Console { agent: Option<String> },
    /// Nothing but to know that it is right, for an operation.
    PasswordCheck(&'static str),
}

/// The operation of a login with a code.
const SESSION: &str = "POST /gestao/sessao";

impl SignInPurpose {
    fn operation(&self) -> &'static str {
        match self {
            SignInPurpose::Program => "POST /ext/autenticacao",
            SignInPurpose::ProgramWithCode => SESSION,
            SignInPurpose::Console { .. } => "POST /console/entrar",
            SignInPurpose::PasswordCheck(operation) => operation,
        }
    }
}

/// What a right login led to.
#[derive(Debug)]
pub enum SignInOutcome {
    Grant(Box<SignInGrant>),
    /// The code is still owed: by this ticket it can be given, and nothing else be done.
    Challenge(String),
}

/// How long somebody may look for the code.
pub const HALF_FOR: Duration = Duration::from_secs(10 * 60);

/// A login that was right a moment ago.
#[derive(Clone)]
pub(crate) struct RememberedLogin {
    tenant: TenantId,
    user: UserCode,
    /// The address by which he entered, which may have become another.
    email: Arc<str>,
    /// The hash that the password was right for.
    password_hash: Arc<str>,
    until: Moment,
    /// The entry of the audit in which logins of programs are counted meanwhile.
    entry: Option<i32>,
}

/// Enters. Who is unknown, disabled or wrong gets one and the same answer, after the same work. It is carried to its end
/// even if the caller hangs up: a failure that nobody waits for counts like any other.
#[boxed::future]
pub async fn log_in_program(
    app: &App,
    login: &str,
    password: &str,
    address: CallerAddress,
) -> Result<SignInGrant, Error> {
    log_in_program_from(app, login, password, address.into()).await
}

/// The same for a request of which more is known than its address.
#[boxed::future]
pub async fn log_in_program_from(
    app: &App,
    login: &str,
    password: &str,
    origin: CallerOrigin,
) -> Result<SignInGrant, Error> {
    admit_program(app, SignInPurpose::Program, (login, password), origin).await
}

/// Enters as a program with a code besides the password, for a token that reaches everything its owner may do. Somebody
/// without a second factor needs none.
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
    door: SignInPurpose,
    credential: (&str, &str),
    origin: CallerOrigin,
) -> Result<SignInGrant, Error> {
    match sign_in_for_purpose(app, door, credential, origin).await? {
        SignInOutcome::Grant(entered) => Ok(*entered),
        SignInOutcome::Challenge(_) => Err(Error::Credential),
    }
}

/// The same by any door.
pub(crate) async fn sign_in_for_purpose(
    app: &App,
    door: SignInPurpose,
    (login, password): (&str, &str),
    origin: CallerOrigin,
) -> Result<SignInOutcome, Error> {
    // Longer than any address or password may be: nobody has it, and nobody need keep it in memory.
    if login.len() > LONGEST_LOGIN || password.len() > Password::LONGEST {
        return Err(Error::Credential);
    }
    let (app, login, password) = (app.clone(), login.to_owned(), password.to_owned());
    let attempt = async move { attempt_sign_in(&app, &login, password, (&door, &origin)).await };
    let ended = tokio::spawn(attempt.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

async fn attempt_sign_in(
    app: &App,
    login: &str,
    password: String,
    (door, origin): (&SignInPurpose, &CallerOrigin),
) -> Result<SignInOutcome, Error> {
    let address = origin.address;
    let through = (door, address);
    // What is no address belongs to nobody; it is counted and checked all the same.
    let email = Email::parse(login).ok();
    let name = email.as_ref().map_or(login, Email::as_str);
    let digest = digest_login(&app.memory.key, name, &password, address);
    let subjects = FailureSubjects::for_login(name, address);
    if let Some(entered) = repeat_remembered_login(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let account = find_allowed_account(app, email.as_ref(), &subjects, (door, origin)).await?;
    let turn = app.passwords.wait_for_turn(account.is_known_here).await?;
    // While this one waited, the same login may have been found right, or too many others wrong.
    if let Some(entered) = repeat_remembered_login(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let NamedAccount { account, target, .. } =
        find_allowed_account(app, email.as_ref(), &subjects, (door, origin)).await?;
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
            app.memory.logins.insert(digest, right);
            return Ok(admission);
        }
    }
    app.throttle.count(app, subjects, app.now()).await?;
    metrics::counter!("amparo_login_failures_total").increment(1);
    let detail = match (target.user, door) {
        (Some(user), SignInPurpose::PasswordCheck(_)) => format!("usuário {user} teve a senha recusada"),
        (Some(user), _) => format!("usuário {user} teve a entrada recusada"),
        (None, _) => "tentou entrar com um usuário que não existe".to_owned(),
    };
    login_audit::record_login_failure(app, &target, detail);
    Err(Error::Credential)
}

/// Whom a login names.
struct NamedAccount {
    account: Option<AccountCredentials>,
    target: LoginTarget,
    /// He entered correctly from this address not long ago.
    is_known_here: bool,
}

/// The account that the login names, unless too many failures came before.
async fn find_allowed_account(
    app: &App,
    email: Option<&Email>,
    subjects: &FailureSubjects,
    (door, origin): (&SignInPurpose, &CallerOrigin),
) -> Result<NamedAccount, Error> {
    let (now, address) = (app.now(), origin.address);
    let account = match email {
        Some(email) => logins::find_account_credentials(&app.db, email, address).await?,
        None => None,
    };
    // A login that names nobody concerns the association that was asked, which is known from memory.
    let tenant = match &account {
        Some(account) => Some(account.tenant),
        None => snapshot::resolve_tenant_by_host(app, origin.host.as_deref()).await.ok(),
    };
    let target = LoginTarget {
        tenant,
        user: account.as_ref().map(|account| account.user),
        operation: door.operation(),
        address,
    };
    let known = account.as_ref().and_then(|account| account.known_since);
    let is_known_here = known.is_some_and(|since| since > now.minus(KNOWN_FOR));
    app.throttle.check(app, subjects, now, (is_known_here, &target)).await?;
    Ok(NamedAccount { account, target, is_known_here })
}

/// Enters by a login that was right a moment ago from the same address, if it still is. An address that failed too often
/// is not told even that: it could try passwords without end until one is remembered.
async fn repeat_remembered_login(
    app: &App,
    digest: &[u8; 32],
    subjects: &FailureSubjects,
    through: (&SignInPurpose, CallerAddress),
) -> Result<Option<SignInOutcome>, Error> {
    let Some(mut right) = app.memory.logins.get(digest) else { return Ok(None) };
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
            app.memory.logins.insert(*digest, right);
        }
        return Ok(Some(admission));
    }
    app.memory.logins.remove(digest);
    Ok(None)
}

struct TokenIssuance {
    right: RememberedLogin,
    key: TokenLookupKey,
    door: SignInPurpose,
    address: CallerAddress,
    now: Moment,
}

/// Writes a token for him, unless he was disabled or his password or his address changed meanwhile. Says in which entry of
/// the audit further logins of the kind are counted.
async fn issue_token(
    app: &App,
    right: &RememberedLogin,
    (door, address): (&SignInPurpose, CallerAddress),
) -> Result<Option<(SignInOutcome, Option<i32>)>, Error> {
    let (token, key) = token::generate_token(right.tenant, &*app.chance);
    let input = TokenIssuance { right: right.clone(), key, door: door.clone(), address, now: app.now() };
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

/// The user who enters.
struct TokenWriteOutcome {
    entering: SignInUser,
    /// The code is still owed.
    is_half: bool,
    /// The entry of a program's login.
    entry: Option<i32>,
}

async fn write_token(tx: &mut Tx, issue: &TokenIssuance) -> Result<Option<TokenWriteOutcome>, Error> {
    let TokenIssuance { right, key, door, address, now } = issue;
    let entering = logins::find_sign_in_user(&mut *tx, right.tenant, right.user).await?;
    let is_right =
        |user: &SignInUser| *user.password_hash == *right.password_hash && *user.email == *right.email;
    let Some(entering) = entering.filter(is_right) else {
        return Ok(None);
    };
    let whose = (right.tenant, right.user);
    let generation = entering.generation;
    let agent = match door {
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
                    now.plus(HALF_FOR),
                );
                tx.execute(half).await?;
                let done = format!("usuário {} acertou a senha: falta o código", right.user);
                issue.actor().record(tx, right.tenant, done, *now).await?;
                return Ok(Some(TokenWriteOutcome { entering, is_half: true, entry: None }));
            }
            Some(agent.as_deref())
        }
    };
    let mut statements = build_token_statements(whose, key, generation, (*address, agent), *now);
    if let SignInPurpose::ProgramWithCode = door {
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
            operation: self.door.operation(),
            address: Some(self.address),
        }
    }

    /// Writes the login down. One of a program that was right a moment ago is counted in the entry of that one: a program
    /// that logs in for every conversation leaves a row every ten minutes, and its logins take no code of their own.
    async fn record_login(&self, tx: &mut Tx, statements: &mut Vec<Statement>) -> Result<Option<i32>, Error> {
        let (tenant, user) = (self.right.tenant, self.right.user);
        let detail = match (&self.door, self.right.entry) {
            (SignInPurpose::Program, Some(entry)) => {
                statements.push(audit::add_entry_repeats(tenant, entry, 1));
                return Ok(Some(entry));
            }
            (SignInPurpose::Console { .. }, _) => format!("usuário {user} entrou no console"),
            (SignInPurpose::ProgramWithCode, _) => {
                format!("usuário {user} entrou pela API com o segundo fator")
            }
            (SignInPurpose::Program | SignInPurpose::PasswordCheck(_), _) => {
                format!("usuário {user} entrou pela API")
            }
        };
        let entry = self.actor().record(tx, tenant, detail, self.now).await?;
        Ok(Some(entry).filter(|_| matches!(self.door, SignInPurpose::Program)))
    }
}

/// A token for somebody who has shown all that was owed; one of the console tells its browser.
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
    // The lengths in front: no two read alike.
    for part in [name, &address] {
        mac.update(&part.len().to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac.update(password.as_bytes());
    mac.finalize().into_bytes().into()
}
