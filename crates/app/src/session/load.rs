//! Turns a token into its session, from the cache if possible, and records the activity of console sessions.

use super::Session;
use super::token::{TokenLookupKey, parse_token_key};
use crate::{App, Error};
use domain::Moment;
use quick_cache::sync::Cache;
use std::sync::Arc;
use storage::access::tokens;
use storage::{Tx, WriteLane};

/// Number of sessions cached.
const SESSIONS: usize = 100_000;
/// Session activity is written at most once per limit divided by this.
const ACTIVITY_PARTS: u32 = 12;

/// Sessions by token, each valid for one access version of its tenant.
pub(crate) struct CachedSessions(Cache<TokenLookupKey, Arc<Session>>);

impl Default for CachedSessions {
    fn default() -> CachedSessions {
        CachedSessions(Cache::new(SESSIONS))
    }
}

/// The session of a token.
#[boxed::future]
pub async fn load_session(app: &App, token: &str) -> Result<Arc<Session>, Error> {
    let key = parse_token_key(token).ok_or(Error::Credential)?;
    let now = app.now();
    // Read before the token: a change in between only makes the session look older than it is.
    let needed = app.versions.trusted_versions(key.tenant);
    if let (Some(needed), Some(cached)) = (needed, app.caches.sessions.0.get(&key))
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
        app.caches.sessions.0.insert(key, Arc::clone(&session));
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
    if app.caches.sessions.0.get(&session.key).is_some_and(|cached| cached.version == session.version) {
        let noted = Session { active_at: Some(now), address: None, ..session.clone() };
        app.caches.sessions.0.insert(session.key, Arc::new(noted));
    }
    let lane = WriteLane::foreground(session.key.tenant);
    app.db.write(lane, (session.key, now), |tx, input| Box::pin(write_session_activity(tx, input))).await
}

async fn write_session_activity(tx: &mut Tx, (key, now): &(TokenLookupKey, Moment)) -> Result<(), Error> {
    Ok(tokens::update_token_activity(tx, key.tenant, &key.hash, *now).await?)
}
