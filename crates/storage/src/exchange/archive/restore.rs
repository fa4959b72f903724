//! What a restore checks and sets besides the rows.

use super::tables::ArchiveTable;
use crate::server::counters::{self, Counter};
use crate::triggers::receivers::PauseReason;
use crate::{Db, Error, QueryWeight, ReadSource, SqlScalar, Tx, WriteLane, sql};
use domain::{Moment, TenantId};

/// Which of these logins are already taken.
#[boxed::future]
pub async fn list_taken_logins(
    source: impl Into<ReadSource<'_>>,
    emails: &[String],
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT email FROM logins WHERE 1 = 1")
        .filter_in("email", emails.iter().map(String::as_str))
        .append_text("ORDER BY email");
    source.fetch_all(QueryWeight::Search, statement).await?.iter().map(|row| row.get("email")).collect()
}

/// Writes consecutive accesses. Unlike other rows they may be in another database than the progress of the restore, so
/// the same ones may be written again after an interruption.
#[boxed::future]
pub async fn replace_accesses(
    tx: &mut Tx,
    tenant: TenantId,
    table: &ArchiveTable,
    rows: &[Vec<SqlScalar>],
) -> Result<(), Error> {
    let code =
        |row: Option<&Vec<SqlScalar>>| row.map(|row| table.extract_key(row)).into_iter().flatten().next();
    if let (Some(first), Some(last)) = (code(rows.first()), code(rows.last())) {
        let deletion = sql("DELETE FROM sightings WHERE tenant = $1 AND code >= $2 AND code <= $3");
        tx.execute(deletion.arg(tenant).arg(first).arg(last)).await?;
    }
    tx.execute_batch(table.build_inserts(tenant, rows)).await
}

/// Makes accesses count on from the last restored entry of the audit.
#[boxed::future]
pub async fn advance_access_counter(db: &Db, tenant: TenantId) -> Result<(), Error> {
    let changes = counters::load_last_number(db, tenant, Counter::Audit).await?;
    let activity = db.activity()?;
    let newest = sql("SELECT code FROM sightings WHERE tenant = $1 ORDER BY code DESC LIMIT 1").arg(tenant);
    let rows = activity.query(QueryWeight::Point, newest).await?;
    let accesses = rows.first().map_or(Ok(0), |row| row.get::<i64>("code"))?;
    let last = i32::try_from(changes.max(accesses)).unwrap_or(i32::MAX);
    activity
        .write(WriteLane::background(tenant), (tenant, last), |tx, (tenant, last)| {
            Box::pin(counters::advance_counter(tx, *tenant, Counter::Access, *last))
        })
        .await
}

/// Enables or disables a tenant.
#[boxed::future]
pub async fn update_tenant_active(tx: &mut Tx, tenant: TenantId, active: bool) -> Result<(), Error> {
    let statement = sql("UPDATE tenants SET active = $2 WHERE tenant = $1").arg(tenant).arg(active);
    tx.execute(statement).await.map(drop)
}

/// Deletes queues, possible in older archives, whose head is not pending.
#[boxed::future]
pub async fn delete_dangling_queues(tx: &mut Tx, tenant: TenantId) -> Result<(), Error> {
    let deletion = sql("DELETE FROM queues WHERE tenant = $1 AND NOT EXISTS (SELECT 1 FROM outbox o
         WHERE o.tenant = queues.tenant AND o.receiver = queues.receiver AND o.history_code = queues.head)");
    tx.execute(deletion.arg(tenant)).await.map(drop)
}

/// Cancels the unsent mails of a tenant; returns how many.
#[boxed::future]
pub async fn cancel_waiting_mails(tx: &mut Tx, tenant: TenantId) -> Result<u64, Error> {
    let update = sql("UPDATE mails SET due_at = NULL WHERE tenant = $1 AND due_at IS NOT NULL").arg(tenant);
    tx.execute(update).await
}

/// Pauses every receiver of a tenant.
#[boxed::future]
pub async fn pause_receivers(tx: &mut Tx, tenant: TenantId, now: Moment) -> Result<(), Error> {
    let paused = sql("UPDATE receivers SET paused_at = $2, paused_because = $3
         WHERE tenant = $1 AND paused_at IS NULL")
    .arg(tenant)
    .arg(now)
    .arg(PauseReason::ByHand.number());
    tx.execute(paused).await.map(drop)
}
