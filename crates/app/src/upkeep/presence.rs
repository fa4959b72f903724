//! Saying to the database that this process lives, so that others (and `doctor`) know who serves it.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::server::processes;
use storage::{Tx, WriteLane};

/// A process that was not seen for so long is gone.
pub const GONE_AFTER: Duration = Duration::from_secs(30);
/// A sign of life is a small durable write. One that takes longer than this says that writing does not work.
const BEAT_LIMIT: Duration = Duration::from_secs(10);
/// Those gone for so long are forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A name for this process that no other has.
pub fn generate_process_name(app: &App) -> String {
    let mut random = [0; 8];
    app.chance.fill(&mut random);
    format!("{:016x}-{}", u64::from_be_bytes(random), std::process::id())
}

/// Gives a sign of life. What comes of it also tells whether the database can be written: a standby that has frozen lets
/// every reader pass and no writer.
#[boxed::future]
pub async fn record_heartbeat(app: &App, process: &str, version: &'static str) -> Result<(), Error> {
    let input = (process.to_owned(), version, app.now());
    let lane = WriteLane::background(TenantId::SERVER);
    let beat = app.db.write(lane, input, |tx, input| Box::pin(write_heartbeat(tx, input)));
    let beaten = match tokio::time::timeout(BEAT_LIMIT, beat).await {
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

async fn write_heartbeat(tx: &mut Tx, (process, version, now): &(String, &str, Moment)) -> Result<(), Error> {
    processes::record_heartbeat(tx, process, version, *now).await?;
    processes::delete_stale_processes(tx, now.minus(FORGOTTEN_AFTER)).await?;
    Ok(())
}

#[boxed::future]
pub async fn sign_off_process(app: &App, process: &str) -> Result<(), Error> {
    let lane = WriteLane::foreground(TenantId::SERVER);
    Ok(app
        .db
        .write(lane, process.to_owned(), |tx, process| Box::pin(processes::delete_process(tx, process)))
        .await?)
}
