//! Sign-in data: the account behind a login, its known addresses, and failed attempts by account and address.

use crate::{Error, QueryWeight, ReadSource, Row, Statement, Tx, sql};
use domain::{BranchCode, CallerAddress, Email, Moment, Role, TenantId, UserCode};

/// The account behind a login.
#[derive(Clone, Debug)]
pub struct AccountCredentials {
    pub tenant: TenantId,
    pub user: UserCode,
    pub password_hash: String,
    /// Last successful sign-in from the requesting address.
    pub known_since: Option<Moment>,
}

#[boxed::future]
pub async fn find_account_credentials(
    source: impl Into<ReadSource<'_>>,
    email: &Email,
    address: CallerAddress,
) -> Result<Option<AccountCredentials>, Error> {
    let statement = sql("SELECT l.tenant, l.user_code, u.password_hash, k.seen_at
         FROM logins l
         JOIN users u ON u.tenant = l.tenant AND u.code = l.user_code
         LEFT JOIN known_addresses k ON k.tenant = l.tenant AND k.user_code = l.user_code AND k.address = $2
         WHERE l.email = $1")
    .arg(email.as_str())
    .arg(address.to_string());
    let row = source.fetch_optional(statement).await?;
    row.map(|row| {
        Ok(AccountCredentials {
            tenant: row.get("tenant")?,
            user: row.get("user_code")?,
            password_hash: row.get("password_hash")?,
            known_since: row.get("seen_at")?,
        })
    })
    .transpose()
}

/// The signed-in user's details.
#[derive(Clone, Debug)]
pub struct SignInUser {
    pub name: String,
    pub email: String,
    pub role: Role,
    pub branches: Vec<BranchCode>,
    pub password_hash: String,
    pub must_change_password: bool,
    pub generation: i64,
    pub tenant_name: String,
}

/// The user, unless the user or the tenant is disabled.
#[boxed::future]
pub async fn find_sign_in_user(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    user: UserCode,
) -> Result<Option<SignInUser>, Error> {
    let statement =
        sql("SELECT u.name, u.email, u.role, u.password_hash, u.must_change_password, u.generation,
             t.name AS tenant_name, b.branch
         FROM users u
         JOIN tenants t ON t.tenant = u.tenant AND t.active
         LEFT JOIN user_branches b ON b.tenant = u.tenant AND b.user_code = u.code
         WHERE u.tenant = $1 AND u.code = $2 AND u.active ORDER BY COALESCE(b.branch, 0)")
        .arg(tenant)
        .arg(user);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let branches = rows.iter().map(|row| row.get::<Option<BranchCode>>("branch"));
    Ok(Some(SignInUser {
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

/// Records a successful sign-in from the address.
pub fn upsert_known_address(
    tenant: TenantId,
    user: UserCode,
    address: CallerAddress,
    now: Moment,
) -> Statement {
    sql("INSERT INTO known_addresses (tenant, user_code, address, seen_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, user_code, address) DO UPDATE SET seen_at = excluded.seen_at")
    .arg(tenant)
    .arg(user)
    .arg(address.to_string())
    .arg(now)
}

/// Forgets the known addresses of an account after a password change.
#[boxed::future]
pub async fn delete_known_addresses(tx: &mut Tx, tenant: TenantId, user: UserCode) -> Result<(), Error> {
    let statement =
        sql("DELETE FROM known_addresses WHERE tenant = $1 AND user_code = $2").arg(tenant).arg(user);
    tx.execute(statement).await.map(drop)
}

/// The last sign-in of each user of a tenant, as far as the known addresses still record it.
#[boxed::future]
pub async fn list_last_sign_ins(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<(UserCode, Moment)>, Error> {
    let statement = sql("SELECT user_code, MAX(seen_at) AS seen_at FROM known_addresses WHERE tenant = $1
         GROUP BY user_code ORDER BY user_code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Search, statement).await?;
    rows.iter().map(|row| Ok((row.get("user_code")?, row.get("seen_at")?))).collect()
}

/// Number of failures, and since when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginFailureCount {
    pub count: i64,
    pub since: Moment,
}

/// The failures of each subject since a moment; in the order of the subjects.
pub async fn list_login_failures<const N: usize>(
    source: impl Into<ReadSource<'_>>,
    subjects: [&str; N],
    after: Moment,
) -> Result<[Option<LoginFailureCount>; N], Error> {
    let statement =
        sql("SELECT subject, failures, since FROM login_failures WHERE tenant = $1 AND since > $2")
            .arg(TenantId::SERVER)
            .arg(after)
            .filter_in("subject", subjects)
            .append_text("ORDER BY subject");
    let rows = source.into().fetch_all(QueryWeight::Point, statement).await?;
    let mut found = [None; N];
    for row in &rows {
        let (subject, failures) = parse_failure_row(row)?;
        for (at, _) in subjects.iter().enumerate().filter(|(_, candidate)| **candidate == subject) {
            found[at] = Some(failures);
        }
    }
    Ok(found)
}

fn parse_failure_row(row: &Row) -> Result<(String, LoginFailureCount), Error> {
    Ok((row.get("subject")?, LoginFailureCount { count: row.get("failures")?, since: row.get("since")? }))
}

/// Counts one more failure for each subject; failures counted up to `after` are discarded.
pub async fn record_login_failure<const N: usize>(
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
    tx.execute_batch(subjects.into_iter().map(count).collect()).await
}
