//! Deletes the rows of a tenant.

use super::left_behind::DELETED_WITH_TENANT;
use super::tables::ArchiveTable;
use crate::name_index::{self, NameIndexKind};
use crate::{Error, SqlScalar, Statement, Tx};
use domain::TenantId;

/// Rows deleted per unit of work.
const ROWS_PER_DELETION: i64 = 500;

/// Deletes some rows of a tenant from a table, and their names from the indexes; returns how many.
#[boxed::future]
pub async fn delete_some_rows(tx: &mut Tx, tenant: TenantId, table: &ArchiveTable) -> Result<u64, Error> {
    let Some(first) = table.key.first().copied() else {
        let all = format!("DELETE FROM {} WHERE tenant = ?", table.name);
        return tx.execute(Statement::empty().append(&all, [tenant])).await;
    };
    let index = match table.name {
        "listing" => Some(NameIndexKind::Rows),
        "dependents" => Some(NameIndexKind::Dependents),
        "leads" => Some(NameIndexKind::Leads),
        _ => None,
    };
    let key = table.key.join(", ");
    // The last rows go first: a row may refer to an earlier one of its table.
    let order = format!("{} DESC", table.key.join(" DESC, "));
    let key_query = format!("SELECT {key} FROM {} WHERE tenant = ? ORDER BY {order} LIMIT ?", table.name);
    if let Some(index) = index {
        let rows = tx
            .fetch_all(
                Statement::empty().append(&key_query, [SqlScalar::from(tenant), ROWS_PER_DELETION.into()]),
            )
            .await?;
        let places: Vec<i32> = rows.iter().map(|row| row.get(first)).collect::<Result<_, Error>>()?;
        tx.execute_batch(
            places.into_iter().map(|place| name_index::delete_name(index, tenant, place)).collect(),
        )
        .await?;
    }
    let delete = format!("DELETE FROM {} WHERE tenant = ? AND ({key}) IN ({key_query})", table.name);
    let values: [SqlScalar; 3] = [tenant.into(), tenant.into(), ROWS_PER_DELETION.into()];
    tx.execute(Statement::empty().append(&delete, values)).await
}

/// Deletes the rows of a tenant that are not transferred.
#[boxed::future]
pub async fn delete_untransferred_rows(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    let delete =
        |table: &&str| Statement::empty().append(&format!("DELETE FROM {table} WHERE tenant = ?"), [tenant]);
    tx.execute_batch(DELETED_WITH_TENANT.iter().map(delete).collect()).await
}
