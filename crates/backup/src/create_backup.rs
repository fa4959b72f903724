//! Creates a backup: the database of one moment, the key, then the attachments that the database names, then the manifest.

use crate::BackupActionError;
use crate::attachments::copy_attachments;
use crate::destination_store::{DestinationStore, find_bytes};
use crate::installation::ServerInstallation;
use crate::kept_backups::RetentionCounts;
use crate::manifest::{
    DatabaseEngine, FORMAT, MANIFEST_NAME, PartContent, SnapshotManifest, StoredPart, format_backup_name,
};
use crate::object_streams::{PartCompression, ProgressReport, ProgressStep};
use crate::postgres_tools;
use crate::prune_backups::{PruneOutcome, prune_backups};
use crate::run_lock::RunLock;
use domain::Clock;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use storage::backup::copy_snapshot;
use storage::{DatabaseAddress, DatabaseOptions, Db};

pub struct CreatedBackup {
    pub manifest: SnapshotManifest,
    pub pruned: PruneOutcome,
}

/// Creates a backup, and deletes those that need not be kept any more.
#[boxed::future]
pub async fn create_backup(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    db: &Db,
    clock: Arc<dyn Clock>,
    retention: RetentionCounts,
    progress: ProgressReport,
) -> Result<CreatedBackup, BackupActionError> {
    let lock = RunLock::take(destination, &clock).await?;
    let created = create_locked(destination, installation, db, &clock, retention, progress).await;
    lock.release().await;
    created
}

async fn create_locked(
    destination: &DestinationStore,
    installation: &ServerInstallation,
    db: &Db,
    clock: &Arc<dyn Clock>,
    retention: RetentionCounts,
    progress: ProgressReport,
) -> Result<CreatedBackup, BackupActionError> {
    let name = choose_name(destination, clock).await?;
    let writer = PartWriter { destination, engine: installation.engine(), name: &name };
    let mut parts = Vec::new();
    let schema = match &installation.address {
        DatabaseAddress::Sqlite(path) => {
            let (database, schema) =
                writer.store_file_snapshot(PartContent::Database, path, &progress).await?;
            parts.push(database);
            // After the database, so that it knows at least as much.
            let activity = build_activity_path(path);
            if activity.exists() {
                parts.push(writer.store_file_snapshot(PartContent::Activity, &activity, &progress).await?.0);
            }
            schema
        }
        DatabaseAddress::Postgres(config) => {
            let ca_file = installation.ca_file.as_deref();
            let environment = postgres_tools::prepare_environment(config, ca_file);
            let options =
                DatabaseOptions { ca_file: installation.ca_file.clone(), ..DatabaseOptions::default() };
            let schema = storage::read_schema_version(&installation.address, &options).await?;
            let told = progress.clone();
            let dump = writer.store_part(PartContent::Database, move |out| {
                let mut out = CountingWriter { out, bytes: 0, progress: told };
                postgres_tools::write_dump(&environment, &mut out)
            });
            parts.push(dump.await?.0);
            schema
        }
    };
    if let Some(part) = writer.store_key(&installation.key_file).await? {
        parts.push(part);
    }
    let attachments = copy_attachments(destination, installation, db, &progress).await?;
    let lines = attachments.lines;
    let list = writer.store_part(PartContent::AttachmentList, move |out| {
        let mut bytes = 0;
        for line in lines {
            let mut text = serde_json::to_vec(&line)
                .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
            text.push(b'\n');
            bytes += text.len() as u64;
            out.write_all(&text).map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
        }
        Ok(bytes)
    });
    parts.push(list.await?.0);
    let manifest = SnapshotManifest {
        format: FORMAT,
        program: installation.program.to_owned(),
        name: name.clone(),
        engine: installation.engine(),
        schema,
        parts,
        attachments: attachments.counts,
        authentication: None,
    };
    let manifest = store_manifest(destination, manifest).await?;
    let pruned = prune_backups(destination, retention).await?;
    Ok(CreatedBackup { manifest, pruned })
}

