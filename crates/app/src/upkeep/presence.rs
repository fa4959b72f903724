//! Heartbeats in the database (every `housekeeping.heartbeat`), so that other processes and `doctor` know which servers
//! are running.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::server::processes;
use storage::{Db, Tx, WriteLane};

/// A heartbeat is a small durable write. If it takes longer than this, writes do not work.
const BEAT_LIMIT: Duration = Duration::from_secs(10);
/// Processes gone for this long are deleted.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);

/// The name of this machine, empty if the system does not tell it.
pub fn read_machine_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// A unique name for this process, by which an operator finds its machine.
pub fn generate_process_name(app: &App) -> String {
    let mut random = [0; 8];
    app.random_source.fill(&mut random);
    format!("{}/{}/{:016x}", read_machine_name(), std::process::id(), u64::from_be_bytes(random))
}

/// Writes a heartbeat, which is activity. Its result also shows whether writes work: a frozen standby serves reads but
/// blocks writes. A database whose activity is elsewhere is written only to learn whether a fault has passed.
#[boxed::future]
pub async fn record_heartbeat(app: &App, process: &str, version: &'static str) -> Result<(), Error> {
    let input = (process.to_owned(), version, app.now());
    let activity = app.db.activity()?;
    if app.db.separate_activity().is_some() && app.db.own_write_fault().is_some() {
        beat_in_time(&app.db, input.clone()).await?;
    }
    beat_in_time(activity, input).await
}

async fn beat_in_time(db: &Db, input: (String, &'static str, Moment)) -> Result<(), Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    let beat = db.write(lane, input, |tx, input| Box::pin(write_heartbeat(tx, input)));
    let beaten = match tokio::time::timeout(BEAT_LIMIT, beat).await {
        Ok(beaten) => beaten,
        Err(_) => Err(storage::Error::TooSlow.into()),
    };
    if let Err(error) = &beaten
        && error.database_fault().is_none()
    {
        db.report_unconfirmed_write();
    }
    beaten
}

async fn write_heartbeat(tx: &mut Tx, (process, version, now): &(String, &str, Moment)) -> Result<(), Error> {
    processes::record_heartbeat(tx, process, version, *now).await?;
    processes::delete_stale_processes(tx, now.minus(FORGOTTEN_AFTER)).await?;
    Ok(())
}
