//! Visits to the console: people enter with the same login as programs, get a token of the same kind, and may see and end
//! what they have open. A password that the system chose must be changed before anything else.

use crate::access::{self, Door, Session};
use crate::{App, Error, users};
use domain::{CallerAddress, Password};
use std::sync::Arc;
use storage::tokens;
use storage::versions::{self, Versions};
use storage::{Lane, logins};

pub use crate::access::{Admission, HALF_FOR, Passed, is_half};
pub use storage::tokens::Open;

/// More than anybody wants to look through.
const MOST: i64 = 100;
/// So much of what a browser calls itself is kept.
const LONGEST_AGENT: usize = 300;

/// Somebody who looks at a page.
#[derive(Clone)]
pub struct Visitor {
    pub session: Arc<Session>,
    pub name: String,
    pub email: String,
    pub base: String,
    pub must_change_password: bool,
}

/// Enters by the console. Who has a second factor is only half in by his password.
pub async fn enter(
    app: &App,
    name: &str,
    password: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<Admission, Error> {
    let door = Door::Console { agent: agent.map(cut) };
    access::by_door(app, door, (name, password), address).await
}

/// Gives the code that is still owed.
pub async fn give_code(
    app: &App,
    ticket: &str,
    code: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<Passed, Error> {
    access::give_code(app, ticket, code, (address, agent.map(cut))).await
}

fn cut(agent: &str) -> String {
    agent.chars().take(LONGEST_AGENT).collect()
}

/// Whose this token is, with what every page shows of him.
pub async fn visitor(app: &App, token: &str) -> Result<Visitor, Error> {
    let session = access::enter(app, token).await?;
    let tenant = session.scope.tenant();
    let user = logins::entering(&app.db, tenant, session.user).await?.ok_or(Error::Credential)?;
    Ok(Visitor {
        session,
        name: user.name,
        email: user.email,
        base: user.tenant_name,
        must_change_password: user.must_change_password,
    })
}

/// Ends the session that this token is; one that is none has ended already.
pub async fn leave(app: &App, token: &str) -> Result<(), Error> {
    let Some(key) = access::key(token) else { return Ok(()) };
    match access::enter(app, token).await {
        Ok(session) => end_one(app, &session, key.hash.to_vec()).await.map(drop),
        Err(Error::Credential) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What the caller has open, the newest first.
pub async fn sessions(app: &App, caller: &Session) -> Result<Vec<Open>, Error> {
    Ok(tokens::open(&app.db, caller.scope.tenant(), caller.user, (app.now(), MOST)).await?)
}

/// Whether this is the session that the token is.
pub fn is_this(open: &Open, token: &str) -> bool {
    access::key(token).is_some_and(|key| key.hash[..] == open.hash[..])
}

/// Ends one session of the caller, at once here and within moments elsewhere; `false` where he has no such.
pub async fn end_one(app: &App, caller: &Session, hash: Vec<u8>) -> Result<bool, Error> {
    let tenant = caller.scope.tenant();
    let input = (caller.scope.tenant(), caller.user, hash);
    let raised = app
        .db
        .write(Lane::of(tenant), input, |tx, (tenant, user, hash)| {
            Box::pin(async move {
                match tokens::end_one(tx, *tenant, *user, hash).await? {
                    true => Ok(Some(versions::raise_access(tx, *tenant).await?)),
                    false => Ok::<Option<Versions>, Error>(None),
                }
            })
        })
        .await?;
    if let Some(raised) = raised {
        app.memory.raise(tenant, raised);
    }
    Ok(raised.is_some())
}

/// Gives the caller a password of his own choice and ends everything he has open. The one he has is checked like any
/// login, so that whoever finds an open browser cannot try passwords without end.
pub async fn change_password(
    app: &App,
    visitor: &Visitor,
    (current, chosen): (&str, &str),
    address: CallerAddress,
) -> Result<(), Error> {
    Password::parse(chosen)?;
    access::by_door(app, Door::Question, (&visitor.email, current), address).await?;
    users::reset(app, visitor.session.scope.tenant(), &visitor.email, chosen).await
}
