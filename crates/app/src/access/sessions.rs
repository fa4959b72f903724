//! Visits to the console: people enter with the same login as programs, get a token of the same kind, and may see and end
//! what they have open. A password that the system chose must be changed before anything else.

use super::users;
use crate::access::{self, CallerOrigin, Session, SignInPurpose};
use crate::{App, Error};
use domain::{CallerAddress, Moment, Password};
use std::sync::Arc;
use storage::WriteLane;
use storage::access::logins;
use storage::access::tokens;
use storage::server::versions::{self, CacheVersions};

pub use crate::access::{HALF_FOR, SignInCodeOutcome, SignInOutcome, has_open_challenge};
pub use storage::access::tokens::ActiveToken;

const PASSWORD: &str = "POST /console/conta/senha";
/// More than anybody wants to look through.
const MOST: i64 = 100;
/// So much of what a browser calls itself is kept.
const LONGEST_AGENT: usize = 300;

/// Somebody who looks at a page.
#[derive(Clone)]
pub struct ConsoleUser {
    pub session: Arc<Session>,
    pub name: String,
    pub email: String,
    pub base: String,
    pub must_change_password: bool,
}

/// Enters by the console. Who has a second factor is only half in by his password.
#[boxed::future]
pub async fn sign_in(
    app: &App,
    name: &str,
    password: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<SignInOutcome, Error> {
    sign_in_from(app, (name, password), address.into(), agent).await
}

/// The same for a request of which more is known than its address.
#[boxed::future]
pub async fn sign_in_from(
    app: &App,
    credential: (&str, &str),
    origin: CallerOrigin,
    agent: Option<&str>,
) -> Result<SignInOutcome, Error> {
    let door = SignInPurpose::Console { agent: agent.map(shorten_agent) };
    access::sign_in_for_purpose(app, door, credential, origin).await
}

/// Gives the code that is still owed.
#[boxed::future]
pub async fn submit_sign_in_code(
    app: &App,
    ticket: &str,
    code: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<SignInCodeOutcome, Error> {
    access::submit_sign_in_code(app, ticket, code, (address, agent.map(shorten_agent))).await
}

fn shorten_agent(agent: &str) -> String {
    agent.chars().take(LONGEST_AGENT).collect()
}

/// Whose this token is, with what every page shows of him. A program's token is none of the console's: it was given for a
/// password alone.
#[boxed::future]
pub async fn load_console_user(app: &App, token: &str) -> Result<ConsoleUser, Error> {
    let session = access::load_session(app, token).await?;
    if !session.is_console() {
        return Err(Error::Credential);
    }
    let tenant = session.scope.tenant();
    let user = logins::find_sign_in_user(&app.db, tenant, session.user).await?.ok_or(Error::Credential)?;
    Ok(ConsoleUser {
        session,
        name: user.name,
        email: user.email,
        base: user.tenant_name,
        must_change_password: user.must_change_password,
    })
}

/// Notes that the visitor is at work, so that his session goes on.
#[boxed::future]
pub async fn record_activity(app: &App, visitor: &ConsoleUser) -> Result<(), Error> {
    access::record_session_activity(app, &visitor.session).await
}

/// Ends the session that a request was made with.
#[boxed::future]
pub async fn end_own_session(app: &App, caller: &Session) -> Result<(), Error> {
    end_session(app, caller, caller.key.hash.to_vec()).await.map(drop)
}

/// Ends the session that this token is; one that is none has ended already.
#[boxed::future]
pub async fn sign_out(app: &App, token: &str) -> Result<(), Error> {
    let Some(key) = access::parse_token_key(token) else { return Ok(()) };
    match access::load_session(app, token).await {
        Ok(session) => end_session(app, &session, key.hash.to_vec()).await.map(drop),
        Err(Error::Credential) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What the caller has open, the newest first.
#[boxed::future]
pub async fn list_own_sessions(app: &App, caller: &Session) -> Result<Vec<ActiveToken>, Error> {
    let now = app.now();
    let mut open =
        tokens::list_active_tokens(&app.db, caller.scope.tenant(), caller.user, (now, MOST)).await?;
    let is_idle = |at: Moment| app.idle_limit.is_some_and(|limit| now.duration_since(at) >= limit);
    open.retain(|one| !(one.is_console && one.active_at.is_some_and(is_idle)));
    Ok(open)
}

/// Whether this is the session that the token is.
pub fn is_session_of_token(open: &ActiveToken, token: &str) -> bool {
    access::parse_token_key(token).is_some_and(|key| key.hash[..] == open.hash[..])
}

/// Ends one session of the caller, at once here and within moments elsewhere; `false` where he has no such.
#[boxed::future]
pub async fn end_session(app: &App, caller: &Session, hash: Vec<u8>) -> Result<bool, Error> {
    let tenant = caller.scope.tenant();
    let input = (caller.scope.tenant(), caller.user, hash);
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, (tenant, user, hash)| {
            Box::pin(async move {
                match tokens::delete_token(tx, *tenant, *user, hash).await? {
                    true => Ok(Some(versions::raise_access_version(tx, *tenant).await?)),
                    false => Ok::<Option<CacheVersions>, Error>(None),
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
pub async fn change_own_password(
    app: &App,
    visitor: &ConsoleUser,
    (current, chosen): (&str, &str),
    address: CallerAddress,
) -> Result<(), Error> {
    Password::parse(chosen)?;
    access::sign_in_for_purpose(
        app,
        SignInPurpose::PasswordCheck(PASSWORD),
        (&visitor.email, current),
        address.into(),
    )
    .await?;
    let by = visitor.session.with_address(address).actor(PASSWORD);
    users::reset_password_as(app, visitor.session.scope.tenant(), (&visitor.email, chosen), by).await
}
