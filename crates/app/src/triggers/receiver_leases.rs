//! Leases receivers to one process at a time, and gives them back.

use crate::{App, Error};
use domain::{Moment, ReceiverCode, TenantId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use storage::WriteLane;
use storage::server::counters::{self, Counter};
use storage::server::leases::{self, ReceiverLease};
use storage::server::processes;
use storage::triggers::queues::{self, DueReceiver};

/// The receivers with pending messages that may be sent to, of every tenant.
#[boxed::future]
pub async fn list_due_receivers(app: &App) -> Result<Vec<DueReceiver>, Error> {
    Ok(queues::list_due_receivers(&app.db, app.now()).await?)
}

/// Whether a receiver is unchanged since its secrets were read, and may be sent to.
#[boxed::future]
pub async fn is_receiver_open(
    app: &App,
    tenant: TenantId,
    receiver: ReceiverCode,
    version: i64,
) -> Result<bool, Error> {
    Ok(storage::triggers::receivers::find_open_receiver_version(&app.db, tenant, receiver).await?
        == Some(version))
}

/// The holder and duration of leases.
#[derive(Clone, Debug)]
pub struct LeaseHolder {
    /// The name of the process in its heartbeats.
    pub process: String,
    /// Where it runs: of two processes in the same place, the older one is gone.
    pub place: String,
    /// `triggers.lease`.
    pub lease: Duration,
}

impl LeaseHolder {
    /// The name written into a lease.
    pub fn name(&self) -> String {
        format!("{} {}", self.process, self.place)
    }

    /// Whether another holder is gone. An earlier process in the same place counts as gone only at startup, so that
    /// two machines with the same place name do not take leases from each other repeatedly.
    fn has_outlived(&self, other: &str, alive: &[String], begins: bool) -> bool {
        let (process, place) = other.split_once(' ').unwrap_or((other, ""));
        let was_here = begins && place == self.place;
        process != self.process && (was_here || !alive.iter().any(|one| one == process))
    }
}

/// Acquires or extends leases on receivers of a tenant. Returns the lease numbers; receivers leased by another process
/// have none.
#[boxed::future]
pub async fn lease_receivers(
    app: &App,
    holder: &LeaseHolder,
    tenant: TenantId,
    receivers: BTreeSet<ReceiverCode>,
) -> Result<BTreeMap<ReceiverCode, i64>, Error> {
    let input = (tenant, receivers, holder.clone(), app.now());
    app.db
        .write(WriteLane::background(tenant), input, |tx, (tenant, receivers, holder, now)| {
            Box::pin(grant_leases(tx, *tenant, receivers, holder, *now))
        })
        .await
}

async fn grant_leases(
    tx: &mut storage::Tx,
    tenant: TenantId,
    receivers: &BTreeSet<ReceiverCode>,
    holder: &LeaseHolder,
    now: Moment,
) -> Result<BTreeMap<ReceiverCode, i64>, Error> {
    let known = leases::list_leases(&mut *tx, tenant, receivers.iter().copied()).await?;
    let mut known: BTreeMap<ReceiverCode, ReceiverLease> =
        known.into_iter().map(|one| (one.receiver, one)).collect();
    let (name, ends_at) = (holder.name(), now.plus(holder.lease));
    let number = counters::reserve_long_number(tx, tenant, Counter::Lease).await?;
    let mut granted = BTreeMap::new();
    let mut statements = Vec::new();
    for receiver in receivers {
        let lease = match known.remove(receiver) {
            Some(current) if current.holder == name => ReceiverLease { ends_at, ..current },
            Some(other) if other.ends_at > now => continue,
            _ => ReceiverLease { receiver: *receiver, number, holder: name.clone(), ends_at },
        };
        statements.push(leases::upsert_lease(tenant, &lease));
        granted.insert(*receiver, lease.number);
    }
    tx.execute_batch(statements).await?;
    Ok(granted)
}

/// Releases leases, so that the next holder need not wait for them to expire.
#[boxed::future]
pub async fn release_receivers(
    app: &App,
    holder: &LeaseHolder,
    tenant: TenantId,
    receivers: BTreeSet<ReceiverCode>,
) -> Result<(), Error> {
    let input = (tenant, receivers, holder.name(), app.now());
    app.db
        .write(WriteLane::background(tenant), input, |tx, (tenant, receivers, name, now)| {
            Box::pin(async move {
                let release = leases::release_leases(*tenant, name, receivers.iter().copied(), *now);
                Ok(tx.execute(release).await.map(drop)?)
            })
        })
        .await
}

/// Releases the leases of processes that are gone.
#[boxed::future]
pub async fn free_abandoned_leases(app: &App, holder: &LeaseHolder, begins: bool) -> Result<u64, Error> {
    let since = app.now().minus(processes::GONE_AFTER);
    let alive: Vec<String> =
        processes::list_live_processes(&app.db, since).await?.into_iter().map(|one| one.process).collect();
    let mut freed = 0;
    for tenant in storage::server::tenants::list_tenants(&app.db).await? {
        let now = app.now();
        let holders = leases::list_lease_holders(&app.db, tenant.id, now).await?;
        for dead_holder in holders.into_iter().filter(|one| holder.has_outlived(one, &alive, begins)) {
            let (lane, input) = (WriteLane::background(tenant.id), (tenant.id, dead_holder, now));
            freed += app
                .db
                .write(lane, input, |tx, (tenant, dead_holder, now)| {
                    Box::pin(leases::revoke_leases(tx, *tenant, dead_holder, *now))
                })
                .await?;
        }
    }
    Ok(freed)
}
