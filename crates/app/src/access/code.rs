//! The second step of entering the console: a code, of the other device or of the list that was written down. A code is
//! good once. Whoever fails too often waits, as with passwords.

use super::login::{entered, token_of};
use super::throttle::Subjects;
use super::token::{self, TokenKey};
use super::trail::{self, Actor, Target};
use super::{Entered, key};
use crate::passwords::Turn;
use crate::second_factor::{recovery, totp};
use crate::vault::{Place, Vault};
use crate::{App, Error};
use domain::{CallerAddress, Moment, TenantId, UserCode};
use storage::logins::{self, Entering};
use storage::second_factors::{self, Entrance};
use storage::secrets::{self, Kind};
use storage::{Lane, Tx};
use tracing::Instrument;

/// The operation of the page that asks for the code.
const DOOR: &str = "POST /console/entrar/codigo";

/// What came of a code.
#[derive(Debug)]
pub enum Passed {
    In(Box<Entered>),
    Wrong,
    /// The ticket is none, or it was too long ago: the password is asked for again.
    Over,
}

/// Whether by this ticket a code can be given.
#[boxed::future]
pub async fn is_half(app: &App, ticket: &str) -> Result<bool, Error> {
    Ok(waiting(app, ticket).await?.is_some())
}

async fn waiting(app: &App, ticket: &str) -> Result<Option<(TokenKey, Entrance)>, Error> {
    let Some(key) = key(ticket) else { return Ok(None) };
    let found = second_factors::waiting(&app.db, key.tenant, &key.hash, app.now()).await?;
    Ok(found.map(|entrance| (key, entrance)))
}

