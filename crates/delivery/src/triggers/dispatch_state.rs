//! The state of trigger delivery in this process.

use super::dispatch_settings::DispatchSettings;
use super::lock::lock_mutex;
use super::message_result::MessageResult;
use super::post::HttpPoster;
use super::receiver_queue::ReceiverQueue;
use super::records_in_flight::ReceiverProgress;
use super::tenant_share::InFlightCounts;
use super::unwritten_results::UnwrittenResults;
use app::triggers::{DueReceiver, LeaseHolder};
use app::{App, Vault};
use domain::{ReceiverCode, TenantId};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc};

pub(super) struct DispatchState {
    pub(super) app: App,
    pub(super) vault: Vault,
    pub(super) holder: LeaseHolder,
    pub(super) settings: DispatchSettings,
    pub(super) poster: HttpPoster,
    /// The name of this process in leases.
    pub(super) name: String,
    pub(super) queues: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverQueue>>>,
    pub(super) progress_by_receiver: Mutex<HashMap<(TenantId, ReceiverCode), Arc<ReceiverProgress>>>,
    pub(super) recorders: Mutex<HashMap<TenantId, mpsc::UnboundedSender<MessageResult>>>,
    pub(super) unwritten: Mutex<UnwrittenResults>,
    /// Receivers that cannot be used, with their version, so that each is logged once.
    pub(super) unusable: Mutex<HashMap<(TenantId, ReceiverCode), i64>>,
    /// Tenants whose messages are being taken.
    pub(super) busy_tenants: Mutex<HashSet<TenantId>>,
    /// Tenants skipped meanwhile because they were in `busy_tenants`.
    pub(super) skipped_tenants: Mutex<HashSet<TenantId>>,
    pub(super) in_flight: InFlightCounts,
    pub(super) stopping: AtomicBool,
    pub(super) wake: Arc<Notify>,
}

impl DispatchState {
    pub(super) fn records_in_flight(
        &self,
        tenant: TenantId,
        receiver: ReceiverCode,
    ) -> Arc<ReceiverProgress> {
        Arc::clone(lock_mutex(&self.progress_by_receiver).entry((tenant, receiver)).or_default())
    }

    /// The cached receiver, unless a newer version exists.
    pub(super) fn known_queue(&self, due: &DueReceiver) -> Option<Arc<ReceiverQueue>> {
        let known = lock_mutex(&self.queues).get(&(due.tenant, due.receiver)).cloned();
        known.filter(|queue| queue.target.version >= due.version)
    }

    /// Unblocks the tenant and wakes the loop if there may be more messages.
    pub(super) fn unblock_tenant(&self, tenant: TenantId, is_full: bool) {
        lock_mutex(&self.busy_tenants).remove(&tenant);
        if lock_mutex(&self.skipped_tenants).remove(&tenant) || is_full {
            self.wake.notify_one();
        }
    }
}
