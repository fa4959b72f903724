//! Password reset: a link by mail, usable once within half an hour. The answer is sent before the account is looked
//! up, so that it does not reveal whether one exists.

use super::users;
use crate::access::login_audit::build_user_change;
use crate::mail::{self, Addressee, UserNotice};
use crate::session::AccountActor;
use crate::{App, Error};
use domain::{
    AuditedAction, AuditedOperation, CallerAddress, Email, Moment, Password, Rejection, TenantId, UserCode,
    encode_hex,
};
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use storage::access::password_resets::{self, NewPasswordResetRow};
use storage::server::versions::CacheVersions;
use storage::{Tx, WriteLane};
use tokio::sync::Semaphore;

const ASK: AuditedOperation = AuditedOperation::RequestPasswordLink;
const FINISH: AuditedOperation = AuditedOperation::UsePasswordLink;
pub const LINK_LIFETIME: Duration = Duration::from_mins(30);
/// Maximum number of open links per account: enough for repeated requests, too few to flood a mailbox. An account at
/// the limit still has a valid link.
const LINKS_PER_PERIOD: i64 = 3;
const LINK_PERIOD: Duration = LINK_LIFETIME;
/// Maximum number of concurrent requests. Each takes a few milliseconds; requests beyond that are dropped, so that a
/// flood builds no queue.
const CONCURRENT_REQUESTS: usize = 32;

/// Requests per address and minute.
const BY_ADDRESS: u32 = 10;
const ONE_MINUTE: Duration = Duration::from_mins(1);
const TRACKED_ADDRESSES: usize = 10_000;

/// Limits concurrent requests and requests per address.
#[derive(Clone)]
pub struct ResetRequestLimiter {
    count: usize,
    free: Arc<Semaphore>,
    requests: Arc<Cache<CallerAddress, (u32, Moment)>>,
}

impl ResetRequestLimiter {
    pub fn new(count: usize) -> ResetRequestLimiter {
        ResetRequestLimiter {
            count,
            free: Arc::new(Semaphore::new(count)),
            requests: Arc::new(Cache::new(TRACKED_ADDRESSES)),
        }
    }

    /// Whether no request is being processed.
    pub fn is_idle(&self) -> bool {
        self.free.available_permits() == self.count
    }

    fn may_request(&self, address: IpAddr, now: Moment) -> bool {
        let address = address.into();
        let lately = self.requests.get(&address).filter(|(_, since)| now.duration_since(*since) < ONE_MINUTE);
        let (count, since) = lately.unwrap_or((0, now));
        self.requests.insert(address, (count + 1, since));
        count < BY_ADDRESS
    }
}

impl Default for ResetRequestLimiter {
    fn default() -> ResetRequestLimiter {
        ResetRequestLimiter::new(CONCURRENT_REQUESTS)
    }
}

/// Sends a reset link to the account of this address, if there is one. Always gives the same answer immediately and
/// works in the background, so that neither content nor timing reveals whether the address is known. Only the limit
/// per client address returns an error.
pub fn request_reset_link(app: &App, email: Email, requested_from: Option<IpAddr>) -> Result<(), Error> {
    if requested_from.is_some_and(|address| !app.reset_limiter.may_request(address, app.now())) {
        return Err(Error::TooManyFailures(ONE_MINUTE));
    }
    let Ok(place) = Arc::clone(&app.reset_limiter.free).try_acquire_owned() else {
        metrics::counter!("amparo_reset_requests_dropped_total").increment(1);
        tracing::debug!("too many requests for reset links at once; one was dropped");
        return Ok(());
    };
    let app = app.clone();
    tokio::spawn(async move {
        if let Err(error) = send_reset_link(&app, &email, requested_from).await {
            tracing::warn!(%error, "a reset link could not be sent");
        }
        drop(place);
    });
    Ok(())
}

struct NewResetLink {
    tenant: TenantId,
    user: UserCode,
    token: String,
    requested_from: Option<IpAddr>,
    server: Arc<str>,
    now: Moment,
}

async fn send_reset_link(app: &App, email: &Email, requested_from: Option<IpAddr>) -> Result<(), Error> {
    let Some((tenant, user)) = storage::access::users::find_login_owner(&app.db, email).await? else {
        return Ok(());
    };
    let now = app.now();
    // Checked before the transaction too: a flood for one account costs reads, not writes.
    if password_resets::count_password_resets_since(&app.db, tenant, user, now.minus(LINK_PERIOD)).await?
        >= LINKS_PER_PERIOD
    {
        return Ok(());
    }
    let mut random = [0; 32];
    app.random_source.fill(&mut random);
    let token = format!("{tenant}.{}", encode_hex(&random));
    let link = NewResetLink { tenant, user, token, requested_from, server: Arc::clone(&app.public_url), now };
    app.db.write(WriteLane::foreground(tenant), link, |tx, link| Box::pin(insert_reset_link(tx, link))).await
}

