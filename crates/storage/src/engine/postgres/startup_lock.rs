//! The lock under which one process at a time migrates the schema. It belongs to a session, so a pooler in
//! transaction mode would leave it held by a session that nothing can release.

use super::lanes::LOCK_NAMESPACE;
use super::session::ServerSession;
use crate::executor::db::StatementFailure;
use crate::{Error, OpenError, Row, sql};
use std::time::{Duration, Instant};

const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(250);
const WAIT_LOG_INTERVAL: Duration = Duration::from_secs(10);
/// The second half of the lock key; tenants use the other values.
const MIGRATION_LOCK: i32 = -1;

/// Refuses a pooler in transaction mode. Two open sessions must have one server process each, and keep it: if both
/// share one, or one of them changes it, a pooler is in between.
#[boxed::future]
pub async fn refuse_transaction_pooler(
    one: &ServerSession,
    other: &ServerSession,
    place: &str,
) -> Result<(), OpenError> {
    let unreachable =
        |error: Error| OpenError::Unreachable { place: place.to_owned(), cause: error.to_string() };
    let first = read_serving_process(one).await.map_err(unreachable)?;
    let second = read_serving_process(other).await.map_err(unreachable)?;
    let again = read_serving_process(one).await.map_err(unreachable)?;
    if first == second || first != again {
        return Err(OpenError::TransactionPooler { place: place.to_owned() });
    }
    Ok(())
}

/// The backend process of a session, and the server it belongs to.
async fn read_serving_process(session: &ServerSession) -> Result<(i64, String), Error> {
    let statement = sql("SELECT CAST(pg_backend_pid() AS BIGINT) AS pid,
         CAST(pg_postmaster_start_time() AS TEXT) AS server");
    let row = take_only_row(session.fetch_all(&statement).await)?;
    Ok((row.get("pid")?, row.get("server")?))
}

/// Waits until no other process migrates; logs the lock holder while waiting, and gives up after a while.
#[boxed::future]
pub async fn take_startup_lock(
    session: &ServerSession,
    place: &str,
    lock_timeout: Duration,
) -> Result<(), OpenError> {
    let unreachable =
        |error: Error| OpenError::Unreachable { place: place.to_owned(), cause: error.to_string() };
    let started = Instant::now();
    let mut last_warning: Option<Instant> = None;
    while !try_take_startup_lock(session).await.map_err(unreachable)? {
        let is_over = started.elapsed() >= lock_timeout;
        if is_over || last_warning.is_none_or(|at| at.elapsed() >= WAIT_LOG_INTERVAL) {
            let holder = describe_lock_holder(session).await.map_err(unreachable)?;
            if is_over {
                let seconds = lock_timeout.as_secs();
                return Err(OpenError::MigrationLocked { place: place.to_owned(), seconds, holder });
            }
            tracing::warn!(%holder, "waiting for another process that migrates this database");
            last_warning = Some(Instant::now());
        }
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
    }
    Ok(())
}

async fn try_take_startup_lock(session: &ServerSession) -> Result<bool, Error> {
    let statement = sql("SELECT pg_try_advisory_lock(CAST($1 AS INTEGER), CAST($2 AS INTEGER)) AS taken");
    let statement = statement.arg(LOCK_NAMESPACE).arg(MIGRATION_LOCK);
    take_only_row(session.fetch_all(&statement).await)?.get("taken")
}

/// The lock holder, as far as the server reports it: `pid 4711 (amparo, idle)`.
async fn describe_lock_holder(session: &ServerSession) -> Result<String, Error> {
    // The server stores the key halves as unsigned numbers.
    let statement = sql("SELECT CAST(l.pid AS BIGINT) AS pid, a.application_name AS program, a.state
         FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
         WHERE l.locktype = 'advisory' AND l.granted AND CAST(l.classid AS BIGINT) = $1
             AND CAST(l.objid AS BIGINT) = $2
             AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())")
    .arg(i64::from(LOCK_NAMESPACE.cast_unsigned()))
    .arg(i64::from(MIGRATION_LOCK.cast_unsigned()));
    let rows = session.fetch_all(&statement).await.map_err(|failure| failure.error)?;
    let Some(row) = rows.first() else { return Ok("pid ?".to_owned()) };
    let known = |name: &'static str| row.get::<Option<String>>(name).map(Option::unwrap_or_default);
    Ok(format!("pid {} ({}, {})", row.get::<i64>("pid")?, known("program")?, known("state")?))
}

fn take_only_row(rows: Result<Vec<Row>, StatementFailure>) -> Result<Row, Error> {
    let none = || Error::Broken("a question without an answer".to_owned());
    rows.map_err(|failure| failure.error)?.into_iter().next().ok_or_else(none)
}
