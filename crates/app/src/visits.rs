//! Visits to the console: people enter with the same login as programs, get a token of the same kind, and may see and end
//! what they have open. A password that the system chose must be changed before anything else.

use crate::access::{self, Door, Origin, Session};
use crate::{App, Error, users};
use domain::{CallerAddress, Moment, Password};
use std::sync::Arc;
use storage::tokens;
use storage::versions::{self, Versions};
use storage::{Lane, logins};

pub use crate::access::{Admission, HALF_FOR, Passed, is_half};
pub use storage::tokens::Open;

const PASSWORD: &str = "POST /console/conta/senha";
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
#[boxed::future]
pub async fn enter(
    app: &App,
    name: &str,
    password: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<Admission, Error> {
    enter_from(app, (name, password), address.into(), agent).await
}

/// The same for a request of which more is known than its address.
#[boxed::future]
pub async fn enter_from(
    app: &App,
    credential: (&str, &str),
    origin: Origin,
    agent: Option<&str>,
) -> Result<Admission, Error> {
    let door = Door::Console { agent: agent.map(cut) };
    access::by_door(app, door, credential, origin).await
}

/// Gives the code that is still owed.
#[boxed::future]
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

/// Whose this token is, with what every page shows of him. A program's token is none of the console's: it was given for a
/// password alone.
#[boxed::future]
pub async fn visitor(app: &App, token: &str) -> Result<Visitor, Error> {
    let session = access::enter(app, token).await?;
    if !session.is_console() {
        return Err(Error::Credential);
    }
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

/// Notes that the visitor is at work, so that his session goes on.
#[boxed::future]
pub async fn note_activity(app: &App, visitor: &Visitor) -> Result<(), Error> {
    access::note_activity(app, &visitor.session).await
}

/// Ends the session that a request was made with.
#[boxed::future]
pub async fn end_own(app: &App, caller: &Session) -> Result<(), Error> {
    end_one(app, caller, caller.key.hash.to_vec()).await.map(drop)
}

/// Ends the session that this token is; one that is none has ended already.
#[boxed::future]
pub async fn leave(app: &App, token: &str) -> Result<(), Error> {
    let Some(key) = access::key(token) else { return Ok(()) };
    match access::enter(app, token).await {
        Ok(session) => end_one(app, &session, key.hash.to_vec()).await.map(drop),
        Err(Error::Credential) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What the caller has open, the newest first.
#[boxed::future]
pub async fn sessions(app: &App, caller: &Session) -> Result<Vec<Open>, Error> {
    let now = app.now();
    let mut open = tokens::open(&app.db, caller.scope.tenant(), caller.user, (now, MOST)).await?;
    let is_idle = |at: Moment| app.idle_limit.is_some_and(|limit| now.since(at) >= limit);
    open.retain(|one| !(one.is_console && one.active_at.is_some_and(is_idle)));
    Ok(open)
}

/// Whether this is the session that the token is.
pub fn is_this(open: &Open, token: &str) -> bool {
    access::key(token).is_some_and(|key| key.hash[..] == open.hash[..])
}

/// Ends one session of the caller, at once here and within moments elsewhere; `false` where he has no such.
#[boxed::future]
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
#[boxed::future]
pub async fn change_password(
    app: &App,
    visitor: &Visitor,
    (current, chosen): (&str, &str),
    address: CallerAddress,
) -> Result<(), Error> {
    Password::parse(chosen)?;
    access::by_door(app, Door::Question(PASSWORD), (&visitor.email, current), address.into()).await?;
    let by = visitor.session.at(address).actor(PASSWORD);
    users::reset_by(app, visitor.session.scope.tenant(), (&visitor.email, chosen), by).await
}