/// Gives the code that is owed for a ticket. Like a login, it is carried to its end even if the caller hangs up.
#[boxed::future]
pub async fn give_code(
    app: &App,
    ticket: &str,
    code: &str,
    (address, agent): (CallerAddress, Option<String>),
) -> Result<Passed, Error> {
    let Some((ticket, entrance)) = waiting(app, ticket).await? else { return Ok(Passed::Over) };
    let (app, code) = (app.clone(), code.to_owned());
    let giving = async move {
        let subjects = Subjects::of_codes(ticket.tenant, entrance.user, address);
        let target = target((ticket.tenant, entrance.user), DOOR, address);
        let turn = turn(&app, &subjects, &target).await?;
        let passed = pass(&app, ticket, entrance.user, code, (address, agent)).await?;
        if let Passed::Wrong = passed {
            count(&app, subjects, &target).await?;
        }
        drop(turn);
        Ok(passed)
    };
    let ended = tokio::spawn(giving.in_current_span()).await;
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Whether this is a good code of somebody who has entered; then it is used up.
pub(crate) async fn check_code(
    app: &App,
    (tenant, user): (TenantId, UserCode),
    code: &str,
    (operation, address): (&'static str, CallerAddress),
) -> Result<bool, Error> {
    let subjects = Subjects::of_codes(tenant, user, address);
    let target = target((tenant, user), operation, address);
    let actor = Actor { user: Some(user), operation, address: Some(address) };
    let turn = turn(app, &subjects, &target).await?;
    let (vault, code) = (app.vault()?.clone(), code.to_owned());
    let input = Typed { vault, tenant, user, code, actor, now: app.now() };
    let spent = app.db.write(Lane::of(tenant), input, |tx, typed| Box::pin(spend(tx, typed))).await?;
    if spent.is_none() {
        count(app, subjects, &target).await?;
    }
    drop(turn);
    Ok(spent.is_some())
}

fn target((tenant, user): (TenantId, UserCode), operation: &'static str, address: CallerAddress) -> Target {
    Target { tenant: Some(tenant), user: Some(user), operation, address }
}

/// One at a time, so that however many try at once, no more get through than the limits say.
async fn turn(app: &App, subjects: &Subjects, target: &Target) -> Result<Turn, Error> {
    app.throttle.check(app, subjects, app.now(), (false, target)).await?;
    let turn = app.passwords.turn(true).await?;
    app.throttle.check(app, subjects, app.now(), (false, target)).await?;
    Ok(turn)
}

async fn count(app: &App, subjects: Subjects, target: &Target) -> Result<(), Error> {
    metrics::counter!("amparo_login_failures_total").increment(1);
    app.throttle.count(app, subjects, app.now()).await?;
    if let Some(user) = target.user {
        trail::note_failure(app, target, format!("usuário {user} teve um código recusado"));
    }
    Ok(())
}

/// A code as it was typed.
struct Typed {
    vault: Vault,
    tenant: TenantId,
    user: UserCode,
    code: String,
    actor: Actor,
    now: Moment,
}

/// What a code was.
enum Spent {
    OfDevice,
    Recovery,
}

struct Pass {
    typed: Typed,
    ticket: TokenKey,
    key: TokenKey,
    address: CallerAddress,
    agent: Option<String>,
}

enum Step {
    Through(Box<Entering>),
    Wrong,
    Over,
}

async fn pass(
    app: &App,
    ticket: TokenKey,
    user: UserCode,
    code: String,
    (address, agent): (CallerAddress, Option<String>),
) -> Result<Passed, Error> {
    let tenant = ticket.tenant;
    let (token, key) = token::fresh(tenant, &*app.chance);
    let actor = Actor { user: Some(user), operation: DOOR, address: Some(address) };
    let typed = Typed { vault: app.vault()?.clone(), tenant, user, code, actor, now: app.now() };
    let input = Pass { typed, ticket, key, address, agent };
    let step = app.db.write(Lane::of(tenant), input, |tx, pass| Box::pin(through(tx, pass))).await?;
    Ok(match step {
        Step::Through(entering) => {
            Passed::In(Box::new(entered(app, token, (tenant, user), *entering).await?))
        }
        Step::Wrong => Passed::Wrong,
        Step::Over => Passed::Over,
    })
}

async fn through(tx: &mut Tx, pass: &Pass) -> Result<Step, Error> {
    let Pass { typed, ticket, key, address, agent } = pass;
    let (tenant, now) = (typed.tenant, typed.now);
    let waits = second_factors::waiting(&mut *tx, tenant, &ticket.hash, now).await?;
    let entering = logins::entering(&mut *tx, tenant, typed.user).await?;
    let (Some(waits), Some(entering)) = (waits, entering) else { return Ok(Step::Over) };
    // His sessions were ended meanwhile, perhaps with his password: so was this.
    if waits.generation != entering.generation {
        return Ok(Step::Over);
    }
    let Some(spent) = spend(tx, typed).await? else { return Ok(Step::Wrong) };
    let how = match spent {
        Spent::OfDevice => "com o segundo fator",
        Spent::Recovery => "com um código de recuperação",
    };
    let done = format!("usuário {} entrou no console {how}", typed.user);
    typed.actor.record(tx, tenant, done, now).await?;
    let from = (*address, Some(agent.as_deref()));
    let mut statements = token_of((tenant, typed.user), key, entering.generation, from, now);
    statements.push(second_factors::pass(tenant, &ticket.hash));
    tx.batch(statements).await?;
    Ok(Step::Through(Box::new(entering)))
}

/// Uses a code up: one that the device shows now or a step around now, later than the last; or one that was written down.
/// `None` where it is neither.
async fn spend(tx: &mut Tx, typed: &Typed) -> Result<Option<Spent>, Error> {
    let (tenant, user) = (typed.tenant, typed.user);
    let factor = second_factors::find(&mut *tx, tenant, user).await?;
    let Some(factor) = factor.filter(|factor| factor.confirmed_at.is_some()) else { return Ok(None) };
    if let Some(hash) = recovery::hash(tenant, user, &typed.code) {
        if !second_factors::spend_recovery(tx, tenant, user, &hash).await? {
            return Ok(None);
        }
        let done = format!("usuário {user} usou um código de recuperação");
        typed.actor.record(tx, tenant, done, typed.now).await?;
        return Ok(Some(Spent::Recovery));
    }
    let Some(secret) = secret(tx, &typed.vault, tenant, user).await? else { return Ok(None) };
    match totp::step(&secret, &typed.code, typed.now).filter(|step| *step > factor.last_step) {
        Some(step) => {
            let is_first = second_factors::spend(tx, tenant, user, step).await?;
            Ok(is_first.then_some(Spent::OfDevice))
        }
        None => Ok(None),
    }
}

/// Where a user's secret is kept.
pub(crate) fn place(tenant: TenantId, user: UserCode) -> Place {
    Place { tenant, kind: Kind::SecondFactor, code: user.get() }
}

pub(crate) async fn secret(
    tx: &mut Tx,
    vault: &Vault,
    tenant: TenantId,
    user: UserCode,
) -> Result<Option<Vec<u8>>, Error> {
    let sealed = secrets::find(&mut *tx, tenant, Kind::SecondFactor, user.get()).await?;
    sealed.map(|sealed| vault.open(place(tenant, user), &sealed)).transpose()
}
