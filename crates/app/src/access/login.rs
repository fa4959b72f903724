//! Entering with login and password.
//!
//! A right login is remembered for ten minutes, as a keyed digest that only this process can make, so that programs that
//! log in for every conversation do not pay for Argon2 each time; the user is looked up again all the same, and a token
//! written. Everybody else waits for his turn at the hash, and his failure is counted before the turn passes on: however
//! many try at once, no more get through than the limits say.

use super::throttle::Subjects;
use super::token::{self, TokenKey};
use super::trail::{self, Actor, Target};
use super::{KNOWN_FOR, TOKEN_LIFE, check_code};
use crate::base::{self, Registers, registers};
use crate::{App, Error};
use domain::{CallerAddress, Email, Moment, Password, Role, Scope, TenantId, UserCode};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use storage::logins::{self, Account, Entering};
use storage::second_factors::{self, Entrance};
use storage::tokens::{self, NewToken};
use storage::{Lane, Statement, Tx, audit};
use tracing::Instrument;

const LONGEST_LOGIN: usize = 254;
/// How long a right login is remembered.
const REMEMBERED_FOR: Duration = Duration::from_secs(10 * 60);

/// Somebody who has just entered.
#[derive(Debug)]
pub struct Entered {
    pub token: String,
    pub tenant: TenantId,
    pub tenant_name: String,
    pub user: UserCode,
    pub user_name: String,
    pub role: Role,
    pub must_change_password: bool,
    pub scope: Scope,
    pub registers: Arc<Registers>,
}

/// From where somebody tries to enter.
#[derive(Clone, Debug)]
pub struct Origin {
    pub address: CallerAddress,
    /// The host that was asked: it says which association is told of a login that names nobody.
    pub host: Option<String>,
}

impl From<CallerAddress> for Origin {
    fn from(address: CallerAddress) -> Origin {
        Origin { address, host: None }
    }
}

/// What a right login is for.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// A token, as programs get it.
    Program,
    /// The same for somebody who has given a code besides.
    ProgramWithCode,
    /// A token of the console, for a browser that calls itself so; where a second factor is owed, the right to give it.
    Console { agent: Option<String> },
    /// Nothing but to know that it is right, for an operation.
    Question(&'static str),
}

/// The operation of a login with a code.
const SESSION: &str = "POST /gestao/sessao";

impl Door {
    fn operation(&self) -> &'static str {
        match self {
            Door::Program => "POST /ext/autenticacao",
            Door::ProgramWithCode => SESSION,
            Door::Console { .. } => "POST /console/entrar",
            Door::Question(operation) => operation,
        }
    }
}

/// What a right login led to.
#[derive(Debug)]
pub enum Admission {
    In(Box<Entered>),
    /// The code is still owed: by this ticket it can be given, and nothing else be done.
    Half(String),
}

/// How long somebody may look for the code.
pub const HALF_FOR: Duration = Duration::from_secs(10 * 60);

