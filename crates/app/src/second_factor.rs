//! The second factor: a code of another device besides the password, for those who want it or whose association demands it.
//! Programs enter with login and password as ever, and then reach `/ext` alone. It is switched on by its owner with the
//! password, off by its owner with a code, by another administrator or by a command; the secret is sealed with the server's key, and only hashes of the recovery codes are kept.

pub(crate) mod recovery;
pub(crate) mod totp;

use crate::access::{self, Actor, Door, Session};
use crate::mail::{self, Addressee, Message};
use crate::vault::Vault;
use crate::visits::Visitor;
use crate::{App, Error, users};
use domain::{CallerAddress, Email, Field, Moment, Rejection, Role, TenantId, UserCode};
use std::sync::Arc;
use storage::secrets::{self, Kind};
use storage::versions::{self, Versions};
use storage::{Lane, Tx, second_factors, tokens};

const OWN: &str = "POST /console/conta/segundo-fator";
const OTHERS: &str = "POST /console/usuarios/{codUsuario}/segundo-fator";
const COMMAND: &str = "amparo user remove-second-factor";

/// How it stands with somebody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Off,
    /// A secret was made, and no code has confirmed it yet.
    Begun,
    On {
        since: Moment,
        recovery_left: i64,
    },
}

#[boxed::future]
pub async fn state(app: &App, tenant: TenantId, user: UserCode) -> Result<State, Error> {
    let factor = second_factors::find(&app.db, tenant, user).await?;
    Ok(match factor.map(|factor| factor.confirmed_at) {
        None => State::Off,
        Some(None) => State::Begun,
        Some(Some(since)) => {
            let recovery_left = second_factors::recovery_left(&app.db, tenant, user).await?;
            State::On { since, recovery_left }
        }
    })
}

struct Doing<W> {
    vault: Option<Vault>,
    tenant: TenantId,
    user: UserCode,
    what: W,
    now: Moment,
}

fn own<W>(app: &App, visitor: &Visitor, what: W) -> Result<Doing<W>, Error> {
    let (tenant, user) = (visitor.session.scope.tenant(), visitor.session.user);
    Ok(Doing { vault: Some(app.vault()?.clone()), tenant, user, what, now: app.now() })
}

/// Makes a secret that waits to be confirmed; one that waited before is forgotten, one that counts stays. `false` where the
/// password is wrong: whoever finds a session open shuts nobody out.
#[boxed::future]
pub async fn begin(app: &App, visitor: &Visitor, password: &str, from: CallerAddress) -> Result<bool, Error> {
    if !is_password(app, visitor, password, from).await? {
        return Ok(false);
    }
    let mut secret = [0; totp::SECRET];
    app.chance.fill(&mut secret);
    let place = access::place(visitor.session.scope.tenant(), visitor.session.user);
    let doing = own(app, visitor, app.vault()?.seal(&*app.chance, place, &secret)?)?;
    app.db.write(Lane::of(doing.tenant), doing, |tx, doing| Box::pin(write_begin(tx, doing))).await?;
    Ok(true)
}

async fn write_begin(tx: &mut Tx, doing: &Doing<Vec<u8>>) -> Result<(), Error> {
    let (tenant, user) = (doing.tenant, doing.user);
    let factor = second_factors::find(&mut *tx, tenant, user).await?;
    if factor.is_some_and(|factor| factor.confirmed_at.is_some()) {
        return Ok(());
    }
    second_factors::begin(tx, tenant, user).await?;
    Ok(secrets::keep(tx, tenant, Kind::SecondFactor, user.get(), &doing.what).await?)
}

/// A secret that waits to be confirmed, as its owner needs it.
#[derive(Clone, PartialEq, Eq)]
pub struct Waiting {
    /// To be typed.
    pub text: String,
    /// What the picture says.
    pub address: String,
}

/// What waits to be confirmed.
#[boxed::future]
pub async fn waiting(app: &App, visitor: &Visitor) -> Result<Option<Waiting>, Error> {
    let doing = own(app, visitor, ())?;
    let secret = app.db.read(doing, |tx, doing| Box::pin(unconfirmed(tx, doing))).await?;
    Ok(secret.map(|secret| Waiting {
        text: totp::text(&secret),
        address: totp::address(&secret, &visitor.base, &visitor.email),
    }))
}

