//! Password reset links. Only their hash is stored.

use crate::{Error, ReadSource, Tx, sql};
use domain::{Moment, TenantId, UserCode};

pub struct NewPasswordResetRow<'r> {
    pub tenant: TenantId,
    pub hash: &'r [u8],
    pub user: UserCode,
    pub now: Moment,
    pub expires_at: Moment,
}

#[boxed::future]
pub async fn insert_password_reset(tx: &mut Tx, reset: &NewPasswordResetRow<'_>) -> Result<(), Error> {
    let statement = sql("INSERT INTO password_resets (tenant, hash, user_code, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5)")
    .arg(reset.tenant)
    .arg(reset.hash)
    .arg(reset.user)
    .arg(reset.now)
    .arg(reset.expires_at);
    tx.execute(statement).await.map(drop)
}

/// Whether the link is valid now, without consuming it.
#[boxed::future]
pub async fn is_password_reset_open(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<bool, Error> {
    let statement =
        sql("SELECT user_code FROM password_resets WHERE tenant = $1 AND hash = $2 AND expires_at > $3")
            .arg(tenant)
            .arg(hash)
            .arg(now);
    Ok(source.fetch_optional(statement).await?.is_some())
}

/// Consumes the link and returns its user, if it exists and has not expired.
#[boxed::future]
pub async fn consume_password_reset(
    tx: &mut Tx,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<Option<UserCode>, Error> {
    let statement = sql("DELETE FROM password_resets WHERE tenant = $1 AND hash = $2 AND expires_at > $3
         RETURNING user_code")
    .arg(tenant)
    .arg(hash)
    .arg(now);
    tx.fetch_optional(statement).await?.map(|row| row.get("user_code")).transpose()
}

/// How many unused links of a user were created after a moment.
#[boxed::future]
pub async fn count_password_resets_since(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    user: UserCode,
    since: Moment,
) -> Result<i64, Error> {
    let statement = sql("SELECT COUNT(*) AS made FROM password_resets
         WHERE tenant = $1 AND user_code = $2 AND created_at > $3")
    .arg(tenant)
    .arg(user)
    .arg(since);
    source.fetch_optional(statement).await?.map_or(Ok(0), |row| row.get("made"))
}

/// Revokes every link of a user.
#[boxed::future]
pub async fn delete_password_resets(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement =
        sql("DELETE FROM password_resets WHERE tenant = $1 AND user_code = $2").arg(tenant).arg(user);
    tx.execute(statement).await.map(drop)
}
