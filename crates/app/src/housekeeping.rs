//! Housekeeping: removing what time has made useless. It is a job of the database, not of a process: it runs once when
//! it is due, however many processes there are, and a restart neither forgets nor repeats it.

use crate::access::KNOWN_FOR;
use crate::{App, Error, files};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::housekeeping::{Sweep, sweep};
use storage::jobs::{self, Lease};
use storage::{Lane, Tx, tenants};

const JOB: &str = "housekeeping";
/// Rows removed in one unit: short enough that nobody notices.
const ROWS: i64 = 500;
/// How long a process may be silent before another takes the job over.
const LEASE: Duration = Duration::from_secs(60);

/// How long things are kept, and how often that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub interval: Duration,
    pub tokens: Duration,
    pub idempotency_keys: Duration,
    pub mail_bodies: Duration,
    pub attempts: Duration,
    /// As long as they count.
    pub login_failures: Duration,
    pub removed_files: Duration,
}

impl Retention {
    fn of(&self, sweep: Sweep) -> Duration {
        match sweep {
            Sweep::ExpiredTokens | Sweep::ExpiredResets | Sweep::ExpiredEntrances => self.tokens,
            Sweep::IdempotencyKeys => self.idempotency_keys,
            Sweep::SentMailBodies => self.mail_bodies,
            Sweep::Attempts => self.attempts,
            Sweep::KnownAddresses => KNOWN_FOR,
            Sweep::LoginFailures => self.login_failures,
            Sweep::ImportLines | Sweep::ImportProblems | Sweep::ImportResults | Sweep::CutOffImports => {
                crate::importing::UNDO_FOR
            }
        }
    }
}

/// Sweeps if it is time to and nobody else does; says how many rows went, or `None` where it was not our turn.
#[boxed::future]
pub async fn run_if_due(app: &App, retention: &Retention) -> Result<Option<u64>, Error> {
    if !jobs::is_due(&app.db, JOB, app.now()).await? {
        return Ok(None);
    }
    let lane = Lane::background(TenantId::SERVER);
    let lease = app.db.write(lane, app.now(), |tx, now| Box::pin(lease(tx, *now))).await?;
    let Some(lease) = lease else { return Ok(None) };
    let mut swept = 0;
    let mut all: Vec<TenantId> = tenants::all(&app.db).await?.into_iter().map(|tenant| tenant.id).collect();
    // Asked behind the list, so that one that began meanwhile is not in it.
    let half = crate::whole::half_brought(app).await?;
    all.retain(|tenant| Some(*tenant) != half);
    all.push(TenantId::SERVER);
    for tenant in all {
        for what in Sweep::ALL.iter().copied() {
            let before = app.now().minus(retention.of(what));
            match sweep_all(app, &lease, what, tenant, before).await {
                Ok(Swept { rows, ours: true }) => swept += rows,
                Ok(Swept { .. }) => {
                    tracing::warn!("housekeeping was taken over by another process");
                    return Ok(None);
                }
                // One that fails keeps none of the others from being done.
                Err(error) => tracing::warn!(%error, %tenant, what = what.name(), "a sweep failed"),
            }
        }
        let kept = files::Kept { removed: retention.removed_files };
        match sweep_files(app, &lease, tenant, kept).await {
            Ok(Swept { rows, ours: true }) => swept += rows,
            Ok(Swept { .. }) => {
                tracing::warn!("housekeeping was taken over by another process");
                return Ok(None);
            }
            Err(error) => tracing::warn!(%error, %tenant, what = "files", "a sweep failed"),
        }
    }
    // Rows of older versions, and of archives that they wrote.
    if let Some(vault) = &app.vault
        && let Err(error) = crate::credit_cards::seal_all_clear_tokens(app, vault).await
    {
        tracing::warn!(%error, "tokens of credit cards could not be sealed");
    }
    let now = app.now();
    let done = (lease, now, now.plus(retention.interval));
    let ours = app.db.write(lane, done, |tx, done| Box::pin(finish(tx, done))).await?;
    Ok(ours.then_some(swept))
}

struct Swept {
    rows: u64,
    /// The lease is still ours.
    ours: bool,
}

/// Walks in short units until a sweep comes back with less than it could have taken, holding on to the lease.
async fn sweep_all(
    app: &App,
    lease: &Lease,
    what: Sweep,
    tenant: TenantId,
    before: Moment,
) -> Result<Swept, Error> {
    let mut swept = Swept { rows: 0, ours: true };
    loop {
        let input = (what, tenant, before);
        let lane = Lane::background(tenant);
        let rows = app.db.write(lane, input, |tx, input| Box::pin(sweep_some(tx, input))).await?;
        swept.rows += rows;
        metrics::counter!("amparo_swept_rows_total", "what" => what.name()).increment(rows);
        swept.ours = hold(app, lease).await?;
        if rows < ROWS.unsigned_abs() || !swept.ours {
            return Ok(swept);
        }
    }
}

/// The same for files, whose bytes are elsewhere.
async fn sweep_files(app: &App, lease: &Lease, tenant: TenantId, kept: files::Kept) -> Result<Swept, Error> {
    let mut swept = Swept { rows: 0, ours: true };
    loop {
        let (rows, may_be_more) = files::sweep(app, tenant, kept).await?;
        swept.rows += rows;
        metrics::counter!("amparo_swept_rows_total", "what" => "files").increment(rows);
        if !may_be_more {
            return Ok(swept);
        }
        swept.ours = hold(app, lease).await?;
        if !swept.ours {
            return Ok(swept);
        }
    }
}

/// Holds on to the lease; says whether it is still ours.
async fn hold(app: &App, lease: &Lease) -> Result<bool, Error> {
    let hold = (lease.clone(), app.now().plus(LEASE));
    let lane = Lane::background(TenantId::SERVER);
    app.db.write(lane, hold, |tx, hold| Box::pin(extend(tx, hold))).await
}

async fn lease(tx: &mut Tx, now: Moment) -> Result<Option<Lease>, Error> {
    Ok(jobs::lease(tx, JOB, now, LEASE).await?)
}

async fn sweep_some(tx: &mut Tx, (what, tenant, before): &(Sweep, TenantId, Moment)) -> Result<u64, Error> {
    Ok(sweep(tx, *what, *tenant, *before, ROWS).await?)
}

async fn extend(tx: &mut Tx, (lease, until): &(Lease, Moment)) -> Result<bool, Error> {
    Ok(jobs::extend(tx, lease, *until).await?)
}

async fn finish(tx: &mut Tx, (lease, now, due): &(Lease, Moment, Moment)) -> Result<bool, Error> {
    Ok(jobs::finish(tx, lease, *now, *due).await?)
}