/// The current second, or the next that no backup bears.
async fn choose_name(
    destination: &DestinationStore,
    clock: &Arc<dyn Clock>,
) -> Result<String, BackupActionError> {
    let mut at = clock.now();
    loop {
        let name = format_backup_name(at);
        let manifest = DestinationStore::backup_path(&name, MANIFEST_NAME);
        if find_bytes(&destination.place, &manifest).await?.is_none() {
            return Ok(name);
        }
        at = at.plus(Duration::from_secs(1));
    }
}

async fn store_manifest(
    destination: &DestinationStore,
    mut manifest: SnapshotManifest,
) -> Result<SnapshotManifest, BackupActionError> {
    if let Some(cipher) = &destination.cipher {
        manifest.authentication = Some(cipher.authenticate(&manifest.authenticated_text()?));
    }
    let text = serde_json::to_vec_pretty(&manifest)
        .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
    let path = DestinationStore::backup_path(&manifest.name, MANIFEST_NAME);
    destination.put_bytes(&path, text.into()).await?;
    Ok(manifest)
}

/// The file of activity beside a database file.
pub fn build_activity_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".activity");
    name.into()
}

/// Writes the parts of one backup.
struct PartWriter<'d> {
    destination: &'d DestinationStore,
    engine: DatabaseEngine,
    name: &'d str,
}

impl PartWriter<'_> {
    /// Stores what `produce` writes; it returns how many bytes that were, or that and more.
    async fn store_part<T: ProducedContent + Send + 'static>(
        &self,
        content: PartContent,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredPart, T), BackupActionError> {
        let name = self.destination.part_name(content.base_name(self.engine));
        let path = DestinationStore::backup_path(self.name, &name);
        let (digest, produced) = self.destination.store_object(&path, PartCompression::Gzip, produce).await?;
        let part = StoredPart {
            content,
            name,
            stored_bytes: digest.bytes,
            sha256: digest.sha256,
            original_bytes: produced.byte_count(),
        };
        Ok((part, produced))
    }

    /// Stores a database file as of one moment; also returns its schema version.
    async fn store_file_snapshot(
        &self,
        content: PartContent,
        path: &Path,
        progress: &ProgressReport,
    ) -> Result<(StoredPart, i64), BackupActionError> {
        let (path, progress) = (path.to_owned(), progress.clone());
        let stored = self.store_part(content, move |out| {
            let mut bytes = 0;
            let schema = copy_snapshot(&path, &mut |page| {
                bytes += page.len() as u64;
                progress.tell(ProgressStep::Database, bytes);
                out.write_all(page)
            });
            let schema = schema.map_err(|error| BackupActionError::File {
                path: path.display().to_string(),
                cause: error.to_string(),
            })?;
            Ok((bytes, schema))
        });
        let (part, (_, schema)) = stored.await?;
        Ok((part, schema))
    }

    /// Stores the server's key; a server that never started has none.
    async fn store_key(&self, key_file: &Path) -> Result<Option<StoredPart>, BackupActionError> {
        let key = match std::fs::read(key_file) {
            Ok(key) => key,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let path = key_file.display().to_string();
                return Err(BackupActionError::File { path, cause: error.to_string() });
            }
        };
        let stored = self.store_part(PartContent::ServerKey, move |out| {
            out.write_all(&key).map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
            Ok(key.len() as u64)
        });
        Ok(Some(stored.await?.0))
    }
}

/// What a producer returns: at least how much it wrote.
trait ProducedContent {
    fn byte_count(&self) -> u64;
}

impl ProducedContent for u64 {
    fn byte_count(&self) -> u64 {
        *self
    }
}

impl ProducedContent for (u64, i64) {
    fn byte_count(&self) -> u64 {
        self.0
    }
}

struct CountingWriter<'w> {
    out: &'w mut dyn Write,
    bytes: u64,
    progress: ProgressReport,
}

impl Write for CountingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        self.progress.tell(ProgressStep::Database, self.bytes);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