async fn unconfirmed<W>(tx: &mut Tx, doing: &Doing<W>) -> Result<Option<Vec<u8>>, Error> {
    let factor = second_factors::find(&mut *tx, doing.tenant, doing.user).await?;
    match (factor, &doing.vault) {
        (Some(factor), Some(vault)) if factor.confirmed_at.is_none() => {
            access::secret(tx, vault, doing.tenant, doing.user).await
        }
        _ => Ok(None),
    }
}

/// Confirms by a code: from now on one is asked for. Gives the recovery codes, which nobody sees again; `None` where the code
/// is wrong or nothing waits. Sessions of the console that were begun without a code end, but for the visitor's own; tokens
/// of programs reach `/ext` alone from now on.
#[boxed::future]
pub async fn confirm(app: &App, visitor: &Visitor, code: &str) -> Result<Option<Vec<String>>, Error> {
    let codes = recovery::fresh(&*app.chance);
    let what = Confirmation {
        code: code.to_owned(),
        recovery: codes.clone(),
        session: visitor.session.key.hash,
        actor: visitor.session.actor(OWN),
        server: Arc::clone(&app.public_url),
    };
    let doing = own(app, visitor, what)?;
    let tenant = doing.tenant;
    let raised =
        app.db.write(Lane::of(tenant), doing, |tx, doing| Box::pin(write_confirm(tx, doing))).await?;
    Ok(raised.map(|raised| {
        app.memory.raise(tenant, raised);
        codes
    }))
}

struct Confirmation {
    code: String,
    recovery: Vec<String>,
    /// The session that stays.
    session: [u8; 32],
    actor: Actor,
    server: Arc<str>,
}

async fn write_confirm(tx: &mut Tx, doing: &Doing<Confirmation>) -> Result<Option<Versions>, Error> {
    let (tenant, user) = (doing.tenant, doing.user);
    let Confirmation { code, recovery: codes, session, actor, server } = &doing.what;
    let Some(secret) = unconfirmed(tx, doing).await? else { return Ok(None) };
    let Some(step) = totp::step(&secret, code, doing.now) else { return Ok(None) };
    let hashes: Vec<[u8; 32]> = codes.iter().filter_map(|code| recovery::hash(tenant, user, code)).collect();
    second_factors::confirm(tx, (tenant, user), step, &hashes, doing.now).await?;
    tokens::end_other_console(tx, tenant, user, session).await?;
    let done = format!("usuário {user} ligou o segundo fator");
    actor.record(tx, tenant, done, doing.now).await?;
    let owner = owner(tx, tenant, user).await?;
    let to = Addressee { tenant, name: &owner.name, email: &owner.email };
    mail::write(tx, server, to, Message::SecondFactorOn, doing.now).await?;
    Ok(Some(versions::raise_access(tx, tenant).await?))
}

