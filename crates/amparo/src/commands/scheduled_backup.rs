//! Backups that a server makes by itself, at the times of `backup.at`. Of several servers of one database, one makes each.

use super::backup::{PlacePurpose, describe_installation, find_place, read_secret};
use crate::fatal::FatalError;
use crate::settings::ServerSettings;
use crate::system::{SystemClock, SystemRandomSource};
use app::App;
use backup::{
    CreatedBackup, DailyTimes, DestinationPlace, DestinationStore, OperatorSecret, ProgressReport,
    RetentionCounts, ServerInstallation,
};
use domain::{Moment, TenantId};
use std::sync::Arc;
use std::time::Duration;
use storage::server::jobs::{self, LeasedJob};
use storage::{Tx, WriteLane};

const JOB_NAME: &str = "backup";
/// How long a process may be silent before another takes over.
const JOB_LEASE: Duration = Duration::from_mins(5);
/// How often the lease is extended during a backup.
const EXTENSION: Duration = Duration::from_mins(1);
/// How long after a failure a backup is tried again.
const RETRY: Duration = Duration::from_mins(15);

const LAST_SUCCESS: &str = "amparo_backup_last_success_timestamp";
const RUNS: &str = "amparo_backups_total";

/// The backups of a server, prepared at its start so that wrong settings are told there.
pub struct ScheduledBackup {
    installation: ServerInstallation,
    place: DestinationPlace,
    secret: Option<OperatorSecret>,
    times: DailyTimes,
    retention: RetentionCounts,
}

/// `None` if no times are set.
pub fn prepare_scheduled_backup(settings: &ServerSettings) -> Result<Option<ScheduledBackup>, FatalError> {
    if settings.backup.times.is_empty() {
        return Ok(None);
    }
    Ok(Some(ScheduledBackup {
        installation: describe_installation(settings)?,
        place: find_place(&settings.backup, None, PlacePurpose::Create)?,
        secret: read_secret(&settings.backup)?,
        times: settings.backup.times.clone(),
        retention: settings.backup.retention,
    }))
}

/// Makes a backup whenever one is due.
pub async fn run_scheduled_backups(app: App, scheduled: ScheduledBackup, every: Duration) {
    for result in ["done", "failed"] {
        metrics::counter!(RUNS, "result" => result).increment(0);
    }
    scheduled.publish_newest().await;
    loop {
        match scheduled.run_if_due(&app).await {
            Ok(Some(Ok(created))) => {
                metrics::counter!(RUNS, "result" => "done").increment(1);
                publish_success(app.now());
                let missing = created.manifest.attachments.missing.len();
                tracing::info!(name = created.manifest.name, missing, "backup done");
            }
            Ok(Some(Err(error))) => {
                metrics::counter!(RUNS, "result" => "failed").increment(1);
                tracing::error!(why = error.sentence(), "backup failed; it will be retried");
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "whether a backup is due could not be determined"),
        }
        tokio::time::sleep(every).await;
    }
}

fn publish_success(at: Moment) {
    metrics::gauge!(LAST_SUCCESS).set(at.millis() as f64 / 1000.0);
}

impl ScheduledBackup {
    async fn open_destination(&self) -> Result<DestinationStore, FatalError> {
        let (place, secret) = (self.place.clone(), self.secret.clone());
        Ok(DestinationStore::open_or_create(place, secret, Arc::new(SystemRandomSource)).await?)
    }

    /// Says at once how old the newest backup is, also one that another process made.
    async fn publish_newest(&self) {
        let newest = async {
            let all = backup::list_backups(&self.open_destination().await?).await?;
            Ok::<_, FatalError>(all.last().map(|listed| listed.began_at))
        };
        match newest.await {
            Ok(newest) => publish_success(newest.unwrap_or(Moment::from_millis(0))),
            Err(error) => {
                publish_success(Moment::from_millis(0));
                tracing::warn!(why = error.sentence(), "the backups could not be listed");
            }
        }
    }

    /// `None` if no backup is due, or another process makes it.
    async fn run_if_due(
        &self,
        app: &App,
    ) -> Result<Option<Result<CreatedBackup, FatalError>>, storage::Error> {
        if !jobs::is_job_due(&app.db, JOB_NAME, app.now()).await? {
            return Ok(None);
        }
        let lane = WriteLane::background(TenantId::SERVER);
        let lease = app.db.write(lane, app.now(), |tx, now| Box::pin(lease_job(tx, *now))).await?;
        let Some(lease) = lease else { return Ok(None) };
        let made = tokio::select! {
            made = self.create_backup(app) => made,
            lost = hold_lease(app, &lease) => {
                tracing::warn!("the backup was taken over by another process");
                return lost.map(|()| None);
            }
        };
        let now = app.now();
        let next = match &made {
            Ok(_) => self.times.find_next(now).unwrap_or_else(|| now.plus(RETRY)),
            Err(_) => now.plus(RETRY),
        };
        app.db.write(lane, (lease, now, next), |tx, input| Box::pin(finish_job(tx, input))).await?;
        Ok(Some(made))
    }

    async fn create_backup(&self, app: &App) -> Result<CreatedBackup, FatalError> {
        let destination = self.open_destination().await?;
        let progress = ProgressReport::ignore();
        let clock = Arc::new(SystemClock);
        let created =
            backup::create_backup(&destination, &self.installation, &app.db, clock, self.retention, progress);
        Ok(created.await?)
    }
}

/// Extends the lease until it is lost.
async fn hold_lease(app: &App, lease: &LeasedJob) -> Result<(), storage::Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    loop {
        tokio::time::sleep(EXTENSION).await;
        let input = (lease.clone(), app.now().plus(JOB_LEASE));
        // A database that cannot be written to for a moment does not end the backup.
        match app.db.write(lane, input, |tx, input| Box::pin(extend_lease(tx, input))).await {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => tracing::warn!(%error, "the lease of the backup could not be extended"),
        }
    }
}

async fn lease_job(tx: &mut Tx, now: Moment) -> Result<Option<LeasedJob>, storage::Error> {
    jobs::lease_job(tx, JOB_NAME, now, JOB_LEASE).await
}

async fn extend_lease(tx: &mut Tx, (lease, until): &(LeasedJob, Moment)) -> Result<bool, storage::Error> {
    jobs::extend_job_lease(tx, lease, *until).await
}

async fn finish_job(
    tx: &mut Tx,
    (lease, now, due): &(LeasedJob, Moment, Moment),
) -> Result<bool, storage::Error> {
    jobs::finish_job(tx, lease, *now, *due).await
}
