//! Deletes the backups that need not be kept, what interrupted ones left, and the attachments that no backup needs. All
//! with the lock of the destination held.

use crate::attachments::{ContentKey, read_attachment_keys};
use crate::destination_store::{ATTACHMENTS_FOLDER, BACKUPS_FOLDER, DestinationStore, run_blocking};
use crate::error::BackupActionError;
use crate::kept_backups::RetentionCounts;
use crate::list_backups::list_backups;
use crate::manifest::{MANIFEST_NAME, SnapshotManifest};
use domain::Moment;
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path as ObjectPath;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneOutcome {
    /// The names of the deleted backups.
    pub backups: Vec<String>,
    pub attachments: u64,
}

/// Deletes what the retention does not keep; the backup just made is always kept.
pub(crate) async fn prune_backups(
    destination: &DestinationStore,
    retention: RetentionCounts,
    newest: &SnapshotManifest,
) -> Result<PruneOutcome, BackupActionError> {
    let listing = list_backups(destination).await?;
    let kept: BTreeSet<Moment> = retention.choose_kept(listing.finished.iter().map(|one| one.began_at));
    let is_kept = |began_at: Moment, name: &str| kept.contains(&began_at) || name == newest.name;
    let mut outcome = PruneOutcome::default();
    let mut needed = HashSet::new();
    // Nobody knows which attachments a backup needs whose manifest or list cannot be read.
    let mut is_every_need_known = listing.unusable.is_empty();
    for backup in &listing.finished {
        if is_kept(backup.began_at, &backup.manifest.name) {
            match read_attachment_keys(destination, &backup.manifest, &mut needed).await {
                Err(error @ BackupActionError::Damaged { .. }) => {
                    tracing::warn!(%error, name = backup.manifest.name, "a backup is damaged");
                    is_every_need_known = false;
                }
                read => read?,
            }
        } else {
            outcome.backups.push(backup.manifest.name.clone());
        }
    }
    for name in &outcome.backups {
        delete_backup(destination, name).await?;
    }
    if is_every_need_known {
        outcome.attachments = delete_needless_attachments(destination, &needed).await?;
    }
    Ok(outcome)
}

/// Deletes what interrupted backups left.
pub(crate) async fn delete_unfinished_backups(
    destination: &DestinationStore,
) -> Result<(), BackupActionError> {
    for name in list_backups(destination).await?.unfinished {
        delete_backup(destination, &name).await?;
    }
    if let Some(root) = destination.place.folder.clone() {
        run_blocking(move || {
            remove_partial_files(&root.join(ATTACHMENTS_FOLDER));
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// Deletes the manifest first: what is left of an interrupted deletion is no backup.
pub(crate) async fn delete_backup(
    destination: &DestinationStore,
    name: &str,
) -> Result<(), BackupActionError> {
    let manifest = ObjectPath::from(DestinationStore::backup_path(name, MANIFEST_NAME));
    delete_object(destination, &manifest).await?;
    if let Some(root) = &destination.place.folder {
        // With what the store does not list: files that were never finished.
        let folder = root.join(BACKUPS_FOLDER).join(name);
        return run_blocking(move || match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(BackupActionError::Destination(format!("{}: {error}", folder.display())))
            }
            _ => Ok(()),
        })
        .await;
    }
    let folder = ObjectPath::from(format!("{BACKUPS_FOLDER}/{name}"));
    let listed: Vec<_> = destination
        .store()
        .list(Some(&folder))
        .try_collect()
        .await
        .map_err(BackupActionError::from_destination)?;
    for object in listed {
        delete_object(destination, &object.location).await?;
    }
    Ok(())
}

/// The store gives a file that is being written a name that ends in `#` and a number, and does not list it.
fn remove_partial_files(folder: &Path) {
    let is_partial = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.rsplit_once('#').is_some_and(|(_, number)| number.parse::<u64>().is_ok())
    };
    for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|one| one.path()) {
        if path.is_dir() {
            remove_partial_files(&path);
        } else if is_partial(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

async fn delete_needless_attachments(
    destination: &DestinationStore,
    needed: &HashSet<ContentKey>,
) -> Result<u64, BackupActionError> {
    let folder = ObjectPath::from(ATTACHMENTS_FOLDER);
    let mut listed = destination.store().list(Some(&folder));
    let mut needless = Vec::new();
    while let Some(object) = listed.try_next().await.map_err(BackupActionError::from_destination)? {
        // What is no attachment of ours is not ours to delete.
        let key = destination.parse_attachment_path(object.location.as_ref());
        if key.is_some_and(|key| !needed.contains(&key)) {
            needless.push(object.location);
        }
    }
    for location in &needless {
        delete_object(destination, location).await?;
    }
    Ok(needless.len() as u64)
}

async fn delete_object(
    destination: &DestinationStore,
    location: &ObjectPath,
) -> Result<(), BackupActionError> {
    match destination.store().delete(location).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(BackupActionError::from_destination(error)),
    }
}
