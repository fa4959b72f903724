//! The health of the server, for operators and administrators.

use crate::mail::{self, MailDeliveryMethod};
use crate::session::Session;
use crate::{App, Error};
use domain::{DatabaseFault, Moment, Role};
use std::path::PathBuf;
use storage::TransportProtection;
use storage::triggers::receivers;

/// Facts about the deployment of a server.
#[derive(Clone, Debug, Default)]
pub struct ServerEnvironment {
    pub mail: MailDeliveryMethod,
    /// The folder of an embedded database.
    pub data: Option<PathBuf>,
}

/// The state of the server and of its outgoing messages.
pub struct ServerHealth {
    pub schema: i64,
    /// The size of the database, and the free space on its disk.
    pub bytes: i64,
    pub free: Option<u64>,
    /// The fault that prevents writes, if any, and the protection of the database connection.
    pub database_fault: Option<DatabaseFault>,
    pub transport: TransportProtection,
    /// The versions of the running servers, and when each started.
    pub servers: Vec<(String, Moment)>,
    pub receivers: ReceiverHealthCounts,
    /// Among the newest mails: waiting and failed ones.
    pub mails_waiting: usize,
    pub mails_failed: usize,
}

/// Counts of trigger receivers by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverHealthCounts {
    pub active: usize,
    pub paused: usize,
    pub failing: usize,
}

/// For administrators.
#[boxed::future]
pub async fn read_server_health(app: &App, caller: &Session) -> Result<ServerHealth, Error> {
    caller.require_role(&Role::ADMINISTRATORS)?;
    let tenant = caller.scope.tenant();
    let alive = storage::server::processes::list_live_processes(
        &app.db,
        app.now().minus(storage::server::processes::GONE_AFTER),
    )
    .await?;
    let mut health = ServerHealth {
        schema: storage::newest_schema(),
        bytes: app.db.size().await?,
        free: app.environment.data.as_deref().and_then(measure_free_space),
        database_fault: app.db.write_fault(),
        transport: app.db.transport_protection(),
        servers: alive.into_iter().map(|one| (one.version, one.started_at)).collect(),
        receivers: ReceiverHealthCounts::default(),
        mails_waiting: 0,
        mails_failed: 0,
    };
    for one in receivers::list_receivers(&app.db, tenant).await?.iter().filter(|one| one.active) {
        health.receivers.active += 1;
        health.receivers.paused += usize::from(one.paused.is_some());
        health.receivers.failing += usize::from(one.paused.is_none() && one.health.failing_since.is_some());
    }
    for one in mail::list_outbox_mail(app, caller, i32::MAX).await? {
        health.mails_waiting += usize::from(one.is_waiting);
        health.mails_failed += usize::from(!one.is_waiting && one.sent_at.is_none());
    }
    Ok(health)
}

#[derive(Clone, Debug)]
pub enum ReadinessProblem {
    /// The database does not answer.
    Silent(Error),
    /// The database answers, but cannot work.
    Faulty(DatabaseFault),
}

/// Readiness: the database answers, and the latest writes suggest that a write would succeed. Writes nothing.
#[boxed::future]
pub async fn check_readiness(app: &App) -> Result<(), ReadinessProblem> {
    if let Err(error) = app.db.ping().await.map_err(Error::from) {
        return Err(match error.database_fault() {
            Some(fault) => ReadinessProblem::Faulty(fault),
            None => ReadinessProblem::Silent(error),
        });
    }
    app.db.write_fault().map_or(Ok(()), |fault| Err(ReadinessProblem::Faulty(fault)))
}

/// Free bytes on the disk of a folder.
pub fn measure_free_space(folder: &std::path::Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}
