//! Who calls, and whether he may. A caller enters once with login and password (`login.rs`) and gets a token
//! (`token.rs`) for 12 hours; with each further call he shows it, and becomes a [`Session`]. Every function that acts
//! for somebody takes a session or its scope, so that forgetting to ask does not compile.
//!
//! What is guaranteed: a token that was ended is refused at once by the process that ended it, and within two seconds
//! by every other (`crate::memory`). Who has a second factor gets no token of the console for his password alone
//! (`code.rs`). A known and an unknown user cost the same. Failures are counted by account and by
//! address (`throttle.rs`); somebody who was right from where he is cannot be locked out by somebody elsewhere.

mod code;
mod login;
mod throttle;
mod token;

pub use code::{Passed, give_code, is_half};
pub(crate) use code::{check_code, place, secret};
pub use login::{Admission, Entered, HALF_FOR, login};
pub(crate) use login::{Door, Remembered, by_door};
pub use throttle::Throttle;
pub use token::TokenKey;
pub(crate) use token::key;

use crate::{App, Error};
use domain::{Moment, Role, Scope, UserCode};
use std::sync::Arc;
use std::time::Duration;
use storage::tokens;

/// How long a token lasts, to the second.
pub const TOKEN_LIFE: Duration = Duration::from_secs(12 * 3600);
/// How long an address from which an account was entered correctly stays known for it.
pub const KNOWN_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

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
}

impl Session {
    /// The same, whose looks are told as part of one operation, whatever is asked for him.
    pub(crate) fn within(&self, operation: &'static str) -> Session {
        Session { within: Some(operation), ..self.clone() }
    }

    /// Refuses a caller whose role is none of these.
    pub fn must_be(&self, roles: &[Role]) -> Result<(), Error> {
        if roles.contains(&self.role) { Ok(()) } else { Err(Error::Forbidden) }
    }
}

/// Whose this token is.
pub async fn enter(app: &App, token: &str) -> Result<Arc<Session>, Error> {
    let key = key(token).ok_or(Error::Credential)?;
    let now = app.now();
    // Looked at before the token is: a change in between only makes it look older than it is.
    let needed = app.memory.versions(key.tenant);
    if let (Some(needed), Some(kept)) = (needed, app.memory.sessions.get(&key))
        && kept.version == needed.access
        && now < kept.expires_at
    {
        return Ok(kept);
    }
    let holder = tokens::holder(&app.db, key.tenant, &key.hash, now).await?.ok_or(Error::Credential)?;
    let session = Arc::new(Session {
        user: holder.user,
        role: holder.role,
        scope: Scope::of(key.tenant, holder.role, holder.branches),
        expires_at: holder.expires_at,
        version: needed.map_or(0, |needed| needed.access),
        within: None,
    });
    if needed.is_some() {
        app.memory.sessions.insert(key, Arc::clone(&session));
    }
    Ok(session)
}
