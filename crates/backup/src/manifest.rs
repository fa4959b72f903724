//! The manifest of a backup, and the names of its parts.

use crate::encryption::SealedDataKey;
use crate::error::{BackupActionError, DamageCause};
use domain::Moment;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// The version of the layout that is written.
pub const FORMAT: u32 = 1;

/// The file that says how a destination is laid out and encrypted.
pub const HEAD_NAME: &str = "amparo-backup.json";
pub const MANIFEST_NAME: &str = "manifesto.json";
pub const ATTACHMENT_LIST_NAME: &str = "anexos.jsonl";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseEngine {
    Sqlite,
    Postgres,
}

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartContent {
    /// The database file, or the dump of a database server.
    #[serde(rename = "banco")]
    Database,
    /// The file of activity beside a database file.
    #[serde(rename = "atividade")]
    Activity,
    #[serde(rename = "chave")]
    ServerKey,
    #[serde(rename = "anexos")]
    AttachmentList,
}

impl PartContent {
    /// The name under which the part is stored, without the endings for compression and encryption.
    pub fn base_name(self, engine: DatabaseEngine) -> &'static str {
        match (self, engine) {
            (PartContent::Database, DatabaseEngine::Sqlite) => "amparo.db",
            (PartContent::Database, DatabaseEngine::Postgres) => "amparo.pgdump",
            (PartContent::Activity, _) => "amparo.db.activity",
            (PartContent::ServerKey, _) => "amparo.key",
            (PartContent::AttachmentList, _) => ATTACHMENT_LIST_NAME,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPart {
    #[serde(rename = "conteudo")]
    pub content: PartContent,
    /// The name in the folder of the backup.
    #[serde(rename = "nome")]
    pub name: String,
    /// As stored: compressed, encrypted.
    #[serde(rename = "bytes")]
    pub stored_bytes: u64,
    /// Of the bytes as stored, in hexadecimal.
    pub sha256: String,
    /// Before compression and encryption.
    #[serde(rename = "bytesOriginais")]
    pub original_bytes: u64,
}

/// How many attachments a backup refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachmentCounts {
    /// Including previews.
    #[serde(rename = "arquivos")]
    pub files: u64,
    pub bytes: u64,
    /// Those that no earlier backup had copied.
    #[serde(rename = "copiados")]
    pub copied: u64,
    /// Keys of attachments that the store did not have, or that are not what was attached.
    #[serde(rename = "faltando")]
    pub missing: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotManifest {
    #[serde(rename = "formato")]
    pub format: u32,
    /// The version of the program that wrote it.
    #[serde(rename = "programa")]
    pub program: String,
    #[serde(rename = "nome")]
    pub name: String,
    #[serde(rename = "motor")]
    pub engine: DatabaseEngine,
    /// The schema version of the database.
    #[serde(rename = "esquema")]
    pub schema: i64,
    #[serde(rename = "partes")]
    pub parts: Vec<StoredPart>,
    #[serde(rename = "anexos")]
    pub attachments: AttachmentCounts,
    /// The encrypted data key of the destination: a copy, in case its head is lost.
    #[serde(rename = "cifra", default)]
    pub sealed_key: Option<SealedDataKey>,
    /// Authenticates the other fields, where the destination is encrypted.
    #[serde(rename = "autenticacao", default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<String>,
}

impl SnapshotManifest {
    pub fn find_part(&self, content: PartContent) -> Option<&StoredPart> {
        self.parts.iter().find(|part| part.content == content)
    }

    /// Database, activity, key and list, as stored; attachments are shared with other backups and do not count.
    pub fn stored_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.stored_bytes).sum()
    }

    /// The database and what belongs to it, before compression and encryption.
    pub fn original_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.original_bytes).sum()
    }

    pub(crate) fn require_part(&self, content: PartContent) -> Result<&StoredPart, BackupActionError> {
        self.find_part(content).ok_or_else(|| BackupActionError::damaged(&self.name, DamageCause::Missing))
    }

    /// The text that the authentication covers.
    pub(crate) fn authenticated_text(&self) -> Result<Vec<u8>, BackupActionError> {
        let bare = SnapshotManifest { authentication: None, ..self.clone() };
        serde_json::to_vec(&bare).map_err(|error| BackupActionError::Interrupted(error.to_string()))
    }
}

/// A line of the attachment list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachmentLine {
    /// The path in the store of attachments.
    #[serde(rename = "caminho")]
    pub path: String,
    pub bytes: u64,
    /// In hexadecimal; previews have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

const NAME_FORMAT: &str = "%Y%m%dT%H%M%SZ";

/// The name of a backup is the moment when it began: `20261118T031500Z`.
pub fn format_backup_name(at: Moment) -> String {
    let at = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime(NAME_FORMAT).to_string()
}

/// The moment in the name of a backup; `None` for any other text.
pub fn parse_backup_name(name: &str) -> Option<Moment> {
    let at = DateTime::strptime(NAME_FORMAT, name).ok()?.to_zoned(TimeZone::UTC).ok()?;
    let moment = Moment::from_millis(at.timestamp().as_millisecond());
    (format_backup_name(moment) == name).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_moment_and_nothing_else_is_a_name() {
        let moment = Moment::from_millis(1_794_663_125_000);
        assert_eq!(format_backup_name(moment), "20261114T133205Z");
        assert_eq!(parse_backup_name("20261114T133205Z"), Some(moment));
        for other in ["", "..", "20261314T133205Z", "20261114T133205Z/..", "2026-11-14", "20261114T133205"] {
            assert_eq!(parse_backup_name(other), None, "{other}");
        }
    }
}
