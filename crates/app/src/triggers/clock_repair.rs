//! Repairs waits set by a clock that ran ahead. Once the clock is right, nothing may wait longer than its schedule
//! allows; otherwise a receiver would get nothing for as long as the clock was ahead.

use super::receiver_health::rebase_health;
use super::receiver_leases::LeaseHolder;
use crate::{App, Error};
use domain::{Moment, ReceiverCode, RetryPolicy, TenantId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use storage::server::{leases, processes};
use storage::triggers::queues::{self, LatestReceiverMoments};
use storage::triggers::receivers;
use storage::{Statement, Tx, WriteLane};

/// Tolerated difference between the clocks of several machines.
pub const CLOCK_TOLERANCE: Duration = Duration::from_mins(1);

struct ClockRepair {
    tenant: TenantId,
    receivers: Vec<ReceiverCode>,
    policy: Arc<RetryPolicy>,
    lease: Duration,
    now: Moment,
}

/// Shortens waits that end later than their schedule allows, for every tenant. Returns how many receivers were
/// examined.
#[boxed::future]
pub async fn pull_back_waits(
    app: &App,
    holder: &LeaseHolder,
    policy: &Arc<RetryPolicy>,
) -> Result<usize, Error> {
    let now = app.now();
    let mut affected_receivers: BTreeMap<TenantId, Vec<ReceiverCode>> = BTreeMap::new();
    for one in queues::list_latest_moments(&app.db).await? {
        if is_doubtful(&one, now, holder.lease, policy) {
            affected_receivers.entry(one.tenant).or_default().push(one.receiver);
        }
    }
    let count = affected_receivers.values().map(Vec::len).sum();
    for (tenant, receivers) in affected_receivers {
        let repair = ClockRepair {
            tenant,
            receivers,
            policy: Arc::clone(policy),
            lease: holder.lease,
            now: app.now(),
        };
        app.db
            .write(WriteLane::background(tenant), repair, |tx, repair| Box::pin(repair_tenant(tx, repair)))
            .await?;
    }
    let after = now.plus(CLOCK_TOLERANCE);
    let lane = WriteLane::background(TenantId::SERVER);
    for db in app.db.list_databases() {
        let pull_back = db.write(lane, (after, now), |tx, (after, now)| {
            Box::pin(processes::correct_future_heartbeats(tx, *after, *now))
        });
        pull_back.await?;
    }
    Ok(count)
}

/// Whether a clock that ran ahead may have set any moment of the receiver. Only its messages can tell for sure.
fn is_doubtful(one: &LatestReceiverMoments, now: Moment, lease: Duration, policy: &RetryPolicy) -> bool {
    let is_behind = |moment: Option<Moment>, most: Duration| {
        moment.is_some_and(|at| at > now.plus(most).plus(CLOCK_TOLERANCE))
    };
    let first_wait = policy.waits.first().copied().unwrap_or_default();
    is_behind(one.tried_at, Duration::ZERO)
        || is_behind(one.not_before, policy.compute_longest_retry_after())
        || is_behind(one.lease_end, lease)
        || is_behind(one.last_wait, RetryPolicy::compute_longest_wait(first_wait))
        || is_behind(one.oldest, Duration::ZERO)
}

async fn repair_tenant(tx: &mut Tx, repair: &ClockRepair) -> Result<(), Error> {
    let (tenant, now) = (repair.tenant, repair.now);
    let mut statements = Vec::new();
    for known in receivers::list_receivers_by_code(&mut *tx, tenant, repair.receivers.iter().copied()).await?
    {
        let mut health = known.health.clone();
        rebase_health(&mut health, now, repair.policy.compute_longest_retry_after());
        statements.extend(build_wait_updates(repair, known.code, health.not_before));
        if health != known.health {
            statements.push(receivers::upsert_receiver_health(tenant, known.code, &health));
        }
        let (end, after) = (now.plus(repair.lease), now.plus(CLOCK_TOLERANCE));
        statements.push(leases::shorten_lease(tenant, known.code, end.plus(CLOCK_TOLERANCE), end));
        statements.push(queues::restamp_pending_changes(tenant, known.code, after, now));
    }
    Ok(tx.execute_batch(statements).await?)
}

/// A message waits at most for the next step of its schedule or for the delay the receiver requested.
fn build_wait_updates(
    repair: &ClockRepair,
    receiver: ReceiverCode,
    not_before: Option<Moment>,
) -> Vec<Statement> {
    let last = repair.policy.waits.len();
    let steps = std::iter::once(Duration::ZERO).chain(repair.policy.waits.iter().copied()).enumerate();
    let each = steps.map(|(tries, wait)| {
        let due = repair.now.plus(RetryPolicy::compute_longest_wait(wait));
        let due = not_before.map_or(due, |at| at.max(due));
        let fewest = i32::try_from(tries).unwrap_or(i32::MAX);
        let most = if tries == last { i32::MAX } else { fewest };
        queues::shorten_waits(repair.tenant, receiver, (fewest, most), (due.plus(CLOCK_TOLERANCE), due))
    });
    each.collect()
}
