//! Authentication and authorization. A caller logs in once with user name and password (`login.rs`) and gets a token
//! (`token.rs`) valid for 12 hours; each further request presents it and is turned into a [`Session`]. Every function
//! that acts for a caller takes a session or its scope, so that a missing check does not compile.
//!
//! Guarantees: an ended token is refused at once by the process that ended it, and within two seconds by every other
//! (`crate::cache`). A user with a second factor gets no console token for a password alone (`login_code.rs`). A
//! program's token never opens the console, and reaches only `/ext` if its owner has a second factor and gave no code.
//! Idle console sessions expire. Every event is audited (`login_audit.rs`). A known and an unknown user cost the same
//! time. Failures are counted by account and by address (`throttle.rs`); failures elsewhere cannot lock users out of
//! an address from which they logged in before.

pub mod password_hash;
pub mod password_reset;
pub(crate) mod request_limit;
pub mod second_factor;
pub mod sessions;
pub mod users;

mod login;
mod login_audit;
mod login_code;
mod throttle;
mod token;

pub use login::{
    CallerOrigin, HALF_FOR, SignInGrant, SignInOutcome, log_in_program, log_in_program_from, log_in_with_code,
};
pub(crate) use login::{RememberedLogin, SignInPurpose, sign_in_for_purpose};
pub(crate) use login_audit::flush_login_trail;
pub use login_audit::{AccountActor, LoginTrail};
pub use login_code::{SignInCodeOutcome, has_open_challenge, submit_sign_in_code};
pub(crate) use login_code::{check_code, find_factor_secret, locate_factor_secret};
pub use throttle::Throttle;
pub use token::TokenLookupKey;
pub(crate) use token::parse_token_key;

use crate::{App, Error};
use domain::{AuditedOperation, CallerAddress, Moment, Role, Scope, UserCode};
use std::sync::Arc;
use std::time::Duration;
use storage::access::tokens::{self, StoredTokenHolder};
use storage::{Tx, WriteLane};

/// Lifetime of a token.
pub const TOKEN_LIFE: Duration = Duration::from_secs(12 * 3600);
/// How long an address stays known for an account after a successful login.
pub const KNOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// Default idle timeout of a console session: the value NIST SP 800-63B gives for two-factor logins.
pub const IDLE_LIMIT: Duration = Duration::from_secs(3600);
/// Session activity is written at most once per limit divided by this.
const ACTIVITY_PARTS: u32 = 12;

/// An authenticated caller.
#[derive(Clone, Debug)]
pub struct Session {
    pub user: UserCode,
    pub role: Role,
    pub scope: Scope,
    expires_at: Moment,
    /// The tenant's access version the session was cached under.
    version: i64,
    /// The operation that nested reads are logged under, in place of their own.
    pub(crate) within: Option<AuditedOperation>,
    pub(crate) key: TokenLookupKey,
    is_console: bool,
    active_at: Option<Moment>,
    has_code: bool,
    has_factor: bool,
    needs_factor: bool,
    /// The client address of this request.
    address: Option<CallerAddress>,
}

impl Session {
    /// A copy whose reads are logged under the given operation.
    pub fn within_operation(&self, operation: AuditedOperation) -> Session {
        Session { within: Some(operation), ..self.clone() }
    }

    fn from_token_holder(key: TokenLookupKey, holder: StoredTokenHolder, version: i64) -> Session {
        Session {
            user: holder.user,
            role: holder.role,
            scope: Scope::for_role(key.tenant, holder.role, holder.branches),
            expires_at: holder.expires_at,
            version,
            within: None,
            key,
            is_console: holder.is_console,
            active_at: holder.active_at,
            has_code: holder.has_code,
            has_factor: holder.has_factor,
            needs_factor: holder.needs_factor,
            address: None,
        }
    }

    /// A copy for a request from this address.
    pub fn with_address(&self, address: CallerAddress) -> Session {
        Session { address: Some(address), ..self.clone() }
    }

    /// The client address of this request, if known.
    pub(crate) fn address(&self) -> Option<CallerAddress> {
        self.address
    }

    /// The session's user as the actor of an account change.
    pub fn actor(&self, operation: AuditedOperation) -> AccountActor {
        AccountActor { user: Some(self.user), operation, address: self.address }
    }

    /// Whether the session began with a console login, including its second factor if one is set.
    pub fn is_console(&self) -> bool {
        self.is_console
    }

    /// Whether the association requires a second factor from the user, who has none.
    pub fn owes_factor(&self) -> bool {
        self.needs_factor && !self.has_factor
    }

    /// Rejects a session that only reaches `/ext`.
    pub fn require_management(&self) -> Result<(), Error> {
        if self.owes_factor() {
            return Err(Error::FactorDemanded);
        }
        if self.has_factor && !self.is_console && !self.has_code {
            return Err(Error::CodeNotGiven);
        }
        Ok(())
    }

    fn is_idle(&self, limit: Option<Duration>, now: Moment) -> bool {
        let (true, Some(limit), Some(active_at)) = (self.is_console, limit, self.active_at) else {
            return false;
        };
        now.duration_since(active_at) >= limit
    }

    pub fn require_role(&self, roles: &[Role]) -> Result<(), Error> {
        if roles.contains(&self.role) { Ok(()) } else { Err(Error::Forbidden) }
    }
}

/// The session of a token.
#[boxed::future]
pub async fn load_session(app: &App, token: &str) -> Result<Arc<Session>, Error> {
    let key = parse_token_key(token).ok_or(Error::Credential)?;
    let now = app.now();
    // Read before the token: a change in between only makes the session look older than it is.
    let needed = app.memory.trusted_versions(key.tenant);
    if let (Some(needed), Some(cached)) = (needed, app.memory.sessions.get(&key))
        && cached.version == needed.access
        && now < cached.expires_at
        && !cached.is_idle(app.idle_limit, now)
    {
        return Ok(cached);
    }
    let holder =
        tokens::find_token_holder(&app.db, key.tenant, &key.hash, now).await?.ok_or(Error::Credential)?;
    // Another process may have recorded newer activity: only the database decides whether a session is idle.
    let session = Arc::new(Session::from_token_holder(key, holder, needed.map_or(0, |needed| needed.access)));
    if session.is_idle(app.idle_limit, now) {
        return Err(Error::Credential);
    }
    if needed.is_some() {
        app.memory.sessions.insert(key, Arc::clone(&session));
    }
    Ok(session)
}

/// Records activity on a console session, unless some was recorded recently.
pub(crate) async fn record_session_activity(app: &App, session: &Session) -> Result<(), Error> {
    let (now, Some(limit)) = (app.now(), app.idle_limit) else { return Ok(()) };
    let is_fresh = session.active_at.is_some_and(|at| now.duration_since(at) < limit / ACTIVITY_PARTS);
    if !session.is_console || is_fresh {
        return Ok(());
    }
    // The cache is updated first, so that only one of many concurrent requests writes.
    if app.memory.sessions.get(&session.key).is_some_and(|cached| cached.version == session.version) {
        let noted = Session { active_at: Some(now), address: None, ..session.clone() };
        app.memory.sessions.insert(session.key, Arc::new(noted));
    }
    let lane = WriteLane::foreground(session.key.tenant);
    app.db.write(lane, (session.key, now), |tx, input| Box::pin(write_session_activity(tx, input))).await
}

async fn write_session_activity(tx: &mut Tx, (key, now): &(TokenLookupKey, Moment)) -> Result<(), Error> {
    Ok(tokens::update_token_activity(tx, key.tenant, &key.hash, *now).await?)
}
