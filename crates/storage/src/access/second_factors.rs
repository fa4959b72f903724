//! Second factors, their recovery codes, and sign-ins that wait for the second factor.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{Moment, TenantId, UserCode};

/// A second factor without its secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSecondFactor {
    /// `None` until a code has confirmed it.
    pub confirmed_at: Option<Moment>,
    pub last_step: i64,
}

#[boxed::future]
pub async fn find_second_factor(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    user: UserCode,
) -> Result<Option<StoredSecondFactor>, Error> {
    let statement =
        sql("SELECT confirmed_at, last_step FROM second_factors WHERE tenant = $1 AND user_code = $2")
            .arg(tenant)
            .arg(user);
    let row = source.fetch_optional(statement).await?;
    row.map(|row| {
        Ok(StoredSecondFactor { confirmed_at: row.get("confirmed_at")?, last_step: row.get("last_step")? })
    })
    .transpose()
}

/// The users of a tenant with a confirmed factor, and since when.
#[boxed::future]
pub async fn list_confirmed_factors(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<(UserCode, Moment)>, Error> {
    let statement = sql("SELECT user_code, confirmed_at FROM second_factors
         WHERE tenant = $1 AND confirmed_at IS NOT NULL ORDER BY user_code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("user_code")?, row.get("confirmed_at")?))).collect()
}

/// Stores an unconfirmed factor; replaces any existing one.
#[boxed::future]
pub async fn upsert_unconfirmed_factor(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement = sql(
        "INSERT INTO second_factors (tenant, user_code, confirmed_at, last_step) VALUES ($1, $2, NULL, 0)
         ON CONFLICT (tenant, user_code) DO UPDATE SET confirmed_at = NULL, last_step = 0",
    )
    .arg(tenant)
    .arg(user);
    tx.execute(statement).await.map(drop)
}

/// Makes the factor required from now on, with new recovery codes.
#[boxed::future]
pub async fn confirm_second_factor(
    tx: &mut Tx,
    (tenant, user): (TenantId, UserCode),
    step: i64,
    recovery: &[[u8; 32]],
    now: Moment,
) -> Result<(), Error> {
    let mut statements = vec![
        sql("UPDATE second_factors SET confirmed_at = $3, last_step = $4 WHERE tenant = $1 AND user_code = $2")
            .arg(tenant)
            .arg(user)
            .arg(now)
            .arg(step),
    ];
    statements.extend(replace_recovery_codes(tenant, user, recovery));
    tx.execute_batch(statements).await
}

/// Replaces all recovery codes.
pub fn replace_recovery_codes(tenant: TenantId, user: UserCode, hashes: &[[u8; 32]]) -> Vec<Statement> {
    let mut statements =
        vec![bind_user("DELETE FROM recovery_codes WHERE tenant = $1 AND user_code = $2", tenant, user)];
    statements.extend(hashes.iter().map(|hash| {
        sql("INSERT INTO recovery_codes (tenant, user_code, hash) VALUES ($1, $2, $3)")
            .arg(tenant)
            .arg(user)
            .arg(&hash[..])
    }));
    statements
}

/// Consumes a time step; `false` if it or a later one was already used.
#[boxed::future]
pub async fn consume_time_step(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    step: i64,
) -> Result<bool, Error> {
    let statement = sql("UPDATE second_factors SET last_step = $3
         WHERE tenant = $1 AND user_code = $2 AND last_step < $3 AND confirmed_at IS NOT NULL")
    .arg(tenant)
    .arg(user)
    .arg(step);
    Ok(tx.execute(statement).await? == 1)
}

/// Consumes a recovery code; `false` if it does not exist.
#[boxed::future]
pub async fn consume_recovery_code(
    tx: &mut Tx,
    tenant: TenantId,
    user: UserCode,
    hash: &[u8],
) -> Result<bool, Error> {
    let statement = sql("DELETE FROM recovery_codes WHERE tenant = $1 AND user_code = $2 AND hash = $3")
        .arg(tenant)
        .arg(user)
        .arg(hash);
    Ok(tx.execute(statement).await? == 1)
}

#[boxed::future]
pub async fn count_recovery_codes(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    user: UserCode,
) -> Result<i64, Error> {
    let text = "SELECT COUNT(*) AS codes FROM recovery_codes WHERE tenant = $1 AND user_code = $2";
    source.fetch_optional(bind_user(text, tenant, user)).await?.map_or(Ok(0), |row| row.get("codes"))
}

/// Deletes a factor and its data except the secret; `false` if there was none.
#[boxed::future]
pub async fn delete_second_factor(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<bool, Error> {
    tx.execute_batch(vec![
        bind_user("DELETE FROM recovery_codes WHERE tenant = $1 AND user_code = $2", tenant, user),
        bind_user("DELETE FROM entrances WHERE tenant = $1 AND user_code = $2", tenant, user),
    ])
    .await?;
    let deletion = bind_user("DELETE FROM second_factors WHERE tenant = $1 AND user_code = $2", tenant, user);
    Ok(tx.execute(deletion).await? == 1)
}

fn bind_user(text: &'static str, tenant: TenantId, user: UserCode) -> Statement {
    sql(text).arg(tenant).arg(user)
}

/// A sign-in with a correct password that still needs the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondFactorChallenge {
    pub user: UserCode,
    /// The user's session generation when the password was given.
    pub generation: i64,
}

pub fn insert_factor_challenge(
    tenant: TenantId,
    hash: &[u8],
    waits: SecondFactorChallenge,
    expires_at: Moment,
) -> Statement {
    sql("INSERT INTO entrances (tenant, hash, user_code, generation, expires_at) VALUES ($1, $2, $3, $4, $5)")
        .arg(tenant)
        .arg(hash)
        .arg(waits.user)
        .arg(waits.generation)
        .arg(expires_at)
}

/// The pending sign-in with this hash, unless it has expired.
#[boxed::future]
pub async fn find_factor_challenge(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<Option<SecondFactorChallenge>, Error> {
    let statement = sql("SELECT user_code, generation FROM entrances
         WHERE tenant = $1 AND hash = $2 AND expires_at > $3")
    .arg(tenant)
    .arg(hash)
    .arg(now);
    let entrance = |row: Row| {
        Ok(SecondFactorChallenge { user: row.get("user_code")?, generation: row.get("generation")? })
    };
    source.fetch_optional(statement).await?.map(entrance).transpose()
}

pub fn delete_factor_challenge(tenant: TenantId, hash: &[u8]) -> Statement {
    sql("DELETE FROM entrances WHERE tenant = $1 AND hash = $2").arg(tenant).arg(hash)
}
