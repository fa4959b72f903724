//! Tenant archives: exports a tenant to one file while the server runs, and restores it on another server with either
//! database engine. The format is documented in docs/formato.md; the tables are listed in `storage::exchange::archive`.
//!
//! The file is a ZIP archive: `manifesto.json`; under `dados/` one JSON Lines file per table; under `arquivos/` the
//! attachments by their storage keys; and `arquivos.jsonl` with a line per attachment, because there may be too many
//! for the manifest.

mod discard;
mod export;
mod reader;
mod restore;
mod row_format;
mod validate;

pub use discard::{RestoreDiscardOutcome, discard_unfinished_restore};
pub use export::{TenantExportOutcome, export_archive};
pub use restore::{RestoreOptions, RestoreOutcome, RestoreStep, restore_archive};

use app::Error;
use domain::TenantId;
use serde::{Deserialize, Serialize};

/// The format name in the manifest.
pub const FORMAT: &str = "amparo-associacao";
/// The version that is written; older ones can be read.
pub const VERSION: u32 = 1;
pub const MANIFEST: &str = "manifesto.json";
/// The folder of the tables.
pub const DATA: &str = "dados/";
/// The folder of the attachments.
pub const FILES: &str = "arquivos/";
/// The list of the attachments.
pub const FILE_LIST: &str = "arquivos.jsonl";
/// In bytes.
const LONGEST_MANIFEST: u64 = 16 << 20;
/// A text for people who open the archive.
pub const READ_ME: &str = "LEIA-ME.txt";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveManifest {
    pub format: String,
    pub version: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// The schema version of the source database.
    pub schema: i64,
    /// The tenant's number, which is preserved.
    pub base: i32,
    pub name: String,
    /// When the snapshot was taken, in UTC.
    pub moment: String,
    pub files: Vec<ManifestFile>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    pub path: String,
    /// The table; `None` for the attachment list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    pub rows: u64,
    pub bytes: u64,
    /// Of its content, in hexadecimal.
    pub sha256: String,
}

/// A line of the attachment list: an attachment or its thumbnail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedAttachment {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

impl ArchiveManifest {
    pub fn tenant(&self) -> TenantId {
        TenantId::new(self.base)
    }

    pub fn tables(&self) -> impl Iterator<Item = &ManifestFile> {
        self.files.iter().filter(|file| file.table.is_some())
    }

    /// Number of attachments, including thumbnails.
    pub fn attachment_count(&self) -> u64 {
        self.file_list().map_or(0, |list| list.rows)
    }

    fn file_list(&self) -> Option<&ManifestFile> {
        self.files.iter().find(|file| file.path == FILE_LIST)
    }

    pub fn row_count(&self) -> u64 {
        self.tables().map(|file| file.rows).sum()
    }
}

/// Why an export or restore failed. The binary translates each to Portuguese.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("cannot read or write {path}: {cause}")]
    File { path: String, cause: String },
    #[error("{0} is there already")]
    FileExists(String),
    #[error("not an archive of this format: {0}")]
    UnknownFormat(String),
    #[error("format {found} is newer than {known}")]
    NewerFormat { found: u32, known: u32 },
    #[error("schema {found} is newer than {known}")]
    NewerSchema { found: i64, known: i64 },
    /// The content does not match its digest or format.
    #[error("{path} is damaged: {cause}")]
    Damaged { path: String, cause: String },
    #[error("{path}, line {line}: {cause}")]
    BadRow { path: String, line: u64, cause: String },
    #[error("{0} is there already")]
    TenantExists(TenantId),
    #[error("logins of others: {0:?}")]
    LoginsTaken(Vec<String>),
    #[error("hosts of others: {0:?}")]
    HostsTaken(Vec<String>),
    #[error("half of {0} was brought from another file")]
    OtherRestoreUnfinished(TenantId),
    #[error("nothing was brought by half")]
    NoUnfinishedRestore,
    #[error("somebody else brings it")]
    ConcurrentRestore,
    /// A background task ended unexpectedly.
    #[error("the work was cut short: {0}")]
    Interrupted(String),
    #[error(transparent)]
    App(#[from] Error),
}

impl From<storage::Error> for ArchiveError {
    fn from(error: storage::Error) -> ArchiveError {
        ArchiveError::App(error.into())
    }
}

/// Runs file operations outside the async threads.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, ArchiveError> {
    let interrupted = |error: tokio::task::JoinError| Err(ArchiveError::Interrupted(error.to_string()));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(interrupted)
}

fn wrap_file_error(path: &std::path::Path, cause: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::File { path: path.display().to_string(), cause: cause.to_string() }
}

#[cfg(test)]
mod tests {
    use storage::exchange::archive::list_archive_tables;

    /// The documentation must explain every file and field.
    #[test]
    fn the_documentation_names_every_file_and_field() {
        let text = include_str!("../../../../docs/formato.md");
        for table in list_archive_tables() {
            let head = format!("**`dados/{}.jsonl`**", table.name);
            let section = text.split_once(&head).unwrap_or_else(|| panic!("{head} is not explained")).1;
            let section = section.split("\n\n").next().unwrap();
            for column in &table.columns {
                assert!(section.contains(&format!("`{}`", column.name)), "{}.{}", table.name, column.name);
            }
        }
        for other in [super::MANIFEST, super::READ_ME, super::FILES, super::FILE_LIST, super::FORMAT] {
            assert!(text.contains(other), "{other}");
        }
    }
}
