//! What entering is decided by: the account behind a login, the addresses it is known from, and the failures that were
//! counted against accounts and addresses.

use crate::{Error, Row, Source, Statement, Tx, Weight, sql};
use domain::{BranchCode, CallerAddress, Email, Moment, Role, TenantId, UserCode};

/// The account that a login names.
#[derive(Clone, Debug)]
pub struct Account {
    pub tenant: TenantId,
    pub user: UserCode,
    pub password_hash: String,
    /// When it was last entered correctly from the address that asks.
    pub known_since: Option<Moment>,
}

#[boxed::future]
pub async fn account(
    from: impl Into<Source<'_>>,
    email: &Email,
    address: CallerAddress,
) -> Result<Option<Account>, Error> {
    let statement = sql("SELECT l.tenant, l.user_code, u.password_hash, k.seen_at
         FROM logins l
         JOIN users u ON u.tenant = l.tenant AND u.code = l.user_code
         LEFT JOIN known_addresses k ON k.tenant = l.tenant AND k.user_code = l.user_code AND k.address = $2
         WHERE l.email = $1")
    .arg(email.as_str())
    .arg(address.to_string());
    let row = from.one(statement).await?;
    row.map(|row| {
        Ok(Account {
            tenant: row.get("tenant")?,
            user: row.get("user_code")?,
            password_hash: row.get("password_hash")?,
            known_since: row.get("seen_at")?,
        })
    })
    .transpose()
}

/// A user as he enters.
#[derive(Clone, Debug)]
pub struct Entering {
    pub name: String,
    pub email: String,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub password_hash: String,
    pub must_change_password: bool,
    pub generation: i64,
    pub tenant_name: String,
}

/// The user, unless he was disabled or his association was.
#[boxed::future]
pub async fn entering(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
    user: UserCode,
) -> Result<Option<Entering>, Error> {
    let statement =
        sql("SELECT u.name, u.email, u.role, u.password_hash, u.must_change_password, u.generation,
             t.name AS tenant_name, b.branch
         FROM users u
         JOIN tenants t ON t.tenant = u.tenant AND t.active
         LEFT JOIN user_branches b ON b.tenant = u.tenant AND b.user_code = u.code
         WHERE u.tenant = $1 AND u.code = $2 AND u.active ORDER BY COALESCE(b.branch, 0)")
        .arg(tenant)
        .arg(user);
    let rows = from.all(Weight::Point, statement).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let branches = rows.iter().map(|row| row.get::<Option<BranchCode>>("branch"));
    Ok(Some(Entering {
        name: first.get("name")?,
        email: first.get("email")?,
        role: first.get("role")?,
        branches: branches.filter_map(Result::transpose).collect::<Result<_, _>>()?,
        password_hash: first.get("password_hash")?,
        must_change_password: first.get("must_change_password")?,
        generation: first.get("generation")?,
        tenant_name: first.get("tenant_name")?,
    }))
}

/// Remembers that the account was entered correctly from the address.
pub fn know_address(tenant: TenantId, user: UserCode, address: CallerAddress, now: Moment) -> Statement {
    sql("INSERT INTO known_addresses (tenant, user_code, address, seen_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, user_code, address) DO UPDATE SET seen_at = excluded.seen_at")
    .arg(tenant)
    .arg(user)
    .arg(address.to_string())
    .arg(now)
}

/// Forgets from where an account was entered, because its password is another now.
#[boxed::future]
pub async fn forget_addresses(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement =
        sql("DELETE FROM known_addresses WHERE tenant = $1 AND user_code = $2").arg(tenant).arg(user);
    tx.execute(statement).await.map(drop)
}

/// When each user of a tenant last entered, of those who did in the time for which an address stays known.
#[boxed::future]
pub async fn last_seen(
    from: impl Into<Source<'_>>,
    tenant: TenantId,
) -> Result<Vec<(UserCode, Moment)>, Error> {
    let statement = sql("SELECT user_code, MAX(seen_at) AS seen_at FROM known_addresses WHERE tenant = $1
         GROUP BY user_code ORDER BY user_code")
    .arg(tenant);
    let rows = from.all(Weight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("user_code")?, row.get("seen_at")?))).collect()
}

/// How often something failed, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    pub count: i64,
    pub since: Moment,
}

/// The failures of each subject, of those counted since a moment; in the order of the subjects.
pub async fn failures<const N: usize>(
    from: impl Into<Source<'_>>,
    subjects: [&str; N],
    after: Moment,
) -> Result<[Option<Failures>; N], Error> {
    let statement =
        sql("SELECT subject, failures, since FROM login_failures WHERE tenant = $1 AND since > $2")
            .arg(TenantId::SERVER)
            .arg(after)
            .within("subject", subjects)
            .ending("ORDER BY subject");
    let rows = from.into().all(Weight::Point, statement).await?;
    let mut found = [None; N];
    for row in &rows {
        let (subject, failures) = counted(row)?;
        for (at, _) in subjects.iter().enumerate().filter(|(_, asked)| **asked == subject) {
            found[at] = Some(failures);
        }
    }
    Ok(found)
}

fn counted(row: &Row) -> Result<(String, Failures), Error> {
    Ok((row.get("subject")?, Failures { count: row.get("failures")?, since: row.get("since")? }))
}

/// Counts one more failure of each subject; what was counted up to `after` is forgotten.
pub async fn count_failure<const N: usize>(
    tx: &mut Tx,
    subjects: [&str; N],
    now: Moment,
    after: Moment,
) -> Result<(), Error> {
    let count = |subject: &str| {
        sql("INSERT INTO login_failures (tenant, subject, failures, since) VALUES ($1, $2, 1, $3)
             ON CONFLICT (tenant, subject) DO UPDATE SET
                 failures = CASE WHEN login_failures.since > $4 THEN login_failures.failures + 1 ELSE 1 END,
                 since = CASE WHEN login_failures.since > $4 THEN login_failures.since ELSE $3 END")
        .arg(TenantId::SERVER)
        .arg(subject)
        .arg(now)
        .arg(after)
    };
    tx.batch(subjects.into_iter().map(count).collect()).await
}