async fn owner(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<users::User, Error> {
    let found = storage::users::find(&mut *tx, tenant, user).await?;
    found.ok_or(Error::NoSuch { field: Field::User, code: user.get() })
}

/// Whether this is a good code of the visitor's, which is used up. The password is no proof: whoever has only that must not
/// get rid of the second factor.
async fn is_proven(app: &App, visitor: &Visitor, code: &str, from: CallerAddress) -> Result<bool, Error> {
    let whose = (visitor.session.scope.tenant(), visitor.session.user);
    access::check_code(app, whose, code, (OWN, from)).await
}

async fn is_password(
    app: &App,
    visitor: &Visitor,
    password: &str,
    from: CallerAddress,
) -> Result<bool, Error> {
    match access::by_door(app, Door::Question(OWN), (&visitor.email, password), from.into()).await {
        Ok(_) => Ok(true),
        Err(Error::Credential) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Ten new recovery codes in place of those that are left; `None` where the code is wrong, or there is nothing to recover.
#[boxed::future]
pub async fn renew_recovery(
    app: &App,
    visitor: &Visitor,
    code: &str,
    from: CallerAddress,
) -> Result<Option<Vec<String>>, Error> {
    if !is_proven(app, visitor, code, from).await? {
        return Ok(None);
    }
    let codes = recovery::fresh(&*app.chance);
    let doing = own(app, visitor, (codes.clone(), visitor.session.actor(OWN)))?;
    let lane = Lane::of(doing.tenant);
    let done = app.db.write(lane, doing, |tx, doing| Box::pin(write_recovery(tx, doing))).await?;
    Ok(done.then_some(codes))
}

async fn write_recovery(tx: &mut Tx, doing: &Doing<(Vec<String>, Actor)>) -> Result<bool, Error> {
    let (tenant, user, (codes, actor)) = (doing.tenant, doing.user, &doing.what);
    let factor = second_factors::find(&mut *tx, tenant, user).await?;
    if factor.is_none_or(|factor| factor.confirmed_at.is_none()) {
        return Ok(false);
    }
    let hashes: Vec<[u8; 32]> = codes.iter().filter_map(|code| recovery::hash(tenant, user, code)).collect();
    tx.batch(second_factors::replace_recovery(tenant, user, &hashes)).await?;
    let done = format!("usuário {user} recebeu novos códigos de recuperação");
    actor.record(tx, tenant, done, doing.now).await?;
    Ok(true)
}

/// Switches the visitor's own off; `false` where the code is wrong.
#[boxed::future]
pub async fn switch_off(
    app: &App,
    visitor: &Visitor,
    code: &str,
    from: CallerAddress,
) -> Result<bool, Error> {
    if !is_proven(app, visitor, code, from).await? {
        return Ok(false);
    }
    let (tenant, user) = (visitor.session.scope.tenant(), visitor.session.user);
    remove(app, (tenant, user), visitor.session.actor(OWN)).await?;
    Ok(true)
}

/// Removes that of somebody else who lost it; for administrators. `false` where he has none.
#[boxed::future]
pub async fn remove_of(app: &App, caller: &Session, user: UserCode) -> Result<bool, Error> {
    caller.must_be(&[Role::Administrator])?;
    if user == caller.user {
        return Err(Rejection::OwnSecondFactor.into());
    }
    remove(app, (caller.scope.tenant(), user), caller.actor(OTHERS)).await
}

/// The same for whoever has the machine.
#[boxed::future]
pub async fn remove_by_email(app: &App, tenant: TenantId, email: &str) -> Result<bool, Error> {
    let email = Email::parse(email)?;
    let input = (tenant, email);
    let found = app.db.read(input, |tx, (tenant, email)| {
        Box::pin(async move { users::of_tenant(tx, *tenant, email).await })
    });
    let user = found.await?.code;
    remove(app, (tenant, user), Actor::command(COMMAND)).await
}

async fn remove(app: &App, (tenant, user): (TenantId, UserCode), actor: Actor) -> Result<bool, Error> {
    let what = (actor, Arc::clone(&app.public_url));
    let doing = Doing { vault: None, tenant, user, what, now: app.now() };
    let lane = Lane::of(tenant);
    let raised = app.db.write(lane, doing, |tx, doing| Box::pin(write_remove(tx, doing))).await?;
    if let Some(raised) = raised {
        app.memory.raise(tenant, raised);
    }
    Ok(raised.is_some())
}

async fn write_remove(tx: &mut Tx, doing: &Doing<(Actor, Arc<str>)>) -> Result<Option<Versions>, Error> {
    let (tenant, user, (actor, server)) = (doing.tenant, doing.user, &doing.what);
    let found = owner(tx, tenant, user).await?;
    let counted =
        second_factors::find(&mut *tx, tenant, user).await?.is_some_and(|one| one.confirmed_at.is_some());
    if !second_factors::end(tx, tenant, user).await? {
        return Ok(None);
    }
    secrets::forget(tx, tenant, Kind::SecondFactor, user.get()).await?;
    if !counted {
        return Ok(None);
    }
    let done = format!("usuário {user} ficou sem o segundo fator");
    actor.record(tx, tenant, done, doing.now).await?;
    let to = Addressee { tenant, name: &found.name, email: &found.email };
    mail::write(tx, server, to, Message::SecondFactorOff, doing.now).await?;
    Ok(Some(versions::raise_access(tx, tenant).await?))
}
