//! The processes that took a new server key, while it takes the place of the old one.

use crate::{Error, QueryWeight, ReadSource, Tx, sql};

#[boxed::future]
pub async fn upsert_key_holder(tx: &mut Tx, process: &str, fingerprint: &str) -> Result<(), Error> {
    let statement = sql("INSERT INTO key_holders (process, fingerprint) VALUES ($1, $2)
         ON CONFLICT (process) DO UPDATE SET fingerprint = excluded.fingerprint");
    tx.execute(statement.arg(process).arg(fingerprint)).await.map(drop)
}

#[boxed::future]
pub async fn list_key_holders(
    source: impl Into<ReadSource<'_>>,
    fingerprint: &str,
) -> Result<Vec<String>, Error> {
    let statement = sql("SELECT process FROM key_holders WHERE fingerprint = $1").arg(fingerprint);
    let rows = source.fetch_all(QueryWeight::Point, statement).await?;
    rows.iter().map(|row| row.get("process")).collect()
}

#[boxed::future]
pub async fn delete_all_key_holders(tx: &mut Tx) -> Result<(), Error> {
    tx.execute(sql("DELETE FROM key_holders")).await.map(drop)
}
