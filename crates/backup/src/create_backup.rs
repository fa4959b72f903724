//! Creates a backup: the database of one moment, the key, then the attachments that the database names, then the manifest.

use crate::attachments::{CopiedAttachments, copy_attachments};
use crate::destination_store::{DestinationPlace, DestinationStore, find_manifest_text};
use crate::encryption::OperatorSecret;
use crate::error::BackupActionError;
use crate::installation::ServerInstallation;
use crate::kept_backups::RetentionCounts;
use crate::list_backups::list_backups;
use crate::manifest::{
    DatabaseEngine, FORMAT, MANIFEST_NAME, PartContent, SnapshotManifest, StoredPart, format_backup_name,
};
use crate::object_streams::{PartCompression, ProgressReport, ProgressStep};
use crate::postgres_tools;
use crate::prune_backups::{PruneOutcome, delete_backup, delete_unfinished_backups, prune_backups};
use crate::run_lock::RunLock;
use domain::{Clock, RandomSource};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use storage::backup::{build_activity_path, copy_snapshot};
use storage::{DatabaseAddress, DatabaseOptions, Db};
use vault::ServerKey;

pub struct CreatedBackup {
    pub manifest: SnapshotManifest,
    pub is_encrypted: bool,
    /// What was deleted, or why old backups could not be deleted: the new one is good all the same.
    pub pruned: Result<PruneOutcome, BackupActionError>,
}

/// Where a backup goes, and what is kept there.
pub struct DestinationPlan {
    pub place: DestinationPlace,
    pub secret: Option<OperatorSecret>,
    pub retention: RetentionCounts,
    pub random: Arc<dyn RandomSource>,
    pub clock: Arc<dyn Clock>,
}

/// Creates a backup, and deletes those that need not be kept any more.
#[boxed::future]
pub async fn create_backup(
    plan: DestinationPlan,
    installation: &ServerInstallation,
    db: &Db,
    progress: ProgressReport,
) -> Result<CreatedBackup, BackupActionError> {
    let lock = RunLock::take(&plan.place, &*plan.random, &plan.clock).await?;
    let created = create_locked(plan, &lock, installation, db, progress).await;
    lock.release().await;
    created
}

async fn create_locked(
    plan: DestinationPlan,
    lock: &RunLock,
    installation: &ServerInstallation,
    db: &Db,
    progress: ProgressReport,
) -> Result<CreatedBackup, BackupActionError> {
    let DestinationPlan { place, secret, retention, random, clock } = plan;
    let destination = DestinationStore::open_or_create(place, secret, random).await?;
    delete_unfinished_backups(&destination).await?;
    let name = choose_name(&destination, &clock).await?;
    let stored = store_content(&destination, &name, installation, db, progress).await;
    let finished = async {
        let manifest = stored?;
        lock.require_held(&clock).await?;
        store_manifest(&destination, manifest).await
    };
    let manifest = match finished.await {
        Ok(manifest) => manifest,
        Err(error) => {
            // A full disk gets its room back.
            if let Err(left) = delete_backup(&destination, &name).await {
                tracing::warn!(error = %left, name, "what an unfinished backup left could not be deleted");
            }
            return Err(error);
        }
    };
    let pruned = async {
        lock.require_held(&clock).await?;
        prune_backups(&destination, retention, &manifest).await
    };
    let pruned = pruned.await;
    if let Err(error) = &pruned {
        tracing::warn!(%error, "old backups could not be deleted");
    }
    Ok(CreatedBackup { manifest, is_encrypted: destination.is_encrypted(), pruned })
}