async fn insert_reset_link(tx: &mut Tx, link: &NewResetLink) -> Result<(), Error> {
    let (tenant, now) = (link.tenant, link.now);
    let Some(user) = storage::access::users::find_user(&mut *tx, tenant, link.user).await? else {
        return Ok(());
    };
    let made =
        password_resets::count_password_resets_since(&mut *tx, tenant, user.code, now.minus(LINK_PERIOD))
            .await?;
    if !user.active || made >= LINKS_PER_PERIOD {
        return Ok(());
    }
    let (hash, expires_at) = (hash_link_token(&link.token), now.plus(LINK_LIFETIME));
    let reset = NewPasswordResetRow { tenant, hash: &hash, user: user.code, now, expires_at };
    password_resets::insert_password_reset(tx, &reset).await?;
    let address = link.requested_from.map(Into::into);
    let asking = AccountActor { user: Some(user.code), operation: ASK, address };
    asking.record(tx, tenant, build_user_change(AuditedAction::SendPasswordLink, user.code), now).await?;
    let requested_from = link.requested_from.map(|address| address.to_string());
    let message = UserNotice::ResetLink {
        link: &format!("{}/senha/nova/{}", link.server, link.token),
        minutes: LINK_LIFETIME.as_secs() / 60,
        requested_from: requested_from.as_deref(),
    };
    let to = Addressee { tenant, name: &user.name, email: &user.email };
    mail::enqueue_mail(tx, &link.server, to, message, now).await?;
    Ok(())
}

/// Whether a link is valid. Opening it does not use it up: mail programs open links to scan them.
#[boxed::future]
pub async fn is_link_open(app: &App, token: &str) -> Result<bool, Error> {
    let Some(tenant) = parse_link_tenant(token) else { return Ok(false) };
    Ok(password_resets::is_password_reset_open(&app.db, tenant, &hash_link_token(token), app.now()).await?)
}

struct FinishReset {
    tenant: TenantId,
    hash: Vec<u8>,
    password: Password,
    password_hash: String,
    from: Option<IpAddr>,
    server: Arc<str>,
    now: Moment,
}

/// Sets the chosen password through a link, ends the user's sessions and other links, and notifies them by mail.
#[boxed::future]
pub async fn finish_reset(app: &App, token: &str, password: Password) -> Result<(), Error> {
    finish_reset_from(app, token, password, None).await
}

/// As [`finish_reset`], with the client address for the audit.
#[boxed::future]
pub async fn finish_reset_from(
    app: &App,
    token: &str,
    password: Password,
    address: Option<IpAddr>,
) -> Result<(), Error> {
    let tenant = parse_link_tenant(token).ok_or(Rejection::BadResetLink)?;
    // Checked first, so that an invalid link costs no hashing and no write lane.
    if !is_link_open(app, token).await? {
        return Err(Rejection::BadResetLink.into());
    }
    let password_hash = app.passwords.hash(password.clone(), &*app.random_source).await?;
    let (server, now) = (Arc::clone(&app.public_url), app.now());
    let input = FinishReset {
        tenant,
        hash: hash_link_token(token),
        password,
        password_hash,
        from: address,
        server,
        now,
    };
    let raised = app
        .db
        .write(WriteLane::foreground(tenant), input, |tx, input| Box::pin(redeem_reset_link(tx, input)))
        .await?;
    app.versions.raise(tenant, raised);
    Ok(())
}

async fn redeem_reset_link(tx: &mut Tx, finish: &FinishReset) -> Result<CacheVersions, Error> {
    let FinishReset { tenant, hash, password, password_hash, from: address, server, now } = finish;
    let code = password_resets::consume_password_reset(tx, *tenant, hash, *now)
        .await?
        .ok_or(Rejection::BadResetLink)?;
    let user = storage::access::users::find_user(&mut *tx, *tenant, code).await?.filter(|user| user.active);
    let user = user.ok_or(Rejection::BadResetLink)?;
    // A rejection rolls everything back, so the link stays valid.
    if let Some(problem) =
        users::check_chosen_password(tx, *tenant, (&user.name, &user.email), password).await?
    {
        return Err(problem.into());
    }
    let raised = users::replace_password(tx, *tenant, code, password_hash, false, *now).await?;
    let owner = AccountActor { user: Some(code), operation: FINISH, address: address.map(Into::into) };
    owner.record(tx, *tenant, build_user_change(AuditedAction::ChangePasswordByLink, code), *now).await?;
    let to = Addressee { tenant: *tenant, name: &user.name, email: &user.email };
    mail::enqueue_mail(tx, server, to, UserNotice::PasswordChanged, *now).await?;
    Ok(raised)
}

/// The tenant in a link; `None` if the format is not ours.
fn parse_link_tenant(token: &str) -> Option<TenantId> {
    let (tenant, random) = token.split_once('.')?;
    let is_ours = random.len() == 64 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    tenant.parse().ok().filter(|_| is_ours).map(TenantId::new)
}

fn hash_link_token(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_plainly_not_made_here_is_known_without_the_database() {
        let random = "0af".repeat(22)[..64].to_owned();
        assert_eq!(parse_link_tenant(&format!("7.{random}")), Some(TenantId::new(7)));
        for bad in
            ["", "7", "7.", ".", "x.y", "7.0af", &random, &format!("a.{random}"), &format!("7.{random}0")]
        {
            assert_eq!(parse_link_tenant(bad), None, "{bad}");
        }
    }
}
