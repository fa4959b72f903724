//! Runs a unit of work or the reads of a snapshot on a connection.

use super::super::TransactionSession as AnySession;
use super::pool::SessionFactory;
use crate::Error;
use crate::executor::db::Tx;
use crate::executor::unit::{QueuedUnit, TransactionVerdict};
use crate::executor::write_health::WriteHealth;
use deadpool::managed::Object;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

pub(super) async fn run_snapshot_reads(
    session: &Object<SessionFactory>,
    work: &mut QueuedUnit,
    limit: Duration,
    health: Arc<WriteHealth>,
) -> Result<TransactionVerdict, Error> {
    session.execute_control("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
    session.set_only_reads(true);
    let mut tx = Tx::new(AnySession::Postgres(Arc::clone(session)), health);
    let result = tokio::time::timeout(limit, run_unit(&mut tx, work)).await.unwrap_or(Err(Error::TooSlow));
    session.set_only_reads(false);
    session.execute_control("ROLLBACK").await.inspect_err(|_| session.spoil())?;
    result
}

/// Runs a unit to its end; a panic affects only its caller.
pub(super) async fn run_unit(tx: &mut Tx, work: &mut QueuedUnit) -> Result<TransactionVerdict, Error> {
    let result = AssertUnwindSafe(work.run(tx)).catch_unwind().await;
    result.map_err(|panic| Error::Panicked(crate::engine::describe_panic(&*panic)))
}
