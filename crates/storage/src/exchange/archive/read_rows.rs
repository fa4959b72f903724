//! Reads every row of a tenant from one snapshot, and its accesses from the database of activity.

use super::tables::{ArchiveColumn, ArchiveColumnKind, ArchiveTable, ROWS_PER_READ, list_archive_tables};
use crate::{Db, Error, Row, SqlScalar, Tx};
use domain::TenantId;
use std::sync::Arc;

/// Passes every row of a tenant to `take`, table by table in pages, all from one snapshot; accesses that are in a
/// database of their own come last. Each table is passed at least once, even if empty. The snapshot stays open
/// throughout, so the database must be opened with long enough time limits.
pub async fn read_tenant_rows<E, F>(db: &Db, tenant: TenantId, take: F) -> Result<(), E>
where
    F: Fn(&'static ArchiveTable, Vec<Vec<SqlScalar>>) -> Result<(), E> + Send + Sync + 'static,
    E: From<Error> + Send + 'static,
{
    let take = Arc::new(take);
    let is_separate = db.separate_activity().is_some();
    let parts = [Some((db, false)), is_separate.then_some((db.activity()?, true))];
    for (db, is_activity) in parts.into_iter().flatten() {
        db.read(Arc::clone(&take), move |tx, take| {
            Box::pin(async move {
                let is_here = |table: &&ArchiveTable| !is_separate || table.is_activity() == is_activity;
                for table in list_archive_tables().iter().filter(is_here) {
                    read_table_rows(tx, tenant, table, &**take).await?;
                }
                Ok::<_, E>(())
            })
        })
        .await?;
    }
    Ok(())
}

async fn read_table_rows<E: From<Error>>(
    tx: &mut Tx,
    tenant: TenantId,
    table: &'static ArchiveTable,
    take: &(impl Fn(&'static ArchiveTable, Vec<Vec<SqlScalar>>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let mut after = None;
    loop {
        let rows = tx.fetch_all(table.select_page(tenant, after)).await?;
        let rows: Vec<Vec<SqlScalar>> =
            rows.iter().map(|row| parse_table_row(table, row)).collect::<Result<_, Error>>()?;
        let is_last =
            table.key.is_empty() || rows.len() < usize::try_from(ROWS_PER_READ).unwrap_or(usize::MAX);
        after = rows.last().map(|last| table.extract_key(last));
        take(table, rows)?;
        if is_last {
            return Ok(());
        }
    }
}

fn parse_table_row(table: &ArchiveTable, row: &Row) -> Result<Vec<SqlScalar>, Error> {
    let value = |column: &ArchiveColumn| {
        Ok(match column.kind {
            ArchiveColumnKind::Int | ArchiveColumnKind::Moment => row.get::<Option<i64>>(column.name)?.into(),
            ArchiveColumnKind::Flag => row.get::<Option<bool>>(column.name)?.into(),
            ArchiveColumnKind::Text => row.get::<Option<String>>(column.name)?.into(),
            ArchiveColumnKind::Bytes | ArchiveColumnKind::Sealed => {
                row.get::<Option<Vec<u8>>>(column.name)?.map_or(SqlScalar::Null, SqlScalar::Bytes)
            }
        })
    };
    table.columns.iter().map(value).collect()
}
