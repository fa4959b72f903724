//! One function for each thing the business does. Here alone units of work are opened, and it is decided who may do
//! what; SQL is below, HTTP and HTML are above.
//!
//! # Adding a function
//! 1. Parse what came in into value types of `domain`, collecting every [`domain::Rejection`].
//! 2. Open one unit (`app.db.write`) with a free `async fn` that looks up or refuses, changes, and answers.
//! 3. Test it on both engines, with eight callers at once.

pub mod demo;
mod error;
pub mod housekeeping;
mod passwords;
pub mod presence;
pub mod server_key;
pub mod tenants;
pub mod users;

pub use error::Error;
pub use passwords::Passwords;

use domain::{Chance, Clock, Moment};
use std::sync::Arc;
use storage::Db;

/// What every function of the business is given.
#[derive(Clone)]
pub struct App {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn Chance>,
    pub passwords: Passwords,
}

impl App {
    pub fn now(&self) -> Moment {
        self.clock.now()
    }
}
