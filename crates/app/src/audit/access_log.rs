//! The log of accesses to personal data. An access is buffered in memory and written in batches after the answer, so
//! that it never delays a request. If the log cannot be written, access is refused rather than left unlogged.

use crate::access;
use crate::session::Session;
use crate::{App, Error};
use domain::{AuditedOperation, PersonCode, TenantId};
use storage::WriteLane;
use storage::history::access_log::{self, AccessActor};
pub use storage::history::access_log_buffer::AccessLogBuffer;
use storage::history::access_log_buffer::AccessLogFull;

/// Rows written in one transaction.
const ROWS_PER_BATCH: usize = 2_000;

impl From<AccessLogFull> for Error {
    fn from(AccessLogFull: AccessLogFull) -> Error {
        Error::AuditBacklogFull
    }
}

/// Logs that the caller sees these people, each once per call; on an error the caller must not see them.
pub fn record_access(
    app: &App,
    caller: &Session,
    operation: AuditedOperation,
    people: impl Iterator<Item = PersonCode>,
) -> Result<(), Error> {
    let operation = caller.within.unwrap_or(operation);
    let mut recorded = Vec::new();
    let mut people = people
        .filter(|person| {
            let is_new = !recorded.contains(person);
            recorded.push(*person);
            is_new
        })
        .peekable();
    if people.peek().is_none() {
        return Ok(());
    }
    app.db.activity()?;
    Ok(app.access_log.record((caller.scope.tenant(), caller.user.into()), operation, people, app.now())?)
}

/// As [`record_access`], for an anonymous caller.
pub fn record_anonymous_access(
    app: &App,
    actor: (TenantId, AccessActor),
    operation: AuditedOperation,
    person: PersonCode,
) -> Result<(), Error> {
    app.db.activity()?;
    Ok(app.access_log.record(actor, operation, std::iter::once(person), app.now())?)
}

/// Writes the buffer. The server calls this periodically and once more at shutdown. A failed batch stays buffered, and
/// does not stop those of other tenants.
#[boxed::future]
pub async fn flush_access_log(app: &App) -> Result<(), Error> {
    let login_trail = access::flush_login_trail(app).await;
    let written = write_access_log(app).await;
    app.access_log.report_written(written.is_ok(), app.now());
    login_trail.and(written)
}

async fn write_access_log(app: &App) -> Result<(), Error> {
    let db = app.db.activity()?;
    let (mut failure, mut failed_tenant) = (None, None);
    for batch in app.access_log.take_batches(ROWS_PER_BATCH) {
        if failed_tenant == Some(batch.tenant) {
            continue;
        }
        let (lane, input) = (WriteLane::background(batch.tenant), (batch.tenant, batch.blocks.clone()));
        let written = db.write(lane, input, |tx, (tenant, blocks)| {
            Box::pin(access_log::append_access_log(tx, *tenant, blocks))
        });
        match written.await {
            Ok(()) => batch.mark_written(),
            Err(error) => (failure, failed_tenant) = (Some(error.into()), Some(batch.tenant)),
        }
    }
    failure.map_or(Ok(()), Err)
}