/// A login that was right a moment ago.
#[derive(Clone)]
pub(crate) struct Remembered {
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
pub async fn login(app: &App, login: &str, password: &str, address: CallerAddress) -> Result<Entered, Error> {
    login_from(app, login, password, address.into()).await
}

/// The same for a request of which more is known than its address.
#[boxed::future]
pub async fn login_from(app: &App, login: &str, password: &str, origin: Origin) -> Result<Entered, Error> {
    enter_program(app, Door::Program, (login, password), origin).await
}

/// Enters as a program with a code besides the password, for a token that reaches everything its owner may do. Somebody
/// without a second factor needs none.
#[boxed::future]
pub async fn login_with_code(
    app: &App,
    (login, password, code): (&str, &str, Option<&str>),
    origin: Origin,
) -> Result<Entered, Error> {
    let named = enter_program(app, Door::Question(SESSION), (login, password), origin.clone()).await?;
    let factor = second_factors::find(&app.db, named.tenant, named.user).await?;
    if factor.is_none_or(|factor| factor.confirmed_at.is_none()) {
        return enter_program(app, Door::Program, (login, password), origin).await;
    }
    let code = code.ok_or(Error::CodeNotGiven)?;
    if !check_code(app, (named.tenant, named.user), code, (SESSION, origin.address)).await? {
        return Err(Error::Credential);
    }
    enter_program(app, Door::ProgramWithCode, (login, password), origin).await
}

async fn enter_program(
    app: &App,
    door: Door,
    credential: (&str, &str),
    origin: Origin,
) -> Result<Entered, Error> {
    match by_door(app, door, credential, origin).await? {
        Admission::In(entered) => Ok(*entered),
        Admission::Half(_) => Err(Error::Credential),
    }
}

/// The same by any door.
pub(crate) async fn by_door(
    app: &App,
    door: Door,
    (login, password): (&str, &str),
    origin: Origin,
) -> Result<Admission, Error> {
    // Longer than any address or password may be: nobody has it, and nobody need keep it in memory.
    if login.len() > LONGEST_LOGIN || password.len() > Password::LONGEST {
        return Err(Error::Credential);
    }
    let (app, login, password) = (app.clone(), login.to_owned(), password.to_owned());
    let attempt = async move { attempt(&app, &login, password, (&door, &origin)).await };
    let ended = tokio::spawn(attempt.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

async fn attempt(
    app: &App,
    login: &str,
    password: String,
    (door, origin): (&Door, &Origin),
) -> Result<Admission, Error> {
    let address = origin.address;
    let through = (door, address);
    // What is no address belongs to nobody; it is counted and checked all the same.
    let email = Email::parse(login).ok();
    let name = email.as_ref().map_or(login, Email::as_str);
    let digest = digest(&app.memory.key, name, &password, address);
    let subjects = Subjects::of(name, address);
    if let Some(entered) = repeat(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let account = allowed(app, email.as_ref(), &subjects, (door, origin)).await?;
    let turn = app.passwords.turn(account.is_known_here).await?;
    // While this one waited, the same login may have been found right, or too many others wrong.
    if let Some(entered) = repeat(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let Named { account, target, .. } = allowed(app, email.as_ref(), &subjects, (door, origin)).await?;
    let hash = account.as_ref().map(|account| account.password_hash.as_str());
    let (turn, is_right) = app.passwords.verify(turn, password, hash).await;
    if let (true, Some(account)) = (is_right?, account) {
        drop(turn);
        let mut right = Remembered {
            tenant: account.tenant,
            user: account.user,
            email: name.into(),
            password_hash: account.password_hash.into(),
            until: app.now().plus(REMEMBERED_FOR),
            entry: None,
        };
        if let Some((admission, entry)) = issue(app, &right, through).await? {
            right.entry = entry;
            app.memory.logins.insert(digest, right);
            return Ok(admission);
        }
    }
    app.throttle.count(app, subjects, app.now()).await?;
    metrics::counter!("amparo_login_failures_total").increment(1);
    let detail = match (target.user, door) {
        (Some(user), Door::Question(_)) => format!("usuário {user} teve a senha recusada"),
        (Some(user), _) => format!("usuário {user} teve a entrada recusada"),
        (None, _) => "tentou entrar com um usuário que não existe".to_owned(),
    };
    trail::note_failure(app, &target, detail);
    Err(Error::Credential)
}

/// Whom a login names.
struct Named {
    account: Option<Account>,
    target: Target,
    /// He entered correctly from this address not long ago.
    is_known_here: bool,
}

/// The account that the login names, unless too many failures came before.
async fn allowed(
    app: &App,
    email: Option<&Email>,
    subjects: &Subjects,
    (door, origin): (&Door, &Origin),
) -> Result<Named, Error> {
    let (now, address) = (app.now(), origin.address);
    let account = match email {
        Some(email) => logins::account(&app.db, email, address).await?,
        None => None,
    };
    // A login that names nobody concerns the association that was asked, which is known from memory.
    let tenant = match &account {
        Some(account) => Some(account.tenant),
        None => base::meant(app, origin.host.as_deref()).await.ok(),
    };
    let target = Target {
        tenant,
        user: account.as_ref().map(|account| account.user),
        operation: door.operation(),
        address,
    };
    let known = account.as_ref().and_then(|account| account.known_since);
    let is_known_here = known.is_some_and(|since| since > now.minus(KNOWN_FOR));
    app.throttle.check(app, subjects, now, (is_known_here, &target)).await?;
    Ok(Named { account, target, is_known_here })
}

/// Enters by a login that was right a moment ago from the same address, if it still is. An address that failed too often
/// is not told even that: it could try passwords without end until one is remembered.
async fn repeat(
    app: &App,
    digest: &[u8; 32],
    subjects: &Subjects,
    through: (&Door, CallerAddress),
) -> Result<Option<Admission>, Error> {
    let Some(mut right) = app.memory.logins.get(digest) else { return Ok(None) };
    let target = Target {
        tenant: Some(right.tenant),
        user: Some(right.user),
        operation: through.0.operation(),
        address: through.1,
    };
    app.throttle.check(app, subjects, app.now(), (true, &target)).await?;
    if app.now() < right.until
        && let Some((admission, entry)) = issue(app, &right, through).await?
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

struct Issue {
    right: Remembered,
    key: TokenKey,
    door: Door,
    address: CallerAddress,
    now: Moment,
}

/// Writes a token for him, unless he was disabled or his password or his address changed meanwhile. Says in which entry of
/// the audit further logins of the kind are counted.
async fn issue(
    app: &App,
    right: &Remembered,
    (door, address): (&Door, CallerAddress),
) -> Result<Option<(Admission, Option<i32>)>, Error> {
    let (token, key) = token::fresh(right.tenant, &*app.chance);
    let input = Issue { right: right.clone(), key, door: door.clone(), address, now: app.now() };
    let lane = Lane::of(right.tenant);
    let written = app.db.write(lane, input, |tx, input| Box::pin(write_token(tx, input))).await?;
    let Some(Written { entering, is_half, entry }) = written else { return Ok(None) };
    let admission = match is_half {
        true => Admission::Half(token),
        false => Admission::In(Box::new(entered(app, token, (right.tenant, right.user), entering).await?)),
    };
    Ok(Some((admission, entry)))
}

pub(super) async fn entered(
    app: &App,
    token: String,
    (tenant, user): (TenantId, UserCode),
    entering: Entering,
) -> Result<Entered, Error> {
    Ok(Entered {
        token,
        tenant,
        tenant_name: entering.tenant_name,
        user,
        user_name: entering.name,
        role: entering.role,
        must_change_password: entering.must_change_password,
        scope: Scope::of(tenant, entering.role, entering.branches),
        registers: registers(app, tenant).await?,
    })
}

/// The user who enters.
struct Written {
    entering: Entering,
    /// The code is still owed.
    is_half: bool,
    /// The entry of a program's login.
    entry: Option<i32>,
}

async fn write_token(tx: &mut Tx, issue: &Issue) -> Result<Option<Written>, Error> {
    let Issue { right, key, door, address, now } = issue;
    let entering = logins::entering(&mut *tx, right.tenant, right.user).await?;
    let is_right =
        |user: &Entering| *user.password_hash == *right.password_hash && *user.email == *right.email;
    let Some(entering) = entering.filter(is_right) else {
        return Ok(None);
    };
    let whose = (right.tenant, right.user);
    let generation = entering.generation;
    let agent = match door {
        Door::Question(_) => return Ok(Some(Written { entering, is_half: false, entry: None })),
        Door::Program | Door::ProgramWithCode => None,
        Door::Console { agent } => {
            let factor = second_factors::find(&mut *tx, right.tenant, right.user).await?;
            if factor.is_some_and(|factor| factor.confirmed_at.is_some()) {
                let waits = Entrance { user: right.user, generation };
                let half = second_factors::wait(right.tenant, &key.hash, waits, now.plus(HALF_FOR));
                tx.execute(half).await?;
                let done = format!("usuário {} acertou a senha: falta o código", right.user);
                issue.actor().record(tx, right.tenant, done, *now).await?;
                return Ok(Some(Written { entering, is_half: true, entry: None }));
            }
            Some(agent.as_deref())
        }
    };
    let mut statements = token_of(whose, key, generation, (*address, agent), *now);
    if let Door::ProgramWithCode = door {
        statements.push(tokens::mark_code(right.tenant, &key.hash));
    }
    let entry = issue.trace(tx, &mut statements).await?;
    tx.batch(statements).await?;
    Ok(Some(Written { entering, is_half: false, entry }))
}

impl Issue {
    fn actor(&self) -> Actor {
        Actor { user: Some(self.right.user), operation: self.door.operation(), address: Some(self.address) }
    }

    /// Writes the login down. One of a program that was right a moment ago is counted in the entry of that one: a program
    /// that logs in for every conversation leaves a row every ten minutes, and its logins take no code of their own.
    async fn trace(&self, tx: &mut Tx, statements: &mut Vec<Statement>) -> Result<Option<i32>, Error> {
        let (tenant, user) = (self.right.tenant, self.right.user);
        let detail = match (&self.door, self.right.entry) {
            (Door::Program, Some(entry)) => {
                statements.push(audit::repeat_access(tenant, entry, 1));
                return Ok(Some(entry));
            }
            (Door::Console { .. }, _) => format!("usuário {user} entrou no console"),
            (Door::ProgramWithCode, _) => format!("usuário {user} entrou pela API com o segundo fator"),
            (Door::Program | Door::Question(_), _) => format!("usuário {user} entrou pela API"),
        };
        let entry = self.actor().record(tx, tenant, detail, self.now).await?;
        Ok(Some(entry).filter(|_| matches!(self.door, Door::Program)))
    }
}

/// A token for somebody who has shown all that was owed; one of the console tells its browser.
pub(super) fn token_of(
    (tenant, user): (TenantId, UserCode),
    key: &TokenKey,
    generation: i64,
    (address, agent): (CallerAddress, Option<Option<&str>>),
    now: Moment,
) -> Vec<Statement> {
    let expires_at = now.plus(TOKEN_LIFE);
    let mut statements = vec![
        tokens::insert(&NewToken { tenant, hash: &key.hash, user, generation, now, expires_at }),
        logins::know_address(tenant, user, address, now),
    ];
    statements.extend(
        agent.map(|agent| tokens::mark_console(tenant, &key.hash, (&address.to_string(), agent), now)),
    );
    statements
}

fn digest(key: &[u8; 64], name: &str, password: &str, address: CallerAddress) -> [u8; 32] {
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
