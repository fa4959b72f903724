//! The remembered target fields of columns.

use crate::{Error, QueryWeight, ReadSource, Statement, sql};
use domain::{ImportKind, TenantId};
use std::collections::BTreeMap;

/// The last target field of each of these columns, by folded name; empty if the column was left out.
#[boxed::future]
pub async fn list_column_mappings(
    source: impl Into<ReadSource<'_>>,
    tenant: TenantId,
    kind: ImportKind,
    headers: &[String],
) -> Result<BTreeMap<String, String>, Error> {
    let statement = sql("SELECT header, field FROM import_columns WHERE tenant = $1 AND kind = $2")
        .arg(tenant)
        .arg(kind)
        .filter_in("header", headers.iter().map(String::as_str));
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| Ok((row.get("header")?, row.get("field")?))).collect()
}

/// Remembers the target field of a column.
pub fn upsert_column_mapping(tenant: TenantId, kind: ImportKind, header: &str, field: &str) -> Statement {
    sql("INSERT INTO import_columns (tenant, kind, header, field) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, kind, header) DO UPDATE SET field = excluded.field")
    .arg(tenant)
    .arg(kind)
    .arg(header)
    .arg(field)
}
