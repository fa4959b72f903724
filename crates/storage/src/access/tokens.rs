//! Access tokens. Only their hash is stored.

use crate::server::tenants::decode_roles;
use crate::{Error, QueryWeight, ReadSource, Statement, Tx, sql};
use domain::{BranchCode, Moment, MoneyRights, Role, TenantId, UserCode};

/// The user of a token, and when it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTokenHolder {
    pub user: UserCode,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    /// As stored; an administrator has more.
    pub money_rights: MoneyRights,
    pub gets_old_search_answer: bool,
    pub expires_at: Moment,
    /// Issued by the console.
    pub is_console: bool,
    /// Last use of a console session, if known.
    pub active_at: Option<Moment>,
    /// A second-factor code was given for it.
    pub has_code: bool,
    /// The user has a second factor.
    pub has_factor: bool,
    /// The tenant requires a second factor for the user's role.
    pub needs_factor: bool,
}

/// A new token. It takes the user's current generation.
pub struct NewTokenRow<'t> {
    pub tenant: TenantId,
    pub hash: &'t [u8],
    pub user: UserCode,
    pub generation: i64,
    pub now: Moment,
    pub expires_at: Moment,
}

pub fn insert_token(new: &NewTokenRow<'_>) -> Statement {
    sql("INSERT INTO tokens (tenant, hash, user_code, generation, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(new.tenant)
    .arg(new.hash)
    .arg(new.user)
    .arg(new.generation)
    .arg(new.now)
    .arg(new.expires_at)
}

/// The user of the token, unless the token has expired or was revoked, or the user or tenant is disabled.
#[boxed::future]
pub async fn find_token_holder(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<Option<StoredTokenHolder>, Error> {
    let statement =
        sql("SELECT k.expires_at, k.is_console, k.active_at, k.has_code, u.code, u.role, u.money_rights,
             u.old_search_answer, b.branch, f.confirmed_at AS factor_since, t.second_factor_roles
         FROM tokens k
         JOIN users u ON u.tenant = k.tenant AND u.code = k.user_code AND u.active
             AND u.generation = k.generation
         JOIN tenants t ON t.tenant = k.tenant AND t.active
         LEFT JOIN user_branches b ON b.tenant = u.tenant AND b.user_code = u.code
         LEFT JOIN second_factors f ON f.tenant = u.tenant AND f.user_code = u.code
         WHERE k.tenant = $1 AND k.hash = $2 AND k.expires_at > $3 ORDER BY COALESCE(b.branch, 0)")
        .arg(tenant)
        .arg(hash)
        .arg(now);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let branches = rows.iter().map(|row| row.get::<Option<BranchCode>>("branch"));
    let role: Role = first.get("role")?;
    Ok(Some(StoredTokenHolder {
        user: first.get("code")?,
        role,
        branches: branches.filter_map(Result::transpose).collect::<Result<_, _>>()?,
        money_rights: first.get("money_rights")?,
        gets_old_search_answer: first.get("old_search_answer")?,
        expires_at: first.get("expires_at")?,
        is_console: first.get("is_console")?,
        active_at: first.get("active_at")?,
        has_code: first.get("has_code")?,
        has_factor: first.get::<Option<Moment>>("factor_since")?.is_some(),
        needs_factor: decode_roles(first.get("second_factor_roles")?).contains(&role),
    }))
}

/// Revokes every token of a user by raising the generation. The rows are deleted when they expire.
#[boxed::future]
pub async fn revoke_user_tokens(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement = sql("UPDATE users SET generation = generation + 1 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(user);
    tx.execute(statement).await.map(drop)
}

/// Revokes all access to this server: tokens, incomplete sign-ins and password reset links of every user. Token rows
/// are deleted when they expire.
#[boxed::future]
pub async fn revoke_all_access(tx: &mut Tx) -> Result<(), Error> {
    tx.execute_batch(vec![
        sql("UPDATE users SET generation = generation + 1"),
        sql("DELETE FROM entrances"),
        sql("DELETE FROM password_resets"),
    ])
    .await
}

/// Marks a token as a console session, with the client address.
pub fn mark_console_token(
    tenant: TenantId,
    hash: &[u8],
    (address, agent): (&str, Option<&str>),
    now: Moment,
) -> Statement {
    sql("UPDATE tokens SET is_console = TRUE, address = $3, agent = $4, active_at = $5
         WHERE tenant = $1 AND hash = $2")
    .arg(tenant)
    .arg(hash)
    .arg(address)
    .arg(agent)
    .arg(now)
}

/// Marks an API token as verified by a second-factor code.
pub fn mark_code_verified(tenant: TenantId, hash: &[u8]) -> Statement {
    sql("UPDATE tokens SET has_code = TRUE WHERE tenant = $1 AND hash = $2").arg(tenant).arg(hash)
}

/// Records that a console session is in use.
#[boxed::future]
pub async fn update_token_activity(
    tx: &mut Tx,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("UPDATE tokens SET active_at = $3 WHERE tenant = $1 AND hash = $2 AND is_console")
        .arg(tenant)
        .arg(hash)
        .arg(now);
    tx.execute(statement).await.map(drop)
}

/// A valid token, as shown to its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveToken {
    pub hash: Vec<u8>,
    pub is_console: bool,
    pub address: Option<String>,
    pub agent: Option<String>,
    pub created_at: Moment,
    pub expires_at: Moment,
    /// Last use of a console session, if known.
    pub active_at: Option<Moment>,
}

/// The newest valid tokens of a user.
#[boxed::future]
pub async fn list_active_tokens(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    user: UserCode,
    (now, limit): (Moment, i64),
) -> Result<Vec<ActiveToken>, Error> {
    let statement = sql("SELECT k.hash, k.is_console, k.address, k.agent, k.created_at, k.expires_at, k.active_at
         FROM tokens k JOIN users u ON u.tenant = k.tenant AND u.code = k.user_code AND u.generation = k.generation
         WHERE k.tenant = $1 AND k.user_code = $2 AND k.expires_at > $3
         ORDER BY k.created_at DESC, k.hash LIMIT $4")
    .arg(tenant)
    .arg(user)
    .arg(now)
    .arg(limit);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(ActiveToken {
                hash: row.get("hash")?,
                is_console: row.get("is_console")?,
                address: row.get("address")?,
                agent: row.get("agent")?,
                created_at: row.get("created_at")?,
                expires_at: row.get("expires_at")?,
                active_at: row.get("active_at")?,
            })
        })
        .collect()
}

/// Deletes a token of a user; `false` if the user has no such token.
#[boxed::future]
pub async fn delete_token(tx: &mut Tx, tenant: TenantId, user: UserCode, hash: &[u8]) -> Result<bool, Error> {
    let statement = sql("DELETE FROM tokens WHERE tenant = $1 AND hash = $2 AND user_code = $3")
        .arg(tenant)
        .arg(hash)
        .arg(user);
    Ok(tx.execute(statement).await? == 1)
}

/// Deletes all console sessions of a user except one.
#[boxed::future]
pub async fn delete_other_console_tokens(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    but: &[u8],
) -> Result<(), Error> {
    let statement =
        sql("DELETE FROM tokens WHERE tenant = $1 AND user_code = $2 AND is_console AND hash <> $3")
            .arg(tenant)
            .arg(user)
            .arg(but);
    tx.execute(statement).await.map(drop)
}
