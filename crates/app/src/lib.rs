//! One function for each thing the business does. Here alone units of work are opened, and it is decided who may do
//! what; SQL is below, HTTP and HTML are above.
//!
//! # Adding a function
//! 1. Parse what came in into value types of `domain`, collecting every [`domain::Rejection`].
//! 2. Open one unit (`app.db.write`) with a free `async fn` that looks up or refuses, changes, and answers.
//! 3. Test it on both engines, with eight callers at once.

pub mod audit;
pub mod sales;
pub mod upkeep;

pub mod access;

pub mod benefits;
pub mod cases;

pub mod field_differences;

mod error;
mod work_slots;

pub mod attachments;

pub mod record_timeline;

pub mod cache;
pub mod mail;

pub mod idempotency;
pub mod import_row;

pub mod members;

pub mod registers;

pub mod server_key;

pub mod situations;

pub mod tenants;
pub mod triggers;

pub mod vault;

pub use crate::access::password_hash::{HashCost, HashingTurn, PasswordHasher};
pub use crate::access::request_limit::RequestLimit;
pub use crate::work_slots::{FairPlaces, HeldPlace};
pub use error::{Error, HeavyWork, collect_problem};
pub use storage::Error as StorageError;
pub use vault::Vault;

use crate::cache::ProcessCache;
use access::Throttle;
use domain::{Clock, Moment, RandomSource};
use std::sync::Arc;
use std::time::Duration;
use storage::Db;
use tokio::sync::Notify;

/// What every function of the business is given.
#[derive(Clone)]
pub struct App {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn RandomSource>,
    pub passwords: PasswordHasher,
    pub throttle: Throttle,
    pub memory: Arc<ProcessCache>,
    /// The address under which people find this server, without a slash at its end, for the links in mails. Never taken
    /// from a request: its Host header is whatever the caller wrote.
    pub public_url: Arc<str>,
    pub resets: access::password_reset::ResetRequestLimiter,
    pub looks: Arc<audit::access_log::AccessLogBuffer>,
    /// Failed logins that wait to be written down.
    pub trail: Arc<access::LoginTrail>,
    /// How long a session of the console lasts while nobody uses it; `None` as long as any.
    pub idle_limit: Option<Duration>,
    /// Who sends what must be sent at once.
    pub post: Arc<dyn triggers::MessageSender>,
    /// What opens secrets, where a server runs.
    pub vault: Option<Vault>,
    /// Where this server stands, for those who look after it.
    pub place: Arc<upkeep::health::ServerEnvironment>,
    /// Where the bytes of files are.
    pub files: attachments::FileStore,
    /// Told whenever something was written: there may be something to deliver.
    pub changed: Arc<Notify>,
    /// Told whenever an import is to be worked on.
    pub importing: Arc<Notify>,
    /// The largest file that pages take to be imported.
    pub import_mib: u64,
    pub heavy_work: Arc<HeavyWorkPlaces>,
    pub request_limit: Arc<RequestLimit>,
}

/// What the server does little of at a time, and shares between associations.
pub struct HeavyWorkPlaces {
    /// Workbooks that are read: each is held in memory.
    pub workbook_readings: FairPlaces,
    /// Workbooks that are made.
    pub workbook_exports: FairPlaces,
    /// Workbooks that were made and leave: each is a file on the server's disk as long as its reader takes.
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
        chance: Arc<dyn RandomSource>,
        passwords: PasswordHasher,
    ) -> App {
        let memory = Arc::new(ProcessCache::new(&*chance));
        App {
            db,
            clock,
            chance,
            passwords,
            throttle: Throttle::default(),
            memory,
            public_url: "http://localhost".into(),
            resets: access::password_reset::ResetRequestLimiter::default(),
            looks: Arc::default(),
            trail: Arc::default(),
            idle_limit: Some(access::IDLE_LIMIT),
            post: Arc::new(triggers::DisabledSender),
            vault: None,
            place: Arc::default(),
            files: attachments::FileStore::default(),
            changed: Arc::default(),
            importing: Arc::default(),
            import_mib: 64,
            heavy_work: Arc::default(),
            request_limit: Arc::default(),
        }
    }

    pub fn now(&self) -> Moment {
        self.clock.now()
    }

    /// What opens secrets. A command that was not given it cannot.
    pub fn vault(&self) -> Result<&Vault, Error> {
        let none = || storage::Error::Broken("the server's key was not opened".to_owned());
        Ok(self.vault.as_ref().ok_or_else(none)?)
    }
}
