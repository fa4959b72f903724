//! The processes that currently serve this database. A process registers in the database itself, where the key is
//! checked, and beats where activity is written.

use crate::{Db, Error, QueryWeight, ReadSource, Tx, WriteLane, sql};
use domain::{Moment, TenantId};
use std::time::Duration;

/// A process without a heartbeat for this long counts as gone.
pub const GONE_AFTER: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerProcess {
    pub process: String,
    pub version: String,
    pub started_at: Moment,
    pub seen_at: Moment,
}

#[boxed::future]
pub async fn record_heartbeat(tx: &mut Tx, process: &str, version: &str, now: Moment) -> Result<(), Error> {
    let statement =
        sql("INSERT INTO processes (process, version, started_at, seen_at) VALUES ($1, $2, $3, $3)
         ON CONFLICT (process) DO UPDATE SET seen_at = excluded.seen_at")
        .arg(process)
        .arg(version)
        .arg(now);
    tx.execute(statement).await.map(drop)
}

/// Deletes a process that stops, wherever it is registered.
#[boxed::future]
pub async fn unregister_process(db: &Db, process: &str) -> Result<(), Error> {
    let lane = WriteLane::foreground(TenantId::SERVER);
    for db in db.list_databases() {
        db.write(lane, process.to_owned(), |tx, process| Box::pin(delete_process(tx, process))).await?;
    }
    Ok(())
}

async fn delete_process(tx: &mut Tx, process: &str) -> Result<(), Error> {
    tx.execute(sql("DELETE FROM processes WHERE process = $1").arg(process)).await.map(drop)
}

/// Deletes the processes last seen before a moment.
#[boxed::future]
pub async fn delete_stale_processes(tx: &mut Tx, before: Moment) -> Result<u64, Error> {
    tx.execute(sql("DELETE FROM processes WHERE seen_at < $1").arg(before)).await
}

/// Corrects heartbeats in the future, written by a clock that ran ahead: otherwise a process that is gone would seem
/// alive until then.
#[boxed::future]
pub async fn correct_future_heartbeats(tx: &mut Tx, after: Moment, now: Moment) -> Result<u64, Error> {
    tx.execute(sql("UPDATE processes SET seen_at = $2 WHERE seen_at > $1").arg(after).arg(now)).await
}

/// The processes seen since a moment, oldest first.
#[boxed::future]
pub async fn list_live_processes(db: &Db, since: Moment) -> Result<Vec<ServerProcess>, Error> {
    let mut processes = list_processes_seen(db, since).await?;
    if let Some(activity) = db.separate_activity() {
        let beats = list_processes_seen(activity, since).await?;
        processes.retain(|one| !beats.iter().any(|beat| beat.process == one.process));
        processes.extend(beats);
        processes
            .sort_by(|one, other| (one.started_at, &one.process).cmp(&(other.started_at, &other.process)));
    }
    Ok(processes)
}

/// The same in one database.
#[boxed::future]
pub async fn list_processes_seen(
    source: impl Into<ReadSource<'_>>,
    since: Moment,
) -> Result<Vec<ServerProcess>, Error> {
    let statement = sql("SELECT process, version, started_at, seen_at FROM processes WHERE seen_at >= $1
         ORDER BY started_at, process")
    .arg(since);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(ServerProcess {
                process: row.get("process")?,
                version: row.get("version")?,
                started_at: row.get("started_at")?,
                seen_at: row.get("seen_at")?,
            })
        })
        .collect()
}
