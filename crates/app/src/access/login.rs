//! Entering with login and password.
//!
//! A right login is remembered for ten minutes, as a keyed digest that only this process can make, so that programs that
//! log in for every conversation do not pay for Argon2 each time; the user is looked up again all the same, and a token
//! written. Everybody else waits for his turn at the hash, and his failure is counted before the turn passes on: however
//! many try at once, no more get through than the limits say.

use super::throttle::Subjects;
use super::token::{self, TokenKey};
use super::{KNOWN_FOR, TOKEN_LIFE};
use crate::base::{Registers, registers};
use crate::{App, Error};
use domain::{CallerAddress, Email, Moment, Password, Role, Scope, TenantId, UserCode};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::Arc;
use std::time::Duration;
use storage::logins::{self, Account, Entering};
use storage::second_factors::{self, Entrance};
use storage::tokens::{self, NewToken};
use storage::{Lane, Statement, Tx};
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

/// What a right login is for.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// A token, as programs get it.
    Program,
    /// A token of the console, for a browser that calls itself so; where a second factor is owed, the right to give it.
    Console { agent: Option<String> },
    /// Nothing but to know that it is right.
    Question,
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
}

/// Enters. Who is unknown, disabled or wrong gets one and the same answer, after the same work. It is carried to its end
/// even if the caller hangs up: a failure that nobody waits for counts like any other.
pub async fn login(app: &App, login: &str, password: &str, address: CallerAddress) -> Result<Entered, Error> {
    match by_door(app, Door::Program, (login, password), address).await? {
        Admission::In(entered) => Ok(*entered),
        Admission::Half(_) => Err(Error::Credential),
    }
}

/// The same by any door.
pub(crate) async fn by_door(
    app: &App,
    door: Door,
    (login, password): (&str, &str),
    address: CallerAddress,
) -> Result<Admission, Error> {
    // Longer than any address or password may be: nobody has it, and nobody need keep it in memory.
    if login.len() > LONGEST_LOGIN || password.len() > Password::LONGEST {
        return Err(Error::Credential);
    }
    let (app, login, password) = (app.clone(), login.to_owned(), password.to_owned());
    let attempt = async move { attempt(&app, &login, password, (&door, address)).await };
    let ended = tokio::spawn(attempt.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

async fn attempt(
    app: &App,
    login: &str,
    password: String,
    through: (&Door, CallerAddress),
) -> Result<Admission, Error> {
    let address = through.1;
    // What is no address belongs to nobody; it is counted and checked all the same.
    let email = Email::parse(login).ok();
    let name = email.as_ref().map_or(login, Email::as_str);
    let digest = digest(&app.memory.key, name, &password, address);
    let subjects = Subjects::of(name, address);
    if let Some(entered) = repeat(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let account = allowed(app, email.as_ref(), &subjects, address).await?;
    let turn = app.passwords.turn(account.is_known_here).await?;
    // While this one waited, the same login may have been found right, or too many others wrong.
    if let Some(entered) = repeat(app, &digest, &subjects, through).await? {
        return Ok(entered);
    }
    let account = allowed(app, email.as_ref(), &subjects, address).await?.account;
    let hash = account.as_ref().map(|account| account.password_hash.as_str());
    let (turn, is_right) = app.passwords.verify(turn, password, hash).await;
    if let (true, Some(account)) = (is_right?, account) {
        drop(turn);
        let right = Remembered {
            tenant: account.tenant,
            user: account.user,
            email: name.into(),
            password_hash: account.password_hash.into(),
            until: app.now().plus(REMEMBERED_FOR),
        };
        if let Some(admission) = issue(app, &right, through).await? {
            app.memory.logins.insert(digest, right);
            return Ok(admission);
        }
    }
    app.throttle.count(app, subjects, app.now()).await?;
    metrics::counter!("amparo_login_failures_total").increment(1);
    Err(Error::Credential)
}

/// Whom a login names.
struct Named {
    account: Option<Account>,
    /// He entered correctly from this address not long ago.
    is_known_here: bool,
}

/// The account that the login names, unless too many failures came before.
async fn allowed(
    app: &App,
    email: Option<&Email>,
    subjects: &Subjects,
    address: CallerAddress,
) -> Result<Named, Error> {
    let now = app.now();
    let account = match email {
        Some(email) => logins::account(&app.db, email, address).await?,
        None => None,
    };
    let known = account.as_ref().and_then(|account| account.known_since);
    let is_known_here = known.is_some_and(|since| since > now.minus(KNOWN_FOR));
    app.throttle.check(app, subjects, now, is_known_here).await?;
    Ok(Named { account, is_known_here })
}

/// Enters by a login that was right a moment ago from the same address, if it still is. An address that failed too often
/// is not told even that: it could try passwords without end until one is remembered.
async fn repeat(
    app: &App,
    digest: &[u8; 32],
    subjects: &Subjects,
    through: (&Door, CallerAddress),
) -> Result<Option<Admission>, Error> {
    let Some(right) = app.memory.logins.get(digest) else { return Ok(None) };
    app.throttle.check(app, subjects, app.now(), true).await?;
    if app.now() < right.until
        && let Some(admission) = issue(app, &right, through).await?
    {
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

/// Writes a token for him, unless he was disabled or his password or his address changed meanwhile.
async fn issue(
    app: &App,
    right: &Remembered,
    (door, address): (&Door, CallerAddress),
) -> Result<Option<Admission>, Error> {
    let (token, key) = token::fresh(right.tenant, &*app.chance);
    let input = Issue { right: right.clone(), key, door: door.clone(), address, now: app.now() };
    let lane = Lane::of(right.tenant);
    let entering = app.db.write(lane, input, |tx, input| Box::pin(write_token(tx, input))).await?;
    let Some((entering, is_half)) = entering else { return Ok(None) };
    Ok(Some(match is_half {
        true => Admission::Half(token),
        false => Admission::In(Box::new(entered(app, token, (right.tenant, right.user), entering).await?)),
    }))
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

/// The user who enters, and whether he still owes the code.
async fn write_token(tx: &mut Tx, issue: &Issue) -> Result<Option<(Entering, bool)>, Error> {
    let Issue { right, key, door, address, now } = issue;
    let entering = logins::entering(&mut *tx, right.tenant, right.user).await?;
    let is_right =
        |user: &Entering| *user.password_hash == *right.password_hash && *user.email == *right.email;
    let Some(entering) = entering.filter(is_right) else {
        return Ok(None);
    };
    let whose = (right.tenant, right.user);
    let agent = match door {
        Door::Question => return Ok(Some((entering, false))),
        Door::Program => None,
        Door::Console { agent } => {
            let factor = second_factors::find(&mut *tx, right.tenant, right.user).await?;
            if factor.is_some_and(|factor| factor.confirmed_at.is_some()) {
                let waits = Entrance { user: right.user, generation: entering.generation };
                let half = second_factors::wait(right.tenant, &key.hash, waits, now.plus(HALF_FOR));
                tx.execute(half).await?;
                return Ok(Some((entering, true)));
            }
            Some(agent.as_deref())
        }
    };
    tx.batch(token_of(whose, key, entering.generation, (*address, agent), *now)).await?;
    Ok(Some((entering, false)))
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
    statements
        .extend(agent.map(|agent| tokens::mark_console(tenant, &key.hash, &address.to_string(), agent)));
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