/// Stores everything but the manifest.
async fn store_content(
    destination: &DestinationStore,
    name: &str,
    installation: &ServerInstallation,
    db: &Db,
    progress: ProgressReport,
) -> Result<SnapshotManifest, BackupActionError> {
    let writer = PartWriter { destination, engine: installation.engine(), name };
    let mut keys = read_keys(&installation.key_file)?;
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
            let dump = writer.store_part(PartContent::Database, None, move |out| {
                let mut out = CountingWriter { out, bytes: 0, progress: told };
                postgres_tools::write_dump(&environment, &mut out)
            });
            parts.push(dump.await?.0);
            schema
        }
    };
    // While the key is rotated, the database may be of the moment before or after: it gets the keys of both.
    keys.extend(read_keys(&installation.key_file)?);
    if !keys.is_empty() {
        vault::ensure_keys_fit(db, &keys, &installation.key_file).await.map_err(BackupActionError::Key)?;
        parts.push(writer.store_keys(&keys).await?);
    }
    let CopiedAttachments { mut list, counts } =
        copy_attachments(destination, installation, db, &progress).await?;
    let list = writer.store_part(PartContent::AttachmentList, None, move |out| {
        io::copy(&mut list, out).map_err(|error| BackupActionError::Interrupted(error.to_string()))
    });
    parts.push(list.await?.0);
    Ok(SnapshotManifest {
        format: FORMAT,
        program: installation.program.to_owned(),
        name: name.to_owned(),
        engine: installation.engine(),
        schema,
        parts,
        attachments: counts,
        sealed_key: destination.sealed_key.clone(),
        authentication: None,
    })
}

/// The current second, or a later one: names follow each other as the backups do.
async fn choose_name(
    destination: &DestinationStore,
    clock: &Arc<dyn Clock>,
) -> Result<String, BackupActionError> {
    let now = clock.now();
    let listing = list_backups(destination).await?;
    let newest = listing.find_newest(now).map(|newest| newest.began_at.plus(Duration::from_secs(1)));
    let mut at = newest.map_or(now, |next| next.max(now));
    loop {
        let name = format_backup_name(at);
        if find_manifest_text(&destination.place, &name).await?.is_none() {
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

/// Writes the parts of one backup.
struct PartWriter<'d> {
    destination: &'d DestinationStore,
    engine: DatabaseEngine,
    name: &'d str,
}

impl PartWriter<'_> {
    /// Stores what `produce` writes; it returns how many bytes that were, or that and more. If it must not wait for the
    /// destination, what it writes waits in this folder.
    async fn store_part<T: ProducedContent + Send + 'static>(
        &self,
        content: PartContent,
        waiting: Option<PathBuf>,
        produce: impl FnOnce(&mut dyn Write) -> Result<T, BackupActionError> + Send + 'static,
    ) -> Result<(StoredPart, T), BackupActionError> {
        let name = self.destination.part_name(content.base_name(self.engine));
        let path = DestinationStore::backup_path(self.name, &name);
        let gzip = PartCompression::Gzip;
        let (digest, produced) = match waiting {
            None => self.destination.store_object(&path, gzip, produce).await?,
            Some(folder) => self.destination.store_object_by_file(&path, gzip, folder, produce).await?,
        };
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
        // A log grows while its database is read, so a bucket behind a slow line is not waited for.
        let is_slow = self.destination.place.folder.is_none();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let waiting = is_slow.then(|| folder.to_owned());
        let (path, progress) = (path.to_owned(), progress.clone());
        let stored = self.store_part(content, waiting, move |out| {
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

    async fn store_keys(&self, keys: &[ServerKey]) -> Result<StoredPart, BackupActionError> {
        let distinct = keys.iter().enumerate().filter(|(at, key)| !keys[..*at].contains(key));
        let text = ServerKey::render_file(&distinct.map(|(_, key)| key.clone()).collect::<Vec<_>>());
        let stored = self.store_part(PartContent::ServerKey, None, move |out| {
            out.write_all(text.as_bytes())
                .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
            Ok(text.len() as u64)
        });
        Ok(stored.await?.0)
    }
}

/// The keys of the server; one that never started has none.
fn read_keys(path: &Path) -> Result<Vec<ServerKey>, BackupActionError> {
    ServerKey::read_file(path).map_err(|error| BackupActionError::Key(error.into()))
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
