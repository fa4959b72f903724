//! Saying to the database that this process lives, so that others (and `doctor`) know who serves it.

use crate::{App, Error};
use domain::{Moment, TenantId};
use std::time::Duration;
use storage::{Lane, Tx, processes};

/// A process that was not seen for so long is gone.
pub const GONE_AFTER: Duration = Duration::from_secs(30);
/// Those gone for so long are forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A name for this process that no other has.
pub fn name(app: &App) -> String {
    let mut random = [0; 8];
    app.chance.fill(&mut random);
    format!("{:016x}-{}", u64::from_be_bytes(random), std::process::id())
}

pub async fn beat(app: &App, process: &str, version: &'static str) -> Result<(), Error> {
    let input = (process.to_owned(), version, app.now());
    app.db.write(Lane::background(TenantId::SERVER), input, |tx, input| Box::pin(beat_in(tx, input))).await
}

async fn beat_in(tx: &mut Tx, (process, version, now): &(String, &str, Moment)) -> Result<(), Error> {
    processes::beat(tx, process, version, *now).await?;
    processes::forget(tx, now.minus(FORGOTTEN_AFTER)).await?;
    Ok(())
}

pub async fn leave(app: &App, process: &str) -> Result<(), Error> {
    let lane = Lane::of(TenantId::SERVER);
    Ok(app.db.write(lane, process.to_owned(), |tx, process| Box::pin(processes::leave(tx, process))).await?)
}
