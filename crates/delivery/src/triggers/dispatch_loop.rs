//! The loop of trigger delivery: corrects retry times, frees leases, and dispatches what is due.

use super::clock_watch::ClockWatch;
use super::dispatch_due::dispatch_due;
use super::dispatch_state::DispatchState;
use super::due_snapshot::DueSnapshot;
use super::lock::lock_mutex;
use app::triggers;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often leases of vanished processes are looked for.
const RECLAIM_INTERVAL: Duration = Duration::from_secs(10);

/// Minimum pause between two turns.
const MINIMUM_TURN_PAUSE: Duration = Duration::from_millis(2);

pub(super) async fn run_dispatch_loop(state: Arc<DispatchState>) {
    let mut reclaimed: Option<Instant> = None;
    let mut known = DueSnapshot::default();
    let mut clock = ClockWatch::start(state.app.now());
    while !state.stopping.load(Ordering::Relaxed) {
        if clock.is_due(state.app.now()) {
            let pulled_back =
                triggers::pull_back_waits(&state.app, &state.holder, &state.settings.policy).await;
            if let Err(error) = &pulled_back {
                storage::warn_unless_outage!(
                    error,
                    "retry times stored by a clock that ran ahead could not be corrected; retrying"
                );
            }
            clock.record_check(pulled_back.is_ok());
        }
        if reclaimed.is_none_or(|at| at.elapsed() >= RECLAIM_INTERVAL) {
            let is_first_time = reclaimed.replace(Instant::now()).is_none();
            lock_mutex(&state.queues).values().for_each(|queue| queue.close_idle_connections());
            match triggers::free_abandoned_leases(&state.app, &state.holder, is_first_time).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "leases of a vanished process were released"),
                Err(error) => {
                    storage::warn_unless_outage!(
                        error,
                        "leases of vanished processes could not be released; retrying"
                    );
                }
            }
        }
        if let Err(error) = dispatch_due(&state, &mut known).await {
            storage::warn_unless_outage!(error, "due triggers could not be processed; retrying");
            tokio::time::sleep(state.settings.interval).await;
        }
        tokio::time::sleep(MINIMUM_TURN_PAUSE).await;
        // A change that the reused list does not show must not wait for the full interval.
        let pause = match known.is_used {
            true => known.remaining_validity().unwrap_or_default().min(state.settings.interval),
            false => state.settings.interval,
        };
        let _ = tokio::time::timeout(pause, state.wake.notified()).await;
    }
}
