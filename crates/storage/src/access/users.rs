//! Users of a tenant, and their logins, which are unique on the server.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{BranchCode, DisplayName, Email, Moment, MoneyRights, Role, Scope, TenantId, User, UserCode};

pub struct NewUserRow<'u> {
    pub tenant: TenantId,
    pub code: UserCode,
    pub name: &'u DisplayName,
    pub email: &'u Email,
    pub role: Role,
    pub branches: &'u [BranchCode],
    pub money_rights: MoneyRights,
    pub gets_old_search_answer: bool,
    pub password_hash: &'u str,
    pub must_change_password: bool,
    pub now: Moment,
}

/// The columns read by [`collect_users`].
macro_rules! select {
    () => {
        "SELECT u.code, u.name, u.email, u.role, u.money_rights, u.old_search_answer, u.active, u.version,
                 u.updated_at, b.branch
             FROM users u LEFT JOIN user_branches b ON b.tenant = u.tenant AND b.user_code = u.code "
    };
}

#[boxed::future]
pub async fn insert_user(tx: &mut Tx, user: &NewUserRow<'_>) -> Result<(), Error> {
    let mut statements =
        vec![
        sql("INSERT INTO users (tenant, code, name, email, role, password_hash, must_change_password, active,
                 version, created_at, updated_at, money_rights, old_search_answer)
             VALUES ($1, $2, $3, $4, $5, $6, $7, TRUE, 1, $8, $8, $9, $10)")
        .arg(user.tenant)
        .arg(user.code)
        .arg(user.name.as_str())
        .arg(user.email.as_str())
        .arg(user.role)
        .arg(user.password_hash)
        .arg(user.must_change_password)
        .arg(user.now)
        .arg(user.money_rights)
        .arg(user.gets_old_search_answer),
    ];
    statements.extend(insert_user_branches(user.tenant, user.code, user.branches));
    tx.execute_batch(statements).await
}

/// A user known only by name, without a login: they can never sign in.
pub fn insert_name_only_user(
    tenant: TenantId,
    code: UserCode,
    name: &str,
    email: &str,
    now: Moment,
) -> crate::Statement {
    sql("INSERT INTO users (tenant, code, name, email, role, password_hash, must_change_password, active, version,
             created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, '', FALSE, FALSE, 1, $6, $6)")
    .arg(tenant)
    .arg(code)
    .arg(name)
    .arg(email)
    .arg(Role::Operator)
    .arg(now)
}

/// The codes and names of all users, ordered by code, and whether each was created by [`insert_name_only_user`].
#[boxed::future]
pub async fn list_user_names(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
) -> Result<Vec<(UserCode, String, bool)>, Error> {
    let statement = sql("SELECT code, name, (password_hash = '' AND NOT active) AS is_named
         FROM users WHERE tenant = $1 ORDER BY code")
    .arg(tenant);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("code")?, row.get("name")?, row.get("is_named")?))).collect()
}

pub fn rename_user(tenant: TenantId, code: UserCode, name: &str, now: Moment) -> crate::Statement {
    sql("UPDATE users SET name = $3, version = version + 1, updated_at = $4 WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(code)
        .arg(name)
        .arg(now)
}

fn insert_user_branches(
    tenant: TenantId,
    user: UserCode,
    branches: &[BranchCode],
) -> impl Iterator<Item = crate::Statement> + '_ {
    branches.iter().map(move |branch| {
        sql("INSERT INTO user_branches (tenant, user_code, branch) VALUES ($1, $2, $3)")
            .arg(tenant)
            .arg(user)
            .arg(*branch)
    })
}

