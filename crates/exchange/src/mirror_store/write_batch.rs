//! Writes a batch of mirrored records and the read position in one transaction.

use super::runs::{self, MirrorLease};
use app::register_snapshot::{SNAPSHOT_ATTEMPTS, TenantRegisters, confirm_registers};
use app::{ActorContext, App, Error};
use domain::{AuditedAction, AuditedChange, AuditedOperation, ChangeOrigin, Moment, TenantId};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use storage::exchange::mirrors;
use storage::exchange::mirrors::{NewMirrorNote, StoredMirror};
use storage::history::audit;
use storage::{Tx, WriteLane};

/// The origin of mirrored changes in the history, and the operation name in the audit.
pub const ORIGIN: &str = wire::set_names::change_origin(ChangeOrigin::Mirror);

/// The input of one transaction, with the read position after it.
pub struct MirrorWriteBatch<T> {
    pub mirror: StoredMirror,
    pub lease: MirrorLease,
    pub registers: Arc<TenantRegisters>,
    pub records: T,
    /// What could not be taken over.
    pub notes: Vec<NewMirrorNote>,
    pub now: Moment,
}

impl<T> MirrorWriteBatch<T> {
    pub(super) fn tenant(&self) -> TenantId {
        self.mirror.tenant
    }

    pub(super) fn change_context(&self) -> ActorContext<'_> {
        ActorContext {
            tenant: self.mirror.tenant,
            registers: &self.registers,
            user: None,
            operation: AuditedOperation::MirrorSource,
            origin: ORIGIN,
            suppresses_triggers: true,
            now: self.now,
        }
    }
}

/// Writes a batch in the tenant's background lane, checks that the registers it was read with are current, and stores
/// the read position. Returns the number of records that changed.
pub(super) async fn write_batch<T, F>(app: &App, part: MirrorWriteBatch<T>, unit: F) -> Result<u64, Error>
where
    F: for<'t> Fn(
            &'t mut Tx,
            &'t MirrorWriteBatch<T>,
            &'t mut Vec<NewMirrorNote>,
        ) -> BoxFuture<'t, Result<u64, Error>>
        + Copy
        + Send
        + Sync
        + 'static,
    T: Send + Sync + 'static,
{
    let lane = WriteLane::background(part.tenant());
    app.db
        .write(lane, part, move |tx, part| {
            Box::pin(async move {
                runs::require_mirror_lease(tx, &part.lease).await?;
                confirm_registers(tx, part.tenant(), &part.registers).await?;
                let mut notes = part.notes.clone();
                let written = unit(tx, part, &mut notes).await?;
                tx.execute_batch(mirrors::upsert_mirror_notes(part.tenant(), &notes, part.now)).await?;
                if written > 0 {
                    let change = AuditedChange::from(AuditedAction::MirrorRecords).with_argument(written);
                    append_audit_entry(tx, part.tenant(), change, part.now).await?;
                }
                let count = i64::try_from(written).unwrap_or(i64::MAX);
                let mirror = StoredMirror { written: part.mirror.written + count, ..part.mirror.clone() };
                tx.execute_batch(vec![mirrors::upsert_mirror(&mirror)]).await?;
                Ok(written)
            })
        })
        .await
}

/// One audit entry per transaction; the histories show which records changed.
pub(super) async fn append_audit_entry(
    tx: &mut Tx,
    tenant: TenantId,
    change: AuditedChange,
    at: Moment,
) -> Result<(), Error> {
    let entry = audit::AuditEntry {
        tenant,
        at,
        user: None,
        operation: AuditedOperation::MirrorSource,
        person: None,
        change,
    };
    Ok(audit::append_audit_entry(tx, &entry).await?)
}

/// How often a batch is rebuilt because a register changed meanwhile.
pub const BATCH_ATTEMPTS: usize = SNAPSHOT_ATTEMPTS;
