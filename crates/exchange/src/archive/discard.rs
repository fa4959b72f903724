//! Deletes a tenant whose restore was never completed, in short transactions. If interrupted, the same command
//! continues.

use super::error::ArchiveError;
use app::App;
use app::upkeep::unfinished_restore::RestoreProgress;
use domain::TenantId;
use storage::exchange::archive::{
    ArchiveTable, delete_some_rows, delete_untransferred_rows, list_archive_tables,
};
use storage::server::settings::{self, ServerSetting};
use storage::server::versions;
use storage::{Db, Tx, WriteLane, attachments};

/// Replaces the archive's digest in the restore progress, so that no restore can continue.
const NO_ARCHIVE: &str = "-";
/// Files deleted per batch.
const FILES_PER_BATCH: i64 = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoreDiscardOutcome {
    pub tenant: TenantId,
    pub rows: u64,
}

/// Deletes the partially restored tenant with its files; fails if there is none. `on_progress` receives the number of
/// deleted rows.
pub async fn discard_unfinished_restore(
    app: &App,
    on_progress: impl Fn(u64) + Send + Sync,
) -> Result<RestoreDiscardOutcome, ArchiveError> {
    let lane = WriteLane::foreground(TenantId::SERVER);
    let tenant = app.db.write(lane, (), |tx, ()| Box::pin(begin_discard(tx))).await?;
    let mut rows = 0;
    for table in list_archive_tables().iter().rev() {
        if table.name == "files" {
            rows += delete_files(app, tenant).await?;
            on_progress(rows);
        }
        for db in list_databases_with_table(app, table)? {
            loop {
                let deleted = discard_table_page(db, tenant, table).await?;
                rows += deleted;
                on_progress(rows);
                if deleted == 0 {
                    break;
                }
            }
        }
    }
    app.db.write(lane, tenant, |tx, tenant| Box::pin(finish_discard(tx, *tenant))).await?;
    Ok(RestoreDiscardOutcome { tenant, rows })
}

/// A restore that is still running finds its progress replaced and stops.
async fn begin_discard(tx: &mut Tx) -> Result<TenantId, ArchiveError> {
    let unfinished = RestoreProgress::load(tx).await?.ok_or(ArchiveError::NoUnfinishedRestore)?;
    let tenant = unfinished.tenant;
    let discarding = RestoreProgress {
        archive: NO_ARCHIVE.to_owned(),
        step: NO_ARCHIVE.to_owned(),
        done: 0,
        ..unfinished
    };
    settings::upsert_setting(tx, ServerSetting::ArchiveRestore, &discarding.to_text()).await?;
    delete_untransferred_rows(tx, tenant).await?;
    Ok(tenant)
}

/// Accesses count for themselves where they have a database of their own.
fn list_databases_with_table<'a>(app: &'a App, table: &ArchiveTable) -> Result<Vec<&'a Db>, ArchiveError> {
    Ok(match table.name {
        _ if table.is_activity() => vec![app.db.activity()?],
        "counters" => app.db.list_databases().collect(),
        _ => vec![&app.db],
    })
}

async fn discard_table_page(
    db: &Db,
    tenant: TenantId,
    table: &'static ArchiveTable,
) -> Result<u64, ArchiveError> {
    let lane = WriteLane::background(tenant);
    let deletion = db.write(lane, (tenant, table), |tx, (tenant, table)| {
        Box::pin(async move { Ok::<_, ArchiveError>(delete_some_rows(tx, *tenant, table).await?) })
    });
    deletion.await
}

/// File contents are deleted before the rows that refer to them.
async fn delete_files(app: &App, tenant: TenantId) -> Result<u64, ArchiveError> {
    let mut deleted = 0;
    loop {
        let batch = attachments::list_file_keys(&app.db, tenant, FILES_PER_BATCH).await?;
        for (_, key) in &batch {
            app.files.delete_parts(tenant, key).await?;
        }
        if batch.is_empty() {
            return Ok(deleted);
        }
        deleted += batch.len() as u64;
        app.db
            .write(WriteLane::background(tenant), (tenant, batch), |tx, (tenant, batch)| {
                let statements =
                    batch.iter().map(|(code, _)| attachments::delete_file(*tenant, *code)).collect();
                Box::pin(async move { Ok::<_, ArchiveError>(tx.execute_batch(statements).await?) })
            })
            .await?;
    }
}

async fn finish_discard(tx: &mut Tx, tenant: TenantId) -> Result<(), ArchiveError> {
    // Another restore may have begun meanwhile; its progress must stay.
    if RestoreProgress::load(tx)
        .await?
        .is_some_and(|unfinished| unfinished.tenant == tenant && unfinished.archive == NO_ARCHIVE)
    {
        settings::delete_setting(tx, ServerSetting::ArchiveRestore).await?;
    }
    versions::raise_registers_version(tx, TenantId::SERVER).await?;
    Ok(())
}
