//! The processes that serve this database now.

use crate::{Error, Source, Tx, Weight, sql};
use domain::Moment;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub process: String,
    pub version: String,
    pub started_at: Moment,
    pub seen_at: Moment,
}

/// Writes that the process lives.
#[boxed::future]
pub async fn beat(tx: &mut Tx, process: &str, version: &str, now: Moment) -> Result<(), Error> {
    let statement =
        sql("INSERT INTO processes (process, version, started_at, seen_at) VALUES ($1, $2, $3, $3)
         ON CONFLICT (process) DO UPDATE SET seen_at = excluded.seen_at")
        .arg(process)
        .arg(version)
        .arg(now);
    tx.execute(statement).await.map(drop)
}

#[boxed::future]
pub async fn leave(tx: &mut Tx, process: &str) -> Result<(), Error> {
    tx.execute(sql("DELETE FROM processes WHERE process = $1").arg(process)).await.map(drop)
}

/// Forgets the processes last seen before a moment.
#[boxed::future]
pub async fn forget(tx: &mut Tx, before: Moment) -> Result<u64, Error> {
    tx.execute(sql("DELETE FROM processes WHERE seen_at < $1").arg(before)).await
}

/// Those seen behind a moment that is still to come were seen now: the clock that saw them ran ahead, and one that is gone
/// must not seem to live until then.
#[boxed::future]
pub async fn pull_back(tx: &mut Tx, after: Moment, now: Moment) -> Result<u64, Error> {
    tx.execute(sql("UPDATE processes SET seen_at = $2 WHERE seen_at > $1").arg(after).arg(now)).await
}

/// The processes seen since a moment, oldest first.
#[boxed::future]
pub async fn alive(from: impl Into<Source<'_>>, since: Moment) -> Result<Vec<Process>, Error> {
    let statement = sql("SELECT process, version, started_at, seen_at FROM processes WHERE seen_at >= $1
         ORDER BY started_at, process")
    .arg(since);
    let rows = from.all(Weight::Point, statement).await?;
    rows.iter()
        .map(|row| {
            Ok(Process {
                process: row.get("process")?,
                version: row.get("version")?,
                started_at: row.get("started_at")?,
                seen_at: row.get("seen_at")?,
            })
        })
        .collect()
}
