//! Recurring jobs: one row per job, leased by one process at a time, so that a job runs once per database regardless
//! of the number of processes, and again after its process is gone.

use crate::{Error, ReadSource, Tx, sql};
use domain::{Moment, TenantId};
use std::time::Duration;

/// A leased job. The fence tells it from a later lease of the same job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    job: String,
    fence: i64,
}

/// Leases the job if it is due and not leased.
#[boxed::future]
pub async fn lease_job(
    tx: &mut Tx,
    job: &str,
    now: Moment,
    length: Duration,
) -> Result<Option<LeasedJob>, Error> {
    let statement =
        sql("INSERT INTO jobs (tenant, job, due_at, leased_until, fence) VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (tenant, job) DO UPDATE SET leased_until = excluded.leased_until, fence = jobs.fence + 1
         WHERE jobs.due_at <= $3 AND jobs.leased_until <= $3 RETURNING fence")
        .arg(TenantId::SERVER)
        .arg(job)
        .arg(now)
        .arg(now.plus(length));
    let row = tx.fetch_optional(statement).await?;
    row.map(|row| Ok(LeasedJob { job: job.to_owned(), fence: row.get("fence")? })).transpose()
}

/// Extends a lease during the work; `false` if it was lost.
#[boxed::future]
pub async fn extend_job_lease(tx: &mut Tx, lease: &LeasedJob, until: Moment) -> Result<bool, Error> {
    let statement = sql("UPDATE jobs SET leased_until = $4 WHERE tenant = $1 AND job = $2 AND fence = $3")
        .arg(TenantId::SERVER)
        .arg(lease.job.as_str())
        .arg(lease.fence)
        .arg(until);
    Ok(tx.execute(statement).await? == 1)
}

/// Whether a lease is still held, for units of work that must not write without it.
#[boxed::future]
pub async fn is_lease_held(tx: &mut Tx, lease: &LeasedJob) -> Result<bool, Error> {
    let statement = sql("SELECT fence FROM jobs WHERE tenant = $1 AND job = $2 AND fence = $3")
        .arg(TenantId::SERVER)
        .arg(lease.job.as_str())
        .arg(lease.fence);
    Ok(tx.fetch_optional(statement).await?.is_some())
}

/// Releases the job, due again later; `false` if the lease was lost.
#[boxed::future]
pub async fn finish_job(tx: &mut Tx, lease: &LeasedJob, now: Moment, due: Moment) -> Result<bool, Error> {
    let statement = sql("UPDATE jobs SET due_at = $5, leased_until = 0, finished_at = $4
         WHERE tenant = $1 AND job = $2 AND fence = $3")
    .arg(TenantId::SERVER)
    .arg(lease.job.as_str())
    .arg(lease.fence)
    .arg(now)
    .arg(due);
    Ok(tx.execute(statement).await? == 1)
}

/// Whether the job is due and not leased, without writing.
#[boxed::future]
pub async fn is_job_due(source: impl Into<ReadSource<'_>>, job: &str, now: Moment) -> Result<bool, Error> {
    let statement = sql("SELECT due_at, leased_until FROM jobs WHERE tenant = $1 AND job = $2")
        .arg(TenantId::SERVER)
        .arg(job);
    match source.fetch_optional(statement).await? {
        None => Ok(true),
        Some(row) => Ok(row.get::<Moment>("due_at")? <= now && row.get::<Moment>("leased_until")? <= now),
    }
}

/// When the job was last finished, by any process.
#[boxed::future]
pub async fn find_last_finish(source: impl Into<ReadSource<'_>>, job: &str) -> Result<Option<Moment>, Error> {
    let statement =
        sql("SELECT finished_at FROM jobs WHERE tenant = $1 AND job = $2").arg(TenantId::SERVER).arg(job);
    source.fetch_optional(statement).await?.map_or(Ok(None), |row| row.get("finished_at"))
}
