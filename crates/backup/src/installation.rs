//! What is backed up: a database, its key and its attachments.

use crate::manifest::DatabaseEngine;
use object_store::ObjectStore;
use std::path::PathBuf;
use std::sync::Arc;
use storage::DatabaseAddress;

#[derive(Clone)]
pub struct ServerInstallation {
    pub address: DatabaseAddress,
    /// An additional certificate authority for the connection to a database server.
    pub ca_file: Option<PathBuf>,
    pub key_file: PathBuf,
    pub attachments: Arc<dyn ObjectStore>,
    /// The version of this program.
    pub program: &'static str,
}

impl ServerInstallation {
    pub(crate) fn engine(&self) -> DatabaseEngine {
        match self.address {
            DatabaseAddress::Sqlite(_) => DatabaseEngine::Sqlite,
            DatabaseAddress::Postgres(_) => DatabaseEngine::Postgres,
        }
    }
}
