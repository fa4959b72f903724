//! The state of trigger delivery in this process, and the loop that drives it.

use super::clock_watch::ClockWatch;
use super::due_receivers::DueSnapshot;
use super::in_flight::InFlightCounts;
use super::lock::lock_mutex;
use super::message_window::ReceiverProgress;
use super::post::HttpPoster;
use super::receiver_queue::ReceiverQueue;
use super::recorder::{MessageResult, UnwrittenResults};
use super::settings::DispatchSettings;
use app::triggers::{self, LeaseHolder};
use app::{App, Vault};
use domain::{ReceiverCode, TenantId};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};

/// How often leases of vanished processes are looked for.
const RECLAIM_INTERVAL: Duration = Duration::from_secs(10);

/// Minimum pause between two turns.
const MINIMUM_TURN_PAUSE: Duration = Duration::from_millis(2);

pub(super) struct DispatchEngine {
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

impl DispatchEngine {
    pub(super) async fn run(self: Arc<DispatchEngine>) {
        let mut reclaimed: Option<Instant> = None;
        let mut known = DueSnapshot::default();
        let mut clock = ClockWatch::start(self.app.now());
        while !self.stopping.load(Ordering::Relaxed) {
            if clock.is_due(self.app.now()) {
                let pulled_back =
                    triggers::pull_back_waits(&self.app, &self.holder, &self.settings.policy).await;
                if let Err(error) = &pulled_back {
                    tracing::warn!(%error, "retry times stored by a clock that ran ahead could not be corrected; retrying");
                }
                clock.record_check(pulled_back.is_ok());
            }
            if reclaimed.is_none_or(|at| at.elapsed() >= RECLAIM_INTERVAL) {
                let is_first_time = reclaimed.replace(Instant::now()).is_none();
                lock_mutex(&self.queues).values().for_each(|queue| queue.close_idle_connections());
                match triggers::free_abandoned_leases(&self.app, &self.holder, is_first_time).await {
                    Ok(0) => {}
                    Ok(count) => tracing::info!(count, "leases of a vanished process were released"),
                    Err(error) => {
                        tracing::warn!(%error, "leases of vanished processes could not be released; retrying");
                    }
                }
            }
            if let Err(error) = self.dispatch_due(&mut known).await {
                tracing::warn!(%error, "due triggers could not be processed; retrying");
                tokio::time::sleep(self.settings.interval).await;
            }
            tokio::time::sleep(MINIMUM_TURN_PAUSE).await;
            // A change that the reused list does not show must not wait for the full interval.
            let pause = match known.is_used {
                true => known.remaining_validity().unwrap_or_default().min(self.settings.interval),
                false => self.settings.interval,
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }
}
