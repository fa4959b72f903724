//! Tokens of users, of which only the hash is kept.

use crate::{Error, Source, Statement, Tx, Weight, sql};
use domain::{BranchCode, Moment, Role, TenantId, UserCode};

/// Whose a token is, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub user: UserCode,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub expires_at: Moment,
}

/// A token to be written. Its generation is the one its user has as he enters.
pub struct NewToken<'t> {
    pub tenant: TenantId,
    pub hash: &'t [u8],
    pub user: UserCode,
    pub generation: i64,
    pub now: Moment,
    pub expires_at: Moment,
}

pub fn insert(new: &NewToken<'_>) -> Statement {
    sql("INSERT INTO tokens (tenant, hash, user_code, generation, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)")
    .arg(new.tenant)
    .arg(new.hash)
    .arg(new.user)
    .arg(new.generation)
    .arg(new.now)
    .arg(new.expires_at)
}

/// Whose token this is, unless it has expired or was ended, he was disabled or his association was.
pub async fn holder(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    hash: &[u8],
    now: Moment,
) -> Result<Option<Holder>, Error> {
    let statement = sql("SELECT k.expires_at, u.code, u.role, b.branch
         FROM tokens k
         JOIN users u ON u.tenant = k.tenant AND u.code = k.user_code AND u.active
             AND u.generation = k.generation
         JOIN tenants t ON t.tenant = k.tenant AND t.active
         LEFT JOIN user_branches b ON b.tenant = u.tenant AND b.user_code = u.code
         WHERE k.tenant = $1 AND k.hash = $2 AND k.expires_at > $3 ORDER BY COALESCE(b.branch, 0)")
    .arg(tenant)
    .arg(hash)
    .arg(now);
    let rows = from.into().all(Weight::Point, statement).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let branches = rows.iter().map(|row| row.get::<Option<BranchCode>>("branch"));
    Ok(Some(Holder {
        user: first.get("code")?,
        role: first.get("role")?,
        branches: branches.filter_map(Result::transpose).collect::<Result<_, _>>()?,
        expires_at: first.get("expires_at")?,
    }))
}

/// Ends every token of a user: none of his generation is good any more. The rows go when they expire.
pub async fn end_all(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement = sql("UPDATE users SET generation = generation + 1 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(user);
    tx.execute(statement).await.map(drop)
}
