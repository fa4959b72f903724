//! Housekeeping: deletes expired data. It is a job of the database, not of a process: it runs once when due, however
//! many processes there are, and a restart neither skips nor repeats it.

use crate::access::KNOWN_FOR;
use crate::{App, Error, attachments};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::server::housekeeping::{SweepTarget, sweep_expired_rows};
use storage::server::jobs::{self, LeasedJob};
use storage::server::tenants;
use storage::{Tx, WriteLane};

/// The name of the job among those of the database.
pub const JOB_NAME: &str = "housekeeping";
/// Rows deleted in one transaction: few enough not to delay requests.
const ROWS_PER_DELETE: i64 = 500;
/// How long a process may be silent before another takes over the job.
const JOB_LEASE: Duration = Duration::from_mins(1);

/// Retention periods, and the interval between runs.
#[derive(Clone, Copy, Debug)]
pub struct RetentionPolicy {
    /// `housekeeping.interval`.
    pub interval: Duration,
    /// `housekeeping.tokens_days`.
    pub tokens: Duration,
    /// `housekeeping.idempotency_days`.
    pub idempotency_keys: Duration,
    /// `housekeeping.mail_body_days`.
    pub mail_bodies: Duration,
    /// `housekeeping.attempts_days`.
    pub attempts: Duration,
    /// As long as failures count for the throttle (`access.failure_window`).
    pub login_failures: Duration,
    /// `housekeeping.removed_files_days`.
    pub removed_files: Duration,
}

impl RetentionPolicy {
    fn period_of(&self, sweep: SweepTarget) -> Duration {
        match sweep {
            SweepTarget::ExpiredTokens
            | SweepTarget::ExpiredResets
            | SweepTarget::ExpiredEntrances
            | SweepTarget::ExpiredLinks => self.tokens,
            SweepTarget::IdempotencyKeys => self.idempotency_keys,
            SweepTarget::SentMailBodies => self.mail_bodies,
            SweepTarget::Attempts => self.attempts,
            SweepTarget::KnownAddresses => KNOWN_FOR,
            SweepTarget::LoginFailures => self.login_failures,
            SweepTarget::ImportLines
            | SweepTarget::ImportProblems
            | SweepTarget::ImportResults
            | SweepTarget::CutOffImports => crate::import_row::UNDO_FOR,
        }
    }
}

/// Runs if due and not leased elsewhere; returns the number of deleted rows, or `None` if it did not run.
#[boxed::future]
pub async fn run_if_due(app: &App, retention: &RetentionPolicy) -> Result<Option<u64>, Error> {
    if !jobs::is_job_due(&app.db, JOB_NAME, app.now()).await? {
        return Ok(None);
    }
    let lane = WriteLane::background(TenantId::SERVER);
    let lease = app.db.write(lane, app.now(), |tx, now| Box::pin(lease_job(tx, *now))).await?;
    let Some(lease) = lease else { return Ok(None) };
    let mut swept = 0;
    let mut all: Vec<TenantId> =
        tenants::list_tenants(&app.db).await?.into_iter().map(|tenant| tenant.id).collect();
    // Read after the list of tenants, so that a restore that began meanwhile is not in it.
    let half = crate::upkeep::unfinished_restore::find_unfinished_restore(app).await?;
    all.retain(|tenant| Some(*tenant) != half);
    all.push(TenantId::SERVER);
    for tenant in all {
        for what in SweepTarget::ALL.iter().copied() {
            let before = app.now().minus(retention.period_of(what));
            match sweep_tenant(app, &lease, what, tenant, before).await {
                Ok(SweepOutcome { rows, ours: true }) => swept += rows,
                Ok(SweepOutcome { .. }) => {
                    tracing::warn!("housekeeping was taken over by another process");
                    return Ok(None);
                }
                // A failed sweep does not stop the others.
                Err(error) => {
                    storage::warn_unless_outage!(error, %tenant, what = what.name(), "a sweep failed");
                }
            }
        }
        let periods = attachments::RetentionPeriods { removed: retention.removed_files };
        match sweep_files(app, &lease, tenant, periods).await {
            Ok(SweepOutcome { rows, ours: true }) => swept += rows,
            Ok(SweepOutcome { .. }) => {
                tracing::warn!("housekeeping was taken over by another process");
                return Ok(None);
            }
            Err(error) => storage::warn_unless_outage!(error, %tenant, what = "files", "a sweep failed"),
        }
    }
    // Clear-text rows of older versions, and of archives written by them.
    if let Some(vault) = &app.vault
        && let Err(error) = crate::members::credit_cards::seal_all_clear_tokens(app, vault).await
    {
        storage::warn_unless_outage!(error, "tokens of credit cards could not be sealed");
    }
    let now = app.now();
    let input = (lease, now, now.plus(retention.interval));
    let was_leased = app.db.write(lane, input, |tx, input| Box::pin(finish_job(tx, input))).await?;
    Ok(was_leased.then_some(swept))
}

