//! Saved filters of lists, and the columns that users chose for them.

use crate::{Error, QueryWeight, ReadSource, Row, Tx, sql};
use domain::{FilterCode, Moment, TenantId, UserCode};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFilter {
    pub code: FilterCode,
    /// The list it belongs to.
    pub list: String,
    pub owner: UserCode,
    pub name: String,
    /// The query string, without the question mark.
    pub query: String,
    pub is_shared: bool,
}

fn parse_filter_row(row: &Row) -> Result<SavedFilter, Error> {
    Ok(SavedFilter {
        code: row.get("code")?,
        list: row.get("list")?,
        owner: row.get("owner")?,
        name: row.get("name")?,
        query: row.get("query")?,
        is_shared: row.get("is_shared")?,
    })
}

/// A user's own filters of a list, followed by those that others share; each ordered by code.
#[boxed::future]
pub async fn list_saved_filters(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (list, owner): (&str, UserCode),
    limit: i64,
) -> Result<Vec<SavedFilter>, Error> {
    let statement = sql("SELECT code, list, owner, name, query, is_shared, 1 AS place FROM saved_filters
         WHERE tenant = $1 AND list = $2 AND owner = $3
         UNION ALL SELECT code, list, owner, name, query, is_shared, 2 AS place FROM saved_filters
         WHERE tenant = $1 AND list = $2 AND is_shared AND owner <> $3
         ORDER BY place, code LIMIT $4")
    .arg(tenant)
    .arg(list)
    .arg(owner)
    .arg(limit);
    source.fetch_all(QueryWeight::Point, statement).await?.iter().map(parse_filter_row).collect()
}

#[boxed::future]
pub async fn find_saved_filter(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    code: FilterCode,
) -> Result<Option<SavedFilter>, Error> {
    let statement = sql(
        "SELECT code, list, owner, name, query, is_shared FROM saved_filters WHERE tenant = $1 AND code = $2",
    )
    .arg(tenant)
    .arg(code);
    source.fetch_optional(statement).await?.map(|row| parse_filter_row(&row)).transpose()
}

#[boxed::future]
pub async fn upsert_saved_filter(
    tx: &mut Tx,
    tenant: TenantId,
    filter: &SavedFilter,
    now: Moment,
) -> Result<(), Error> {
    let statement = sql("INSERT INTO saved_filters (tenant, code, list, owner, name, query, is_shared, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
         ON CONFLICT (tenant, code) DO UPDATE SET name = excluded.name, query = excluded.query,
             is_shared = excluded.is_shared, updated_at = excluded.updated_at")
    .arg(tenant)
    .arg(filter.code)
    .arg(filter.list.as_str())
    .arg(filter.owner)
    .arg(filter.name.as_str())
    .arg(filter.query.as_str())
    .arg(filter.is_shared)
    .arg(now);
    tx.execute(statement).await.map(drop)
}

#[boxed::future]
pub async fn delete_saved_filter(tx: &mut Tx, tenant: TenantId, code: FilterCode) -> Result<(), Error> {
    let statement = sql("DELETE FROM saved_filters WHERE tenant = $1 AND code = $2").arg(tenant).arg(code);
    tx.execute(statement).await.map(drop)
}

/// The columns that a user chose for a list; `None` if they never chose any.
#[boxed::future]
pub async fn find_chosen_columns(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    (user, list): (UserCode, &str),
) -> Result<Option<String>, Error> {
    let statement =
        sql("SELECT columns FROM chosen_columns WHERE tenant = $1 AND user_code = $2 AND list = $3")
            .arg(tenant)
            .arg(user)
            .arg(list);
    source.fetch_optional(statement).await?.map(|row| row.get("columns")).transpose()
}

#[boxed::future]
pub async fn upsert_chosen_columns(
    tx: &mut Tx,
    tenant: TenantId,
    (user, list): (UserCode, &str),
    columns: &str,
) -> Result<(), Error> {
    let statement =
        sql("INSERT INTO chosen_columns (tenant, user_code, list, columns) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, user_code, list) DO UPDATE SET columns = excluded.columns")
        .arg(tenant)
        .arg(user)
        .arg(list)
        .arg(columns);
    tx.execute(statement).await.map(drop)
}
