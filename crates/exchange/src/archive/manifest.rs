//! The manifest of an archive: the names of its files, and which formats and versions can be read.

use super::error::ArchiveError;
use domain::TenantId;
use serde::{Deserialize, Serialize};
use storage::exchange::archive::list_archive_tables;

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
    /// Reads a manifest and refuses one that this program cannot restore.
    pub(super) fn parse(text: &[u8]) -> Result<ArchiveManifest, ArchiveError> {
        let manifest: ArchiveManifest =
            serde_json::from_slice(text).map_err(|error| ArchiveError::UnknownFormat(error.to_string()))?;
        manifest.check_versions()?;
        if manifest.base < 1 {
            return Err(ArchiveError::UnknownFormat(format!("base {}", manifest.base)));
        }
        manifest.check_files()?;
        Ok(manifest)
    }

    /// Older versions of the format and of the schema can be read, newer ones cannot.
    fn check_versions(&self) -> Result<(), ArchiveError> {
        if self.format != FORMAT {
            return Err(ArchiveError::UnknownFormat(self.format.clone()));
        }
        if self.version > VERSION {
            return Err(ArchiveError::NewerFormat { found: self.version, known: VERSION });
        }
        let known = storage::newest_schema();
        if self.schema > known {
            return Err(ArchiveError::NewerSchema { found: self.schema, known });
        }
        Ok(())
    }

    /// Every file must be known and unique, and the tenant's own table must be present.
    fn check_files(&self) -> Result<(), ArchiveError> {
        let mut file_names = Vec::new();
        for file in &self.files {
            let name = file.table.as_deref().unwrap_or(&file.path);
            let is_known = match &file.table {
                Some(name) => list_archive_tables().iter().any(|table| table.name == name),
                None => file.path == FILE_LIST,
            };
            if file_names.contains(&name) || !is_known {
                return Err(ArchiveError::UnknownFormat(name.to_owned()));
            }
            file_names.push(name);
        }
        if !file_names.contains(&"tenants") {
            return Err(ArchiveError::UnknownFormat("tenants".to_owned()));
        }
        Ok(())
    }

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
