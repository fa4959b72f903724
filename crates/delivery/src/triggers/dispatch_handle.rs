//! Starts and stops trigger delivery.

use super::dispatch_loop::run_dispatch_loop;
use super::dispatch_settings::DispatchSettings;
use super::dispatch_state::DispatchState;
use super::post::HttpPoster;
use super::release_idle::{collect_idle_receivers, release_receivers};
use super::tenant_share::InFlightCounts;
use app::triggers::LeaseHolder;
use app::{App, Vault};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often `stop` checks whether all messages are finished.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The running trigger delivery.
pub struct DispatchHandle(Arc<DispatchState>);

impl DispatchHandle {
    /// Starts the delivery. The holder identifies where this process runs, so that after a restart it reclaims its own
    /// leases.
    pub fn start(
        app: App,
        vault: Vault,
        holder: LeaseHolder,
        poster: HttpPoster,
        settings: DispatchSettings,
    ) -> DispatchHandle {
        let state = Arc::new(DispatchState {
            wake: Arc::clone(&app.delivery_wakeup),
            name: holder.name(),
            app,
            vault,
            holder,
            settings,
            poster,
            queues: Mutex::default(),
            progress_by_receiver: Mutex::default(),
            recorders: Mutex::default(),
            unwritten: Mutex::default(),
            unusable: Mutex::default(),
            busy_tenants: Mutex::default(),
            skipped_tenants: Mutex::default(),
            in_flight: InFlightCounts::default(),
            stopping: AtomicBool::new(false),
        });
        tokio::spawn(run_dispatch_loop(Arc::clone(&state)));
        DispatchHandle(state)
    }

    pub fn in_flight_count(&self) -> usize {
        self.0.in_flight.total()
    }

    /// Takes no new messages and waits up to `stop_timeout` for those in flight. Others are sent again when their leases
    /// expire.
    #[boxed::future]
    pub async fn stop(self, stop_timeout: Duration) {
        self.0.stopping.store(true, Ordering::Relaxed);
        let ended = async {
            while self.in_flight_count() > 0 {
                // The notification may have gone to another waiter.
                let _ = tokio::time::timeout(STOP_POLL_INTERVAL, self.0.wake.notified()).await;
            }
        };
        let _ = tokio::time::timeout(stop_timeout, ended).await;
        // Receivers with messages in flight keep their leases until these expire.
        for (tenant, receivers) in
            collect_idle_receivers(&self.0, |_, progress| progress.is_idle_for(Duration::ZERO))
        {
            release_receivers(&self.0, tenant, receivers).await;
        }
    }
}
