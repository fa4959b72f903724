//! Final deletion of files removed long ago and of content without a file row. The row is deleted in a transaction and
//! the content afterwards; if the process dies in between, the recorded key lets the next run continue.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::{Statement, Tx, WriteLane, attachments};

/// Files per transaction, and keys between two lease renewals.
const FILES_PER_SWEEP: i64 = 50;
/// Minimum age of content without a file row: younger content may be a running upload.
const LOOSE_FILE_AGE: Duration = Duration::from_hours(24);

#[derive(Clone, Copy, Debug)]
pub(crate) struct RetentionPeriods {
    /// `housekeeping.removed_files_days`.
    pub removed: Duration,
}

/// Deletes one batch of a tenant's expired files; returns how many, and whether there may be more.
pub(crate) async fn sweep_files(
    app: &App,
    tenant: TenantId,
    retention: RetentionPeriods,
) -> Result<(u64, bool), Error> {
    let input = (tenant, app.now(), retention);
    let lane = WriteLane::background(tenant);
    let expired = app.db.write(lane, input, |tx, input| Box::pin(delete_expired_files(tx, input))).await?;
    let keys = attachments::list_orphan_keys_before(
        &app.db,
        tenant,
        app.now().minus(LOOSE_FILE_AGE),
        FILES_PER_SWEEP,
    )
    .await?;
    let found = keys.len();
    let mut deleted = 0;
    for key in keys {
        match app.files.delete_parts(tenant, &key).await {
            Ok(()) => {
                delete_loose_key(app, tenant, key).await?;
                deleted += 1;
            }
            // Re-marked as new, so that it goes to the end of the queue and does not block other keys.
            Err(error) => {
                tracing::warn!(%error, %tenant, "the content of a file could not be deleted");
                execute_statement(app, tenant, attachments::update_orphan_mark(tenant, &key, app.now()))
                    .await?;
            }
        }
    }
    // If every deletion failed, the store is unreachable: the next run retries.
    let has_progress = deleted > 0 || found == 0;
    let may_be_more = has_progress && (expired as i64 == FILES_PER_SWEEP || found as i64 == FILES_PER_SWEEP);
    Ok((expired + deleted as u64, may_be_more))
}

/// Deletes the rows of files removed long ago, which can no longer be restored.
async fn delete_expired_files(
    tx: &mut Tx,
    (tenant, now, retention): &(TenantId, Moment, RetentionPeriods),
) -> Result<u64, Error> {
    let old =
        attachments::list_files_removed_before(tx, *tenant, now.minus(retention.removed), FILES_PER_SWEEP)
            .await?;
    if old.is_empty() {
        return Ok(0);
    }
    // Backdated, so that the content is due at once.
    let since = now.minus(LOOSE_FILE_AGE * 2);
    let bytes: i64 = old.iter().map(|(_, _, size)| size).sum();
    let count = i64::try_from(old.len()).unwrap_or(FILES_PER_SWEEP);
    let mut statements = vec![attachments::add_to_file_totals(*tenant, -count, -bytes)];
    for (code, key, _) in &old {
        statements.push(attachments::delete_file(*tenant, *code));
        statements.push(attachments::insert_orphan_mark(*tenant, key, since));
    }
    tx.execute_batch(statements).await?;
    Ok(old.len() as u64)
}

/// Deletes content that gets no file row; on failure the sweep does it later.
pub(super) async fn discard_content(app: &App, tenant: TenantId, key: &str) {
    let deletion = async {
        app.files.delete_parts(tenant, key).await?;
        delete_loose_key(app, tenant, key.to_owned()).await
    };
    if let Err(error) = deletion.await {
        tracing::warn!(%error, %tenant, "the content of a refused file will be deleted by the next sweep");
    }
}

async fn delete_loose_key(app: &App, tenant: TenantId, key: String) -> Result<(), Error> {
    execute_statement(app, tenant, attachments::delete_orphan_mark(tenant, &key)).await
}

async fn execute_statement(app: &App, tenant: TenantId, statement: Statement) -> Result<(), Error> {
    let unit = app.db.write(WriteLane::background(tenant), statement, |tx, statement| {
        Box::pin(async move { Ok::<_, Error>(tx.execute(statement.clone()).await.map(drop)?) })
    });
    unit.await
}
