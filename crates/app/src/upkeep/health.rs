//! How it goes with the server, for those who look after it.

use super::presence;
use crate::access::Session;
use crate::mail::{self, MailDeliveryMethod};
use crate::{App, Error};
use domain::{DatabaseFault, Moment, Role};
use std::path::PathBuf;
use storage::TransportProtection;
use storage::triggers::receivers;

/// Where a server stands.
#[derive(Clone, Debug, Default)]
pub struct ServerEnvironment {
    pub mail: MailDeliveryMethod,
    /// The folder of an embedded database.
    pub data: Option<PathBuf>,
}

/// How it goes with the server and with what leaves it.
pub struct ServerHealth {
    pub schema: i64,
    /// What the database takes, and what is free where it lies.
    pub bytes: i64,
    pub free: Option<u64>,
    /// What keeps the database from storing anything, and what protects the way to it.
    pub database_fault: Option<DatabaseFault>,
    pub transport: TransportProtection,
    /// The versions of the servers that are up, and since when.
    pub servers: Vec<(String, Moment)>,
    pub receivers: ReceiverHealthCounts,
    /// Of the newest mails: those that wait, and those that did not go.
    pub mails_waiting: usize,
    pub mails_failed: usize,
}

/// How it goes with those who are told of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverHealthCounts {
    pub active: usize,
    pub paused: usize,
    pub failing: usize,
}

/// How it goes; for administrators.
#[boxed::future]
pub async fn read_server_health(app: &App, caller: &Session) -> Result<ServerHealth, Error> {
    caller.require_role(&[Role::Administrator])?;
    let tenant = caller.scope.tenant();
    let alive =
        storage::server::processes::list_live_processes(&app.db, app.now().minus(presence::GONE_AFTER))
            .await?;
    let mut health = ServerHealth {
        schema: storage::newest_schema(),
        bytes: app.db.size().await?,
        free: app.place.data.as_deref().and_then(measure_free_space),
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

/// Why this server is not ready for work.
#[derive(Clone, Debug)]
pub enum ReadinessProblem {
    /// The database does not answer.
    Silent(Error),
    /// It answers, but refuses its work.
    Faulty(DatabaseFault),
}

/// Whether requests can be served: the database answers, and the last writes show that one would succeed. Writes nothing.
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

/// What is free where a folder lies.
pub fn measure_free_space(folder: &std::path::Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}
