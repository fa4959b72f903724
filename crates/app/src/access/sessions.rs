//! Console sessions: users log in with the same credentials as programs, get the same kind of token, and can list and
//! end their sessions. A generated password must be changed before anything else.

use super::users;
use crate::access::{self, CallerOrigin, SignInPurpose};
use crate::session::{self, Session};
use crate::{App, Error};
use domain::{AuditedOperation, CallerAddress, Moment, Password};
use std::sync::Arc;
use storage::WriteLane;
use storage::access::logins;
use storage::access::tokens;
use storage::server::versions::{self, CacheVersions};

pub use crate::access::{CHALLENGE_LIFETIME, SignInCodeOutcome, SignInOutcome, has_open_challenge};
pub use storage::access::tokens::ActiveToken;

const PASSWORD: AuditedOperation = AuditedOperation::ChangeOwnPassword;
/// Maximum number of sessions listed.
const LARGEST_SESSION_COUNT: i64 = 100;
/// Maximum stored length of a user agent.
const LONGEST_AGENT: usize = 300;

/// The signed-in user of a console page.
#[derive(Clone)]
pub struct ConsoleUser {
    pub session: Arc<Session>,
    pub name: String,
    pub email: String,
    pub base: String,
    pub must_change_password: bool,
}

/// Console login. A user with a second factor only gets a challenge for the password.
#[boxed::future]
pub async fn sign_in(
    app: &App,
    name: &str,
    password: &str,
    (address, agent): (CallerAddress, Option<&str>),
) -> Result<SignInOutcome, Error> {
    sign_in_from(app, (name, password), address.into(), agent).await
}

/// As [`sign_in`], with the requested host.
#[boxed::future]
pub async fn sign_in_from(
    app: &App,
    credential: (&str, &str),
    origin: CallerOrigin,
    agent: Option<&str>,
) -> Result<SignInOutcome, Error> {
    let purpose = SignInPurpose::Console { agent: agent.map(shorten_agent) };
    access::sign_in_for_purpose(app, purpose, credential, origin).await
}

/// Submits the code that completes the login.
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

/// The user of a token, with the data every page shows. A program's token is rejected: it was issued for a password
/// alone.
#[boxed::future]
pub async fn load_console_user(app: &App, token: &str) -> Result<ConsoleUser, Error> {
    let session = session::load_session(app, token).await?;
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

/// Records that the user is active, which extends the session.
#[boxed::future]
pub async fn record_activity(app: &App, visitor: &ConsoleUser) -> Result<(), Error> {
    session::record_session_activity(app, &visitor.session).await
}

/// Ends the session of the current request.
#[boxed::future]
pub async fn end_own_session(app: &App, caller: &Session) -> Result<(), Error> {
    end_session(app, caller, caller.key.hash.to_vec()).await.map(drop)
}

/// Ends the session of this token; an invalid token counts as ended.
#[boxed::future]
pub async fn sign_out(app: &App, token: &str) -> Result<(), Error> {
    let Some(key) = session::parse_token_key(token) else { return Ok(()) };
    match session::load_session(app, token).await {
        Ok(session) => end_session(app, &session, key.hash.to_vec()).await.map(drop),
        Err(Error::Credential) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The caller's open sessions, newest first.
#[boxed::future]
pub async fn list_own_sessions(app: &App, caller: &Session) -> Result<Vec<ActiveToken>, Error> {
    let now = app.now();
    let mut open =
        tokens::list_active_tokens(&app.db, caller.scope.tenant(), caller.user, (now, LARGEST_SESSION_COUNT))
            .await?;
    let is_idle = |at: Moment| app.idle_limit.is_some_and(|limit| now.duration_since(at) >= limit);
    open.retain(|one| !(one.is_console && one.active_at.is_some_and(is_idle)));
    Ok(open)
}

pub fn is_session_of_token(open: &ActiveToken, token: &str) -> bool {
    session::parse_token_key(token).is_some_and(|key| key.hash[..] == open.hash[..])
}

/// Ends one session of the caller, at once here and within two seconds in other processes; `false` if there is none.
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
        app.versions.raise(tenant, raised);
    }
    Ok(raised.is_some())
}

/// Sets a password the caller chose and ends all their sessions. The current password is checked like a login, so that
/// an open browser does not allow unlimited guesses.
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
    let actor = visitor.session.with_address(address).actor(PASSWORD);
    users::reset_password_as(app, visitor.session.scope.tenant(), (&visitor.email, chosen), actor).await
}
