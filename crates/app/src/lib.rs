//! The use cases: one function for each business operation. This crate opens the transactions of single operations
//! (`exchange` those of bulk data) and decides what a caller may see and change; which roles reach a route stands in the
//! route tables above it. SQL is below it, HTTP and HTML are above it.
//!
//! # Adding a function
//! 1. Parse the input into value types of `domain`, collecting every [`domain::Rejection`].
//! 2. Open one transaction (`app.db.write`) with a free `async fn` that reads or rejects, writes, and returns the
//!    result.
//! 3. Test it on both engines, with eight concurrent callers.

pub mod audit;
pub mod sales;
pub mod upkeep;

pub mod access;

pub mod benefits;
pub mod cases;

mod actor_context;
pub mod command;
pub mod describe_benefit;
mod error;
mod work_slots;

pub mod attachments;

pub mod record_timeline;
mod responsible_user;

pub mod cache;
pub mod mail;

pub mod idempotency;
pub mod import_row;
pub mod listing_rows;

pub mod lost_key;
pub mod members;

pub mod panel;
pub mod quick_search;
pub mod register_snapshot;
pub mod registers;
pub mod search_page;

pub mod session;

pub mod situations;

pub mod tenant_of_request;
pub mod tenants;
pub mod triggers;

pub use crate::access::password_hash::{HashCost, HashingTurn, PasswordHasher};
pub use crate::access::request_limit::RequestLimit;
pub use crate::work_slots::{FairPlaces, HeldPlace};
pub use actor_context::ActorContext;
pub use error::{Error, HeavyWork, collect_problem};
pub use storage::{Error as StorageError, warn_unless_outage};
pub use vault::{KeyContext, Vault};

use crate::cache::VersionTracker;
use access::Throttle;
use domain::{Clock, Moment, RandomSource};
use std::sync::Arc;
use std::time::Duration;
use storage::Db;
use tokio::sync::Notify;

/// The dependencies of every use case.
#[derive(Clone)]
pub struct App {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub random_source: Arc<dyn RandomSource>,
    pub passwords: PasswordHasher,
    pub throttle: Throttle,
    /// The versions that cached values are checked against.
    pub versions: Arc<VersionTracker>,
    pub caches: Arc<RoomCaches>,
    /// The public base URL of this server, without a trailing slash, for links in mails. Never taken from a request:
    /// the caller controls its Host header.
    pub public_url: Arc<str>,
    pub reset_limiter: access::password_reset::ResetRequestLimiter,
    pub access_log: Arc<audit::access_log::AccessLogBuffer>,
    /// Failed logins not yet written to the audit.
    pub login_trail: Arc<access::LoginTrail>,
    /// Idle timeout of a console session (`access.console_idle`); `None` for no timeout.
    pub idle_limit: Option<Duration>,
    /// Sends messages that must go out immediately.
    pub message_sender: Arc<dyn triggers::MessageSender>,
    /// Decrypts secrets; only set in a process that opened the server key.
    pub vault: Option<Vault>,
    /// Facts about the deployment, for the operator.
    pub environment: Arc<upkeep::health::ServerEnvironment>,
    /// The store of attachment content.
    pub files: attachments::FileStore,
    /// Notified after every write: `delivery::triggers::dispatch_loop` looks for something to deliver.
    pub delivery_wakeup: Arc<Notify>,
    /// Notified whenever an import is ready: `exchange::import::run_due_imports` processes it.
    pub import_wakeup: Arc<Notify>,
    /// Notified whenever a charging run has work to do: `finance::charging::run_due_charging` processes it.
    pub charging_wakeup: Arc<Notify>,
    /// The largest import file (`http.import_mib`), which `exchange::import::UploadSpool` enforces.
    pub import_mib: u64,
    pub heavy_work: Arc<HeavyWorkPlaces>,
    pub request_limit: Arc<RequestLimit>,
}

/// What the rooms keep in this process between requests; the type of each cache belongs to its room.
pub struct RoomCaches {
    pub(crate) sessions: session::CachedSessions,
    pub(crate) logins: access::RememberedLogins,
    pub(crate) registers: register_snapshot::RegisterCache,
    pub(crate) hosts: tenant_of_request::HostDirectoryCache,
    pub(crate) search_totals: members::search::SearchTotalCache,
    pub(crate) lookup_quotas: members::validation::LookupQuotas,
    pub(crate) open_work: panel::OpenWorkCache,
}

impl RoomCaches {
    fn new(chance: &dyn RandomSource) -> RoomCaches {
        RoomCaches {
            sessions: session::CachedSessions::default(),
            logins: access::RememberedLogins::new(chance),
            registers: register_snapshot::RegisterCache::default(),
            hosts: tenant_of_request::HostDirectoryCache::default(),
            search_totals: members::search::SearchTotalCache::default(),
            lookup_quotas: members::validation::LookupQuotas::default(),
            open_work: panel::OpenWorkCache::default(),
        }
    }
}

/// The slots for heavy work, shared fairly between associations.
pub struct HeavyWorkPlaces {
    /// Reading workbooks: each is held in memory.
    pub workbook_readings: FairPlaces,
    pub workbook_exports: FairPlaces,
    /// Finished workbooks during download: each is a file on the server's disk until the download ends.
    pub leaving_workbooks: FairPlaces,
}

impl Default for HeavyWorkPlaces {
    fn default() -> HeavyWorkPlaces {
        HeavyWorkPlaces {
            workbook_readings: FairPlaces::new(2, 1),
            workbook_exports: FairPlaces::new(3, 2),
            leaving_workbooks: FairPlaces::new(32, 8),
        }
    }
}

impl App {
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        random_source: Arc<dyn RandomSource>,
        passwords: PasswordHasher,
    ) -> App {
        let caches = Arc::new(RoomCaches::new(&*random_source));
        App {
            db,
            clock,
            random_source,
            passwords,
            throttle: Throttle::default(),
            versions: Arc::default(),
            caches,
            public_url: "http://localhost".into(),
            reset_limiter: access::password_reset::ResetRequestLimiter::default(),
            access_log: Arc::default(),
            login_trail: Arc::default(),
            idle_limit: Some(access::IDLE_LIMIT),
            message_sender: Arc::new(triggers::DisabledSender),
            vault: None,
            environment: Arc::default(),
            files: attachments::FileStore::default(),
            delivery_wakeup: Arc::default(),
            import_wakeup: Arc::default(),
            charging_wakeup: Arc::default(),
            import_mib: 64,
            heavy_work: Arc::default(),
            request_limit: Arc::default(),
        }
    }

    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// What work on the server key needs.
    pub fn key_context(&self) -> KeyContext<'_> {
        KeyContext { db: &self.db, clock: &*self.clock, random: &self.random_source }
    }

    /// The vault; an error in a command that did not open the server key.
    pub fn vault(&self) -> Result<&Vault, Error> {
        let none = || storage::Error::Broken("the server's key was not opened".to_owned());
        Ok(self.vault.as_ref().ok_or_else(none)?)
    }
}
