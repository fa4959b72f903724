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
    // Without its accesses an archive would not be complete.
    db.activity()?;
    let take = Arc::new(take);
    let Some(activity) = db.separate_activity() else { return read_tables(db, tenant, take, |_| true).await };
    read_tables(db, tenant, Arc::clone(&take), |table| !table.is_activity()).await?;
    read_tables(activity, tenant, take, ArchiveTable::is_activity).await
}

async fn read_tables<E, F>(
    db: &Db,
    tenant: TenantId,
    take: Arc<F>,
    is_here: fn(&ArchiveTable) -> bool,
) -> Result<(), E>
where
    F: Fn(&'static ArchiveTable, Vec<Vec<SqlScalar>>) -> Result<(), E> + Send + Sync + 'static,
    E: From<Error> + Send + 'static,
{
    db.read(take, move |tx, take| {
        Box::pin(async move {
            for table in list_archive_tables().iter().filter(|table| is_here(table)) {
                read_table_rows(tx, tenant, table, &**take).await?;
            }
            Ok(())
        })
    })
    .await
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
