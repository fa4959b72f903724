//! Metrics that are sampled from time to time. Each sample has a task of its own: one that fails or hangs (a folder on a
//! network disk that went away) stops no other, and none of them holds up a request.

use super::convert_to_seconds;
use super::process_usage::measure_process;
use api::StopFlag;
use app::App;
use app::upkeep::{health, housekeeping};
use delivery::triggers::delivery_metrics;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use storage::server::{jobs, mails};
use tokio::task::JoinSet;

/// Sizes and free space change slowly and cost more: they are sampled this many times less often.
const SLOW_FACTOR: u32 = 12;

/// What the samples are taken of.
#[derive(Clone)]
pub struct MeasuredServer {
    pub app: App,
    pub stopping: StopFlag,
    /// The database file; `None` on a database server.
    pub database_file: Option<PathBuf>,
    /// Folders by the label of their place.
    pub folders: Vec<(&'static str, PathBuf)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricSample {
    Process,
    Readiness,
    Workload,
    TriggerQueue,
    MailQueue,
    DatabaseSize,
    DatabaseLog,
    DatabaseClock,
    Disks,
    Housekeeping,
}

/// Starts the task of each sample.
pub fn start_sampling(tasks: &mut JoinSet<()>, server: &MeasuredServer, every: Duration) {
    for sample in MetricSample::ALL {
        tasks.spawn(repeat_sample(sample, server.clone(), every));
    }
}

/// Takes a sample again and again. A failure is logged once, and so is its end.
async fn repeat_sample(sample: MetricSample, server: MeasuredServer, every: Duration) {
    let every = if sample.is_slow() { every.saturating_mul(SLOW_FACTOR) } else { every };
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_failing = false;
    loop {
        ticks.tick().await;
        match sample.take(&server).await {
            Ok(()) if is_failing => {
                is_failing = false;
                tracing::info!(?sample, "metrics are sampled again");
            }
            Ok(()) => {}
            Err(error) if is_failing || is_outage(&*error) => {
                tracing::debug!(?sample, %error, "metrics could not be sampled");
            }
            Err(error) => {
                is_failing = true;
                tracing::warn!(?sample, %error, "metrics could not be sampled");
            }
        }
    }
}

/// The executor logs an outage of the database itself.
fn is_outage(error: &(dyn Error + 'static)) -> bool {
    let of_storage = error.downcast_ref::<storage::Error>().is_some_and(storage::Error::is_outage);
    of_storage || error.downcast_ref::<app::Error>().is_some_and(app::Error::is_outage)
}

impl MetricSample {
    const ALL: [MetricSample; 10] = [
        MetricSample::Process,
        MetricSample::Readiness,
        MetricSample::Workload,
        MetricSample::TriggerQueue,
        MetricSample::MailQueue,
        MetricSample::DatabaseSize,
        MetricSample::DatabaseLog,
        MetricSample::DatabaseClock,
        MetricSample::Disks,
        MetricSample::Housekeeping,
    ];

    fn is_slow(self) -> bool {
        matches!(
            self,
            MetricSample::DatabaseSize
                | MetricSample::DatabaseClock
                | MetricSample::Disks
                | MetricSample::Housekeeping
        )
    }

    async fn take(self, server: &MeasuredServer) -> Result<(), Box<dyn Error + Send + Sync>> {
        let app = &server.app;
        match self {
            MetricSample::Process => sample_process().await?,
            MetricSample::Readiness => sample_readiness(server).await,
            MetricSample::Workload => sample_workload(app),
            MetricSample::TriggerQueue => delivery_metrics::measure_queues(app).await?,
            MetricSample::MailQueue => sample_mail_queue(app).await?,
            MetricSample::DatabaseSize => sample_database_size(app).await?,
            MetricSample::DatabaseLog => sample_database_log(server).await?,
            MetricSample::DatabaseClock => sample_database_clock(app).await?,
            MetricSample::Disks => sample_disks(server).await?,
            MetricSample::Housekeeping => sample_housekeeping(app).await?,
        }
        Ok(())
    }
}

async fn sample_process() -> io::Result<()> {
    let usage = run_blocking(measure_process).await?;
    metrics::counter!("process_cpu_seconds_total").absolute(usage.cpu_seconds);
    metrics::gauge!("process_resident_memory_bytes").set(usage.resident_bytes as f64);
    metrics::gauge!("process_virtual_memory_bytes").set(usage.virtual_bytes as f64);
    metrics::gauge!("process_threads").set(usage.threads as f64);
    metrics::gauge!("process_open_fds").set(usage.open_files as f64);
    let limit = usage.open_files_limit.map_or(f64::INFINITY, |limit| limit as f64);
    metrics::gauge!("process_max_fds").set(limit);
    Ok(())
}

async fn sample_readiness(server: &MeasuredServer) {
    let is_ready = !server.stopping.is_set() && health::check_readiness(&server.app).await.is_ok();
    metrics::gauge!("amparo_ready").set(f64::from(u8::from(is_ready)));
}

/// What is known without asking the database.
fn sample_workload(app: &App) {
    let commits = app.db.list_databases().map(storage::Db::commit_count).sum();
    metrics::counter!("amparo_database_commits_total").absolute(commits);
    let load = app.db.workload();
    let waiting = [("write", load.waiting_writes), ("search", load.waiting_searches)];
    for (work, waiting) in waiting {
        metrics::gauge!("amparo_database_waiting", "work" => work).set(waiting as f64);
    }
    for (work, pool) in [("write", load.writes), ("search", load.searches)] {
        metrics::gauge!("amparo_database_connections_used", "work" => work).set(pool.used as f64);
        metrics::gauge!("amparo_database_connections_limit", "work" => work).set(pool.limit as f64);
    }
    metrics::gauge!("amparo_access_log_backlog_bytes").set(app.access_log.bytes() as f64);
}

async fn sample_mail_queue(app: &App) -> Result<(), storage::Error> {
    let (waiting, oldest) = mails::count_waiting_mails(&app.db, app.now()).await?;
    let age = oldest.map_or(0.0, |since| app.now().duration_since(since).as_secs_f64());
    metrics::gauge!("amparo_mail_queue_length").set(waiting as f64);
    metrics::gauge!("amparo_mail_queue_age_seconds").set(age);
    Ok(())
}

async fn sample_database_size(app: &App) -> Result<(), storage::Error> {
    let of_activity = match app.db.separate_activity() {
        Some(activity) => activity.size().await?,
        None => 0,
    };
    let of_main = app.db.size().await? - of_activity;
    metrics::gauge!("amparo_database_size_bytes", "database" => "main").set(of_main as f64);
    metrics::gauge!("amparo_database_size_bytes", "database" => "activity").set(of_activity as f64);
    Ok(())
}

async fn sample_database_log(server: &MeasuredServer) -> io::Result<()> {
    let Some(file) = server.database_file.clone() else { return Ok(()) };
    let [main, activity] = run_blocking(move || {
        Ok([
            measure_file(&append_suffix(&file, "-wal"))?,
            measure_file(&append_suffix(&storage::backup::build_activity_path(&file), "-wal"))?,
        ])
    })
    .await?;
    metrics::gauge!("amparo_database_log_bytes", "database" => "main").set(main as f64);
    metrics::gauge!("amparo_database_log_bytes", "database" => "activity").set(activity as f64);
    Ok(())
}

async fn sample_database_clock(app: &App) -> Result<(), storage::Error> {
    let before = app.now();
    let Some(there) = app.db.clock().await? else { return Ok(()) };
    // The answer took time: any moment between the question and now counts as equal.
    let ahead = there.duration_since(app.now()).as_secs_f64() - before.duration_since(there).as_secs_f64();
    metrics::gauge!("amparo_database_clock_offset_seconds").set(ahead);
    Ok(())
}

async fn sample_disks(server: &MeasuredServer) -> io::Result<()> {
    let mut outcome = Ok(());
    for (place, folder) in server.folders.clone() {
        match run_blocking(move || measure_disk(&folder)).await {
            Ok(space) => {
                metrics::gauge!("amparo_disk_free_bytes", "place" => place).set(space.free as f64);
                metrics::gauge!("amparo_disk_size_bytes", "place" => place).set(space.size as f64);
            }
            // The other places are measured all the same.
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}

async fn sample_housekeeping(app: &App) -> Result<(), storage::Error> {
    let finished = jobs::find_last_finish(&app.db, housekeeping::JOB_NAME).await?;
    metrics::gauge!("amparo_housekeeping_last_success_timestamp_seconds")
        .set(finished.map_or(0.0, convert_to_seconds));
    Ok(())
}

/// The calls of the file system may take long.
async fn run_blocking<T: Send + 'static>(
    measure: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(measure).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// A file that is not there has no length.
fn measure_file(path: &Path) -> io::Result<u64> {
    match std::fs::metadata(path) {
        Ok(file) => Ok(file.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn append_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

struct DiskSpace {
    free: u64,
    size: u64,
}

/// The disk of a folder, or of the one in which it will be made.
fn measure_disk(folder: &Path) -> io::Result<DiskSpace> {
    let existing = folder.ancestors().find(|one| one.exists()).unwrap_or(Path::new("."));
    let disk = rustix::fs::statvfs(existing)?;
    let to_bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Ok(DiskSpace { free: to_bytes(disk.f_bavail), size: to_bytes(disk.f_blocks) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_does_not_exist_yet_is_on_the_disk_of_the_one_above() {
        let folder = tempfile::tempdir().unwrap();
        let space = measure_disk(&folder.path().join("copias/amparo")).unwrap();
        assert!(space.size > 0 && space.free <= space.size);
        assert!(measure_disk(Path::new("nenhuma")).unwrap().size > 0);
    }

    #[test]
    fn a_log_that_is_not_there_has_no_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = append_suffix(&folder.path().join("amparo.db"), "-wal");
        assert_eq!(measure_file(&path).unwrap(), 0);
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(measure_file(&path).unwrap(), 4);
    }
}