/// Updates a user. The login address is reserved separately ([`reserve_login`]).
#[boxed::future]
pub async fn update_user(tx: &mut Tx, tenant: TenantId, user: &User) -> Result<(), Error> {
    let mut statements = vec![
        sql("UPDATE users SET name = $3, email = $4, role = $5, active = $6, version = version + 1, updated_at = $7,
                 money_rights = $8, old_search_answer = $9
             WHERE tenant = $1 AND code = $2")
        .arg(tenant)
        .arg(user.code)
        .arg(user.name.as_str())
        .arg(user.email.as_str())
        .arg(user.role)
        .arg(user.active)
        .arg(user.updated_at)
        .arg(user.stored_money_rights)
        .arg(user.gets_old_search_answer),
        sql("DELETE FROM user_branches WHERE tenant = $1 AND user_code = $2").arg(tenant).arg(user.code),
    ];
    statements.extend(insert_user_branches(tenant, user.code, &user.branches));
    tx.execute_batch(statements).await
}

/// Frees the login address of a user.
#[boxed::future]
pub async fn delete_login(tx: &mut Tx, email: &str, tenant: TenantId, code: UserCode) -> Result<(), Error> {
    let statement = sql("DELETE FROM logins WHERE email = $1 AND tenant = $2 AND user_code = $3")
        .arg(email)
        .arg(tenant)
        .arg(code);
    tx.execute(statement).await.map(drop)
}

/// Assigns the login address to a user; `false` if it belongs to another user of any tenant.
#[boxed::future]
pub async fn reserve_login(
    tx: &mut Tx,
    email: &Email,
    tenant: TenantId,
    code: UserCode,
) -> Result<bool, Error> {
    let statement = sql("INSERT INTO logins (email, tenant, user_code) VALUES ($1, $2, $3)
         ON CONFLICT (email) DO NOTHING")
    .arg(email.as_str())
    .arg(tenant)
    .arg(code);
    Ok(tx.execute(statement).await? == 1)
}

/// The tenant and user of a login address.
#[boxed::future]
pub async fn find_login_owner(
    source: impl Into<ReadSource<'_>>,
    email: &Email,
) -> Result<Option<(TenantId, UserCode)>, Error> {
    let statement = sql("SELECT tenant, user_code FROM logins WHERE email = $1").arg(email.as_str());
    let row = source.fetch_optional(statement).await?;
    row.map(|row| Ok((row.get("tenant")?, row.get("user_code")?))).transpose()
}

/// The password hash of an active user.
#[boxed::future]
pub async fn find_password_hash(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: UserCode,
) -> Result<Option<String>, Error> {
    let statement = sql("SELECT password_hash FROM users WHERE tenant = $1 AND code = $2 AND active")
        .arg(tenant)
        .arg(code);
    source.fetch_optional(statement).await?.map(|row| row.get("password_hash")).transpose()
}

/// Whether the tenant has another active administrator.
#[boxed::future]
pub async fn has_other_administrator(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    but: UserCode,
) -> Result<bool, Error> {
    let statement =
        sql("SELECT code FROM users WHERE tenant = $1 AND role = $2 AND active AND code <> $3 LIMIT 1")
            .arg(tenant)
            .arg(Role::Administrator)
            .arg(but);
    Ok(source.fetch_optional(statement).await?.is_some())
}

#[boxed::future]
pub async fn find_user(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: UserCode,
) -> Result<Option<User>, Error> {
    let statement =
        sql(concat!(select!(), "WHERE u.tenant = $1 AND u.code = $2 ORDER BY COALESCE(b.branch, 0)"))
            .arg(tenant)
            .arg(code);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    Ok(collect_users(&rows)?.pop())
}

/// The users of the branches in the scope, or all users if the scope has every branch; ordered by code.
#[boxed::future]
pub async fn list_visible_users(
    source: impl Into<ReadSource<'_>>,
    scope: &Scope,
) -> Result<Vec<User>, Error> {
    let statement = sql(concat!(select!(), "WHERE u.tenant = $1"))
        .arg(scope.tenant())
        .filter_branches("b.branch", scope.branches())
        .append_text("ORDER BY u.code, COALESCE(b.branch, 0)");
    collect_users(&source.fetch_all(QueryWeight::Search, statement).await?)
}

/// Merges consecutive rows of the same user.
fn collect_users(rows: &[Row]) -> Result<Vec<User>, Error> {
    let mut users: Vec<User> = Vec::new();
    for row in rows {
        let code: UserCode = row.get("code")?;
        if users.last().is_none_or(|last| last.code != code) {
            users.push(User {
                code,
                name: row.get("name")?,
                email: row.get("email")?,
                role: row.get("role")?,
                active: row.get("active")?,
                branches: Vec::new(),
                stored_money_rights: row.get("money_rights")?,
                gets_old_search_answer: row.get("old_search_answer")?,
                version: row.get("version")?,
                updated_at: row.get("updated_at")?,
            });
        }
        if let (Some(branch), Some(user)) = (row.get("branch")?, users.last_mut()) {
            user.branches.push(branch);
        }
    }
    Ok(users)
}

#[boxed::future]
pub async fn deactivate_user(
    tx: &mut Tx,
    tenant: TenantId,
    code: UserCode,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("UPDATE users SET active = FALSE, version = version + 1, updated_at = $3
         WHERE tenant = $1 AND code = $2 AND active")
    .arg(tenant)
    .arg(code)
    .arg(now);
    tx.execute(statement).await.map(drop)
}

#[boxed::future]
pub async fn update_password(
    tx: &mut Tx,
    tenant: TenantId,
    code: UserCode,
    password_hash: &str,
    must_change: bool,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("UPDATE users SET password_hash = $3, must_change_password = $4, updated_at = $5
             WHERE tenant = $1 AND code = $2")
    .arg(tenant)
    .arg(code)
    .arg(password_hash)
    .arg(must_change)
    .arg(now);
    tx.execute(statement).await.map(drop)
}
