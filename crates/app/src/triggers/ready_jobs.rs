//! The next messages of the leased receivers.

use super::trigger_messages::DeliveryJob;
use crate::{App, Error};
use domain::{ReceiverCode, TenantId};
use std::collections::BTreeMap;
use storage::triggers::queues::{self, PendingChangeQuery, PendingPosition};

/// Pending messages of leased receivers, up to a limit for each. The holder knows which are already in progress and
/// selects what may be sent.
#[boxed::future]
pub async fn fetch_ready_jobs(
    app: &App,
    tenant: TenantId,
    rooms: Vec<PendingChangeQuery>,
) -> Result<Vec<(DeliveryJob, PendingPosition)>, Error> {
    let leases: BTreeMap<ReceiverCode, i64> = rooms.iter().map(|one| (one.receiver, one.lease)).collect();
    let ready = app.db.read((tenant, rooms, app.now()), |tx, (tenant, rooms, now)| {
        Box::pin(queues::list_pending_changes(tx, *tenant, rooms, *now))
    });
    let ready: Result<Vec<queues::PendingChange>, storage::Error> = ready.await;
    let jobs = ready?.into_iter().map(|one| {
        let job = DeliveryJob {
            tenant,
            receiver: one.receiver,
            lease: leases.get(&one.receiver).copied().unwrap_or_default(),
            entity: one.entity,
            record: one.record,
            history: one.history,
            tries: one.tries,
            has_record_queue: one.place == PendingPosition::RetryDue,
            body: one.body,
            changed_at: one.changed_at,
        };
        (job, one.place)
    });
    Ok(jobs.collect())
}
