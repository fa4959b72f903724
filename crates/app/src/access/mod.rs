//! Who calls, and whether he may. A caller enters once with login and password (`login.rs`) and gets a token
//! (`token.rs`) for 12 hours; with each further call he shows it, and becomes a [`Session`]. Every function that acts
//! for somebody takes a session or its scope, so that forgetting to ask does not compile.
//!
//! What is guaranteed: a token that was ended is refused at once by the process that ended it, and within two seconds
//! by every other (`crate::memory`). Who has a second factor gets no token of the console for his password alone
//! (`code.rs`), a program's token never opens the console, and one of somebody with a second factor reaches `/ext` at most
//! unless a code was given for it. A session of the console ends when nobody uses it. Whatever happens here is in the audit
//! (`trail.rs`). A known and an unknown user cost the same. Failures are counted by account and by
//! address (`throttle.rs`); somebody who was right from where he is cannot be locked out by somebody elsewhere.

pub mod password_hash;
pub mod password_reset;
pub(crate) mod request_limit;
pub mod second_factor;
pub mod sessions;
pub mod setup;
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
use domain::{CallerAddress, Moment, Role, Scope, UserCode};
use std::sync::Arc;
use std::time::Duration;
use storage::access::tokens::{self, StoredTokenHolder};
use storage::{Tx, WriteLane};

/// How long a token lasts, to the second.
pub const TOKEN_LIFE: Duration = Duration::from_secs(12 * 3600);
/// How long an address from which an account was entered correctly stays known for it.
pub const KNOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long a session of the console lasts while nobody uses it, unless a setting says otherwise: what NIST SP 800-63B asks
/// of a login with two factors.
pub const IDLE_LIMIT: Duration = Duration::from_secs(3600);
/// Into so many parts the limit is divided: the use of a session is noted at most once in each.
const ACTIVITY_PARTS: u32 = 12;

/// Somebody who has shown a good token.
#[derive(Clone, Debug)]
pub struct Session {
    pub user: UserCode,
    pub role: Role,
    pub scope: Scope,
    expires_at: Moment,
    /// What is remembered of the tenant's access must be as new as this.
    version: i64,
    /// What he does as a whole, where that reads what others show as a page of its own.
    pub(crate) within: Option<&'static str>,
    pub(crate) key: TokenLookupKey,
    is_console: bool,
    active_at: Option<Moment>,
    has_code: bool,
    has_factor: bool,
    needs_factor: bool,
    /// From where this request comes.
    address: Option<CallerAddress>,
}

impl Session {
    /// The same, whose looks are told as part of one operation, whatever is asked for him.
    pub fn within_operation(&self, operation: &'static str) -> Session {
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

    /// The same, for a request from this address.
    pub fn with_address(&self, address: CallerAddress) -> Session {
        Session { address: Some(address), ..self.clone() }
    }

    /// From where this request comes, where that was said.
    pub(crate) fn address(&self) -> Option<CallerAddress> {
        self.address
    }

    /// Its owner, as the one who does something to an account.
    pub fn actor(&self, operation: &'static str) -> AccountActor {
        AccountActor { user: Some(self.user), operation, address: self.address }
    }

    /// Whether it was begun at the console's door, with all that is asked for there.
    pub fn is_console(&self) -> bool {
        self.is_console
    }

    /// Whether the association demands a second factor of its owner, who has none.
    pub fn owes_factor(&self) -> bool {
        self.needs_factor && !self.has_factor
    }

    /// Refuses one that reaches `/ext` at most.
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

    /// Refuses a caller whose role is none of these.
    pub fn require_role(&self, roles: &[Role]) -> Result<(), Error> {
        if roles.contains(&self.role) { Ok(()) } else { Err(Error::Forbidden) }
    }
}

/// Whose this token is.
#[boxed::future]
pub async fn load_session(app: &App, token: &str) -> Result<Arc<Session>, Error> {
    let key = parse_token_key(token).ok_or(Error::Credential)?;
    let now = app.now();
    // Looked at before the token is: a change in between only makes it look older than it is.
    let needed = app.memory.trusted_versions(key.tenant);
    if let (Some(needed), Some(kept)) = (needed, app.memory.sessions.get(&key))
        && kept.version == needed.access
        && now < kept.expires_at
        && !kept.is_idle(app.idle_limit, now)
    {
        return Ok(kept);
    }
    let holder =
        tokens::find_token_holder(&app.db, key.tenant, &key.hash, now).await?.ok_or(Error::Credential)?;
    // What this process remembers may be older than what another has noted: only the database says that nobody used it.
    let session = Arc::new(Session::from_token_holder(key, holder, needed.map_or(0, |needed| needed.access)));
    if session.is_idle(app.idle_limit, now) {
        return Err(Error::Credential);
    }
    if needed.is_some() {
        app.memory.sessions.insert(key, Arc::clone(&session));
    }
    Ok(session)
}

/// Notes that somebody uses a session of the console, unless that was noted a moment ago.
pub(crate) async fn record_session_activity(app: &App, session: &Session) -> Result<(), Error> {
    let (now, Some(limit)) = (app.now(), app.idle_limit) else { return Ok(()) };
    let is_fresh = session.active_at.is_some_and(|at| now.duration_since(at) < limit / ACTIVITY_PARTS);
    if !session.is_console || is_fresh {
        return Ok(());
    }
    // First here, so that of many requests at once one writes.
    if app.memory.sessions.get(&session.key).is_some_and(|kept| kept.version == session.version) {
        let noted = Session { active_at: Some(now), address: None, ..session.clone() };
        app.memory.sessions.insert(session.key, Arc::new(noted));
    }
    let lane = WriteLane::foreground(session.key.tenant);
    app.db.write(lane, (session.key, now), |tx, input| Box::pin(write_session_activity(tx, input))).await
}

async fn write_session_activity(tx: &mut Tx, (key, now): &(TokenLookupKey, Moment)) -> Result<(), Error> {
    Ok(tokens::update_token_activity(tx, key.tenant, &key.hash, *now).await?)
}
