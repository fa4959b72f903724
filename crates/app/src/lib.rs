//! One function for each thing the business does. Here alone units of work are opened, and it is decided who may do
//! what; SQL is below, HTTP and HTML are above.
//!
//! # Adding a function
//! 1. Parse what came in into value types of `domain`, collecting every [`domain::Rejection`].
//! 2. Open one unit (`app.db.write`) with a free `async fn` that looks up or refuses, changes, and answers.
//! 3. Test it on both engines, with eight callers at once.

pub mod access;
pub mod audit;
pub mod base;
pub mod benefits;
pub mod cases;
pub mod checkup;
pub mod claims;
pub mod credit_cards;
pub mod deals;
pub mod demo;
pub mod dependents;
mod differences;
pub mod equipment;
mod error;
mod fair_places;
pub mod feed;
pub mod files;
pub mod find;
pub mod happened;
pub mod health;
pub mod housekeeping;
pub mod importing;
pub mod leads;
pub mod life;
pub mod mail;
pub mod memory;
pub mod mirroring;
pub mod once;
pub mod panel;
mod passwords;
pub mod people;
pub mod presence;
pub mod receivers;
pub mod registering;
mod request_limit;
pub mod resets;
pub mod saved;
pub mod searches;
pub mod second_factor;
pub mod sellers;
pub mod server_key;
pub mod setup;
pub mod sheets;
mod situations;
pub mod suppliers;
pub mod tenants;
pub mod triggers;
pub mod users;
pub mod validations;
mod vault;
mod vehicles;
pub mod visits;
pub mod whole;

pub use error::{Error, HeavyWork, collect_problem};
pub use fair_places::{FairPlaces, HeldPlace};
pub use passwords::{HashCost, HashingTurn, PasswordHasher};
pub use request_limit::RequestLimit;
pub use storage::Error as StorageError;
pub use vault::Vault;

use access::Throttle;
use domain::{Clock, Moment, RandomSource};
use memory::ProcessCache;
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
    pub resets: resets::ResetRequestLimiter,
    pub looks: Arc<audit::AccessLogBuffer>,
    /// Failed logins that wait to be written down.
    pub trail: Arc<access::LoginTrail>,
    /// How long a session of the console lasts while nobody uses it; `None` as long as any.
    pub idle_limit: Option<Duration>,
    /// Who sends what must be sent at once.
    pub post: Arc<dyn triggers::MessageSender>,
    /// What opens secrets, where a server runs.
    pub vault: Option<Vault>,
    /// Where this server stands, for those who look after it.
    pub place: Arc<health::ServerEnvironment>,
    /// Where the bytes of files are.
    pub files: files::FileStore,
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
            resets: resets::ResetRequestLimiter::default(),
            looks: Arc::default(),
            trail: Arc::default(),
            idle_limit: Some(access::IDLE_LIMIT),
            post: Arc::new(triggers::DisabledSender),
            vault: None,
            place: Arc::default(),
            files: files::FileStore::default(),
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
