//! Works off the due charging runs of all tenants.

use super::process_run::{BatchSizeLimits, process_run};
use super::schedule_runs::schedule_runs;
use app::{App, Error};
use domain::TenantId;
use finance_storage::charging::run_leases::list_due_runs;
use tokio::task::JoinSet;

/// Associations whose runs are worked off at the same time.
const MOST_BUSY_TENANTS: usize = 4;

/// Prepares what a rule asks for and works off the runs that have work to do; returns whether there was any. A run that
/// fails is logged and retried later, without delaying the others.
#[boxed::future]
pub async fn run_due_charging(app: &App) -> Result<bool, Error> {
    run_charging_at(app, BatchSizeLimits::default()).await
}

/// The same at another pace, for tests and measurements.
#[boxed::future]
pub async fn run_charging_at(app: &App, pace: BatchSizeLimits) -> Result<bool, Error> {
    let (mut any, mut working) = (false, JoinSet::new());
    for tenant in storage::server::tenants::list_tenants(&app.db).await? {
        if !tenant.active {
            continue;
        }
        if working.len() >= MOST_BUSY_TENANTS {
            any |= join_next(&mut working).await;
        }
        working.spawn(run_and_log(app.clone(), tenant.id, pace));
    }
    while !working.is_empty() {
        any |= join_next(&mut working).await;
    }
    Ok(any)
}

async fn join_next(working: &mut JoinSet<bool>) -> bool {
    working.join_next().await.is_some_and(|ended| ended.unwrap_or(false))
}

async fn run_and_log(app: App, tenant: TenantId, pace: BatchSizeLimits) -> bool {
    match run_tenant(&app, tenant, pace).await {
        Ok(any) => any,
        Err(error) => {
            storage::warn_unless_outage!(error, %tenant, "charging failed; it will be retried");
            false
        }
    }
}

/// The runs of one tenant, one after another.
async fn run_tenant(app: &App, tenant: TenantId, pace: BatchSizeLimits) -> Result<bool, Error> {
    // A rule that cannot be followed delays no run.
    let scheduled = schedule_runs(app, tenant).await;
    let mut any = false;
    for code in list_due_runs(&app.db, tenant, app.now()).await? {
        match process_run(app, tenant, code, pace).await {
            Ok(has_worked) => any |= has_worked,
            Err(error) => {
                storage::warn_unless_outage!(error, %tenant, run = %code, "charging run failed; it will be retried");
            }
        }
    }
    Ok(scheduled? || any)
}