struct SweepOutcome {
    rows: u64,
    /// Whether this process still holds the lease.
    ours: bool,
}

/// Deletes in short transactions until one finds less than a full batch, extending the lease.
async fn sweep_tenant(
    app: &App,
    lease: &LeasedJob,
    what: SweepTarget,
    tenant: TenantId,
    before: Moment,
) -> Result<SweepOutcome, Error> {
    let mut swept = SweepOutcome { rows: 0, ours: true };
    loop {
        let input = (what, tenant, before);
        let lane = WriteLane::background(tenant);
        let rows = app.db.write(lane, input, |tx, input| Box::pin(sweep_batch(tx, input))).await?;
        swept.rows += rows;
        metrics::counter!("amparo_swept_rows_total", "what" => what.name()).increment(rows);
        swept.ours = hold_lease(app, lease).await?;
        if rows < ROWS_PER_DELETE.unsigned_abs() || !swept.ours {
            return Ok(swept);
        }
    }
}

/// As [`sweep_tenant`], for files, whose content is outside the database.
async fn sweep_files(
    app: &App,
    lease: &LeasedJob,
    tenant: TenantId,
    periods: attachments::RetentionPeriods,
) -> Result<SweepOutcome, Error> {
    let mut swept = SweepOutcome { rows: 0, ours: true };
    loop {
        let (rows, may_be_more) = attachments::sweep_files(app, tenant, periods).await?;
        swept.rows += rows;
        metrics::counter!("amparo_swept_rows_total", "what" => "files").increment(rows);
        if !may_be_more {
            return Ok(swept);
        }
        swept.ours = hold_lease(app, lease).await?;
        if !swept.ours {
            return Ok(swept);
        }
    }
}

/// Extends the lease; returns whether this process still holds it.
async fn hold_lease(app: &App, lease: &LeasedJob) -> Result<bool, Error> {
    let hold = (lease.clone(), app.now().plus(JOB_LEASE));
    let lane = WriteLane::background(TenantId::SERVER);
    app.db.write(lane, hold, |tx, hold| Box::pin(extend_lease(tx, hold))).await
}

async fn lease_job(tx: &mut Tx, now: Moment) -> Result<Option<LeasedJob>, Error> {
    Ok(jobs::lease_job(tx, JOB_NAME, now, JOB_LEASE).await?)
}

async fn sweep_batch(
    tx: &mut Tx,
    (what, tenant, before): &(SweepTarget, TenantId, Moment),
) -> Result<u64, Error> {
    Ok(sweep_expired_rows(tx, *what, *tenant, *before, ROWS_PER_DELETE).await?)
}

async fn extend_lease(tx: &mut Tx, (lease, until): &(LeasedJob, Moment)) -> Result<bool, Error> {
    Ok(jobs::extend_job_lease(tx, lease, *until).await?)
}

async fn finish_job(tx: &mut Tx, (lease, now, due): &(LeasedJob, Moment, Moment)) -> Result<bool, Error> {
    Ok(jobs::finish_job(tx, lease, *now, *due).await?)
}
