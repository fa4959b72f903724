//! What is removed for good: files that were removed long ago, and bytes that no file was made of. A file is let go of in a
//! unit, its bytes go behind it, and whoever is killed in between leaves a key by which the next one goes on.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::{Statement, Tx, WriteLane, attachments};

/// Files in one unit, and keys between two looks at the lease.
const SOME: i64 = 50;
/// Bytes that are on their way to becoming a file are younger.
const LOOSE: Duration = Duration::from_secs(24 * 3600);

/// How long things are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetentionPeriods {
    pub removed: Duration,
}

/// Removes some of what a tenant no longer needs; says how much, and whether there may be more.
pub(crate) async fn sweep_files(
    app: &App,
    tenant: TenantId,
    kept: RetentionPeriods,
) -> Result<(u64, bool), Error> {
    let input = (tenant, app.now(), kept);
    let lane = WriteLane::background(tenant);
    let let_go = app.db.write(lane, input, |tx, input| Box::pin(delete_expired_files(tx, input))).await?;
    let keys = attachments::list_orphan_keys_before(&app.db, tenant, app.now().minus(LOOSE), SOME).await?;
    let found = keys.len();
    let mut gone = 0;
    for key in keys {
        match app.files.delete_parts(tenant, &key).await {
            Ok(()) => {
                delete_loose_key(app, tenant, key).await?;
                gone += 1;
            }
            // It waits as if it were new, behind all others: it keeps none of them from going.
            Err(error) => {
                tracing::warn!(%error, %tenant, "the bytes of a file could not be removed");
                execute_statement(app, tenant, attachments::update_orphan_mark(tenant, &key, app.now()))
                    .await?;
            }
        }
    }
    // Where none went, the place itself does not answer: the next time is soon enough.
    let some_went = gone > 0 || found == 0;
    let may_be_more = some_went && (let_go as i64 == SOME || found as i64 == SOME);
    Ok((let_go + gone as u64, may_be_more))
}

/// Forgets files that were removed long ago: nobody can take that back any more.
async fn delete_expired_files(
    tx: &mut Tx,
    (tenant, now, kept): &(TenantId, Moment, RetentionPeriods),
) -> Result<u64, Error> {
    let old = attachments::list_files_removed_before(tx, *tenant, now.minus(kept.removed), SOME).await?;
    if old.is_empty() {
        return Ok(0);
    }
    // Old at once: there is nobody left to wait for.
    let since = now.minus(LOOSE * 2);
    let bytes: i64 = old.iter().map(|(_, _, size)| size).sum();
    let count = i64::try_from(old.len()).unwrap_or(SOME);
    let mut statements = vec![attachments::add_to_file_totals(*tenant, -count, -bytes)];
    for (code, key, _) in &old {
        statements.push(attachments::delete_file(*tenant, *code));
        statements.push(attachments::insert_orphan_mark(*tenant, key, since));
    }
    tx.execute_batch(statements).await?;
    Ok(old.len() as u64)
}

/// Removes bytes that no file will be made of, as far as that works now.
pub(super) async fn discard_content(app: &App, tenant: TenantId, key: &str) {
    let gone = async {
        app.files.delete_parts(tenant, key).await?;
        delete_loose_key(app, tenant, key.to_owned()).await
    };
    if let Err(error) = gone.await {
        tracing::warn!(%error, %tenant, "the bytes of a refused file wait to be swept");
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
