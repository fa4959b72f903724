//! What is backed up: a database, its key and its attachments.

use crate::BackupActionError;
use crate::manifest::DatabaseEngine;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use std::path::{Path, PathBuf};
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

/// Opens the folder of attachments; creates it for its owner only, if it is missing.
pub fn open_attachment_folder(folder: &Path) -> Result<Arc<dyn ObjectStore>, BackupActionError> {
    use std::os::unix::fs::DirBuilderExt;
    let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|error| BackupActionError::Attachments(format!("{}: {error}", folder.display())))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(BackupActionError::from_attachments)?;
    Ok(Arc::new(store.with_fsync(true)))
}
