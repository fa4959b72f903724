//! Heartbeats in the database, so that other processes and `doctor` know which servers are running.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::server::processes;
use storage::{Tx, WriteLane};

/// A process without a heartbeat for this long counts as gone.
pub const GONE_AFTER: Duration = Duration::from_secs(30);
/// A heartbeat is a small durable write. If it takes longer than this, writes do not work.
const BEAT_LIMIT: Duration = Duration::from_secs(10);
/// Processes gone for this long are deleted.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);

/// A unique name for this process.
pub fn generate_process_name(app: &App) -> String {
    let mut random = [0; 8];
    app.random_source.fill(&mut random);
    format!("{:016x}-{}", u64::from_be_bytes(random), std::process::id())
}

/// Writes a heartbeat. Its result also shows whether the database is writable: a frozen standby serves reads but
/// blocks writes.
#[boxed::future]
pub async fn record_heartbeat(app: &App, process: &str, version: &'static str) -> Result<(), Error> {
    let input = (process.to_owned(), version, app.now());
    let beaten = match tokio::time::timeout(BEAT_LIMIT, beat_databases(app, input)).await {
        Ok(beaten) => beaten,
        Err(_) => Err(storage::Error::TooSlow.into()),
    };
    if let Err(error) = &beaten
        && error.database_fault().is_none()
    {
        app.db.report_unconfirmed_write();
    }
    beaten
}

/// The heartbeat is activity. A database that has it elsewhere is written only to learn whether a fault has passed.
async fn beat_databases(app: &App, input: (String, &'static str, Moment)) -> Result<(), Error> {
    let lane = WriteLane::background(TenantId::SERVER);
    if app.db.separate_activity().is_some() && app.db.own_write_fault().is_some() {
        let probe = input.clone();
        app.db.write(lane, probe, |tx, input| Box::pin(write_heartbeat(tx, input))).await?;
    }
    app.db.activity()?.write(lane, input, |tx, input| Box::pin(write_heartbeat(tx, input))).await
}

async fn write_heartbeat(tx: &mut Tx, (process, version, now): &(String, &str, Moment)) -> Result<(), Error> {
    processes::record_heartbeat(tx, process, version, *now).await?;
    processes::delete_stale_processes(tx, now.minus(FORGOTTEN_AFTER)).await?;
    Ok(())
}

#[boxed::future]
pub async fn sign_off_process(app: &App, process: &str) -> Result<(), storage::Error> {
    let lane = WriteLane::foreground(TenantId::SERVER);
    for db in [Some(&app.db), app.db.separate_activity()].into_iter().flatten() {
        db.write(lane, process.to_owned(), |tx, process| Box::pin(processes::delete_process(tx, process)))
            .await?;
    }
    Ok(())
}
