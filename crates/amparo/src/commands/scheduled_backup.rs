//! Backups that a server makes by itself, at the times of `backup.times`. Of several servers of one database, one makes each.

use super::backup::{PlacePurpose, build_plan, describe_installation, find_place, read_secret};
use crate::fatal::FatalError;
use crate::measurement::convert_to_seconds;
use crate::settings::{BackupSettings, ServerSettings};
use crate::system::SystemRandomSource;
use app::App;
use backup::{
    BackupActionError, CreatedBackup, DestinationPlace, DestinationStore, ProgressReport, ServerInstallation,
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

/// How often the backups of other processes are looked at.
const PUBLICATION: Duration = Duration::from_hours(1);

/// The backups of a server, prepared at its start so that wrong settings are told there.
pub struct ScheduledBackup {
    installation: ServerInstallation,
    place: DestinationPlace,
    settings: BackupSettings,
}

/// `None` if no times are set.
pub fn prepare_scheduled_backup(settings: &ServerSettings) -> Result<Option<ScheduledBackup>, FatalError> {
    if settings.backup.times.is_empty() {
        return Ok(None);
    }
    read_secret(&settings.backup)?;
    Ok(Some(ScheduledBackup {
        installation: describe_installation(settings)?,
        place: find_place(&settings.backup, None, PlacePurpose::Create)?,
        settings: settings.backup.clone(),
    }))
}

/// Makes a backup whenever one is due.
pub async fn run_scheduled_backups(app: App, scheduled: ScheduledBackup, every: Duration) {
    metrics::gauge!("amparo_backup_scheduled").set(1.0);
    let mut published_at = Moment::from_millis(0);
    loop {
        if app.now().duration_since(published_at) >= PUBLICATION {
            published_at = app.now();
            scheduled.publish_newest(published_at).await;
        }
        match scheduled.run_if_due(&app).await {
            Ok(Some(Ok(created))) => {
                metrics::counter!("amparo_backups_total", "result" => "done").increment(1);
                publish_success(app.now());
                let missing = created.manifest.attachments.missing.len();
                tracing::info!(name = created.manifest.name, missing, "backup done");
            }
            Ok(Some(Err(error))) => {
                metrics::counter!("amparo_backups_total", "result" => "failed").increment(1);
                tracing::error!(why = error.sentence(), "backup failed; it will be retried");
            }
            Ok(None) => {}
            Err(error) => {
                storage::warn_unless_outage!(error, "whether a backup is due could not be determined");
            }
        }
        tokio::time::sleep(every).await;
    }
}

fn publish_success(at: Moment) {
    metrics::gauge!("amparo_backup_last_success_timestamp_seconds").set(convert_to_seconds(at));
}

impl ScheduledBackup {
    /// Says how old the newest backup is, also one that another process made.
    async fn publish_newest(&self, now: Moment) {
        let newest = async {
            let (place, secret) = (self.place.clone(), read_secret(&self.settings)?);
            match DestinationStore::open(place, secret, Arc::new(SystemRandomSource)).await {
                Err(BackupActionError::NoBackup) => Ok(None),
                opened => {
                    let listing = backup::list_backups(&opened?).await?;
                    Ok::<_, FatalError>(listing.find_newest(now).map(|newest| newest.began_at))
                }
            }
        };
        match newest.await {
            Ok(newest) => publish_success(newest.unwrap_or(Moment::from_millis(0))),
            Err(error) => tracing::warn!(why = error.sentence(), "the backups could not be listed"),
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
            Ok(_) => self.settings.times.find_next(now).unwrap_or_else(|| now.plus(RETRY)),
            Err(_) => now.plus(RETRY),
        };
        app.db.write(lane, (lease, now, next), |tx, input| Box::pin(finish_job(tx, input))).await?;
        Ok(Some(made))
    }

    async fn create_backup(&self, app: &App) -> Result<CreatedBackup, FatalError> {
        let plan = build_plan(&self.settings, self.place.clone())?;
        // A backup without its key would be noticed on the day of the loss.
        vault::inspect_server_key(app.key_context(), &self.installation.key_file).await?;
        Ok(backup::create_backup(plan, &self.installation, &app.db, ProgressReport::ignore()).await?)
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
            Err(error) => {
                storage::warn_unless_outage!(error, "the lease of the backup could not be extended");
            }
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
