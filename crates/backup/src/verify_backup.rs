//! Verifies a backup as a restore would read it: every part and every attachment, to the last byte.

use crate::attachments::{check_attachment, read_attachment_list};
use crate::destination_store::{DestinationStore, run_blocking};
use crate::error::{BackupActionError, DamageCause};
use crate::manifest::{DatabaseEngine, PartContent, SnapshotManifest, StoredPart};
use crate::object_streams::{PartCompression, ProgressReport, ProgressStep, describe_read_failure};
use crate::postgres_tools;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use storage::backup::check_copy;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyOutcome {
    pub parts: usize,
    pub attachments: u64,
    /// The paths of what is missing or damaged.
    pub damaged: Vec<String>,
}

/// Reads everything that a restore would need. What is damaged does not keep the rest from being verified.
#[boxed::future]
pub async fn verify_backup(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    progress: ProgressReport,
) -> Result<VerifyOutcome, BackupActionError> {
    let mut outcome = VerifyOutcome::default();
    for content in [PartContent::Database, PartContent::AttachmentList] {
        outcome.note(manifest.require_part(content).map(drop))?;
    }
    for part in &manifest.parts {
        let verified = verify_part(destination, manifest, part, &progress).await;
        outcome.parts += usize::from(outcome.note(verified)?);
    }
    // A damaged list is among the parts.
    let lines = match read_attachment_list(destination, manifest).await {
        Err(BackupActionError::Damaged { .. }) if !outcome.damaged.is_empty() => Vec::new(),
        lines => lines?,
    };
    let mut bytes = 0;
    for line in lines {
        let checked = check_attachment(destination, &line).await;
        outcome.attachments += u64::from(outcome.note(checked)?);
        bytes += line.bytes;
        progress.tell(ProgressStep::Attachments, bytes);
    }
    Ok(outcome)
}

impl VerifyOutcome {
    /// Whether it is good; damage is noted, any other failure ends the verification.
    fn note(&mut self, checked: Result<(), BackupActionError>) -> Result<bool, BackupActionError> {
        match checked {
            Ok(()) => Ok(true),
            Err(BackupActionError::Damaged { path, .. }) => {
                if !self.damaged.contains(&path) {
                    self.damaged.push(path);
                }
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

pub(crate) async fn verify_part(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    part: &StoredPart,
    progress: &ProgressReport,
) -> Result<(), BackupActionError> {
    match (part.content, manifest.engine) {
        (PartContent::Database | PartContent::Activity, DatabaseEngine::Sqlite) => {
            let folder = tempfile::tempdir().map_err(|error| describe_temporary(&error))?;
            let file = folder.path().join("copy.db");
            extract_part(destination, manifest, part, &file, progress).await?;
            check_extracted_file(manifest, part, file).await.map(drop)
        }
        (PartContent::Database, DatabaseEngine::Postgres) => {
            let path = DestinationStore::backup_path(&manifest.name, &part.name);
            load_part(destination, manifest, part, move |from| {
                postgres_tools::check_dump(from).map_err(|error| match error {
                    BackupActionError::ToolFailed { cause, .. } => {
                        BackupActionError::damaged(&path, DamageCause::Unusable(cause))
                    }
                    other => other,
                })
            })
            .await
        }
        _ => {
            let path = DestinationStore::backup_path(&manifest.name, &part.name);
            load_part(destination, manifest, part, move |from| {
                io::copy(from, &mut io::sink())
                    .map(drop)
                    .map_err(|error| describe_read_failure(&path, &error))
            })
            .await
        }
    }
}

fn describe_temporary(error: &io::Error) -> BackupActionError {
    BackupActionError::File { path: std::env::temp_dir().display().to_string(), cause: error.to_string() }
}

/// Checks a database file that was extracted from a part; returns its schema version.
pub(crate) async fn check_extracted_file(
    manifest: &SnapshotManifest,
    part: &StoredPart,
    file: PathBuf,
) -> Result<i64, BackupActionError> {
    let path = DestinationStore::backup_path(&manifest.name, &part.name);
    run_blocking(move || {
        check_copy(&file)
            .map_err(|error| BackupActionError::damaged(&path, DamageCause::Unusable(error.to_string())))
    })
    .await
}

/// Writes the content of a part to a new file that only its owner can read.
pub(crate) async fn extract_part(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    part: &StoredPart,
    target: &Path,
    progress: &ProgressReport,
) -> Result<(), BackupActionError> {
    let path = DestinationStore::backup_path(&manifest.name, &part.name);
    let (target, progress) = (target.to_owned(), progress.clone());
    load_part(destination, manifest, part, move |from| {
        let failed = |error: io::Error| BackupActionError::File {
            path: target.display().to_string(),
            cause: error.to_string(),
        };
        let mut file = create_private_file(&target).map_err(failed)?;
        let (mut piece, mut bytes) = (vec![0; 1 << 20], 0);
        loop {
            let count = from.read(&mut piece).map_err(|error| describe_read_failure(&path, &error))?;
            if count == 0 {
                break;
            }
            file.write_all(&piece[..count]).map_err(failed)?;
            bytes += count as u64;
            progress.tell(ProgressStep::Database, bytes);
        }
        file.sync_all().map_err(failed)
    })
    .await
}

fn create_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Gives `consume` the content of a part; an error if it is not what the manifest says.
pub(crate) async fn load_part<T: Send + 'static>(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    part: &StoredPart,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, BackupActionError> + Send + 'static,
) -> Result<T, BackupActionError> {
    let path = DestinationStore::backup_path(&manifest.name, &part.name);
    let (digest, value) = destination.load_object(&path, PartCompression::Gzip, consume).await?;
    if digest.sha256 != part.sha256 || digest.bytes != part.stored_bytes {
        return Err(BackupActionError::damaged(&path, DamageCause::Altered));
    }
    Ok(value)
}
