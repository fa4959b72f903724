//! The manifest of an archive, and the names of its files.

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
pub(super) const LONGEST_MANIFEST: u64 = 16 << 20;

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
    pub files: Vec<ManifestFileEntry>,
}

/// A file of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFileEntry {
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

    pub fn tables(&self) -> impl Iterator<Item = &ManifestFileEntry> {
        self.files.iter().filter(|file| file.table.is_some())
    }

    /// Number of attachments, including thumbnails.
    pub fn attachment_count(&self) -> u64 {
        self.file_list().map_or(0, |list| list.rows)
    }

    pub(super) fn file_list(&self) -> Option<&ManifestFileEntry> {
        self.files.iter().find(|file| file.path == FILE_LIST)
    }

    pub fn row_count(&self) -> u64 {
        self.tables().map(|file| file.rows).sum()
    }
}
