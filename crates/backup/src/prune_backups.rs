//! Deletes the backups that need not be kept, what interrupted ones left, and the attachments that no backup needs.

use crate::BackupActionError;
use crate::attachments::read_attachment_list;
use crate::destination_store::{ATTACHMENTS_FOLDER, BACKUPS_FOLDER, DestinationStore};
use crate::kept_backups::RetentionCounts;
use crate::list_backups::{list_backup_folders, list_backups};
use crate::manifest::MANIFEST_NAME;
use domain::Moment;
use futures_util::TryStreamExt;
use object_store::ObjectStoreExt;
use object_store::path::Path as ObjectPath;
use std::collections::{BTreeSet, HashSet};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneOutcome {
    /// The names of the deleted backups.
    pub backups: Vec<String>,
    pub attachments: u64,
}

/// Called with the lock of the destination held.
#[boxed::future]
pub async fn prune_backups(
    destination: &DestinationStore,
    retention: RetentionCounts,
) -> Result<PruneOutcome, BackupActionError> {
    let finished = list_backups(destination).await?;
    let kept: BTreeSet<Moment> = retention.choose_kept(finished.iter().map(|backup| backup.began_at));
    let mut outcome = PruneOutcome::default();
    let folders = list_backup_folders(destination).await?;
    for (name, _) in folders.iter().filter(|(_, began_at)| !kept.contains(began_at)) {
        delete_backup(destination, name).await?;
        if finished.iter().any(|backup| backup.manifest.name == *name) {
            outcome.backups.push(name.clone());
        }
    }
    // Attachments become needless only with a deleted backup, or with one that was interrupted.
    if kept.len() < folders.len() {
        let mut needed = HashSet::new();
        for backup in finished.iter().filter(|backup| kept.contains(&backup.began_at)) {
            let lines = read_attachment_list(destination, &backup.manifest).await?;
            needed.extend(lines.into_iter().map(|line| destination.attachment_path(&line.path)));
        }
        outcome.attachments = delete_needless_attachments(destination, &needed).await?;
    }
    Ok(outcome)
}

/// Deletes the manifest first: what is left of an interrupted deletion is no backup.
async fn delete_backup(destination: &DestinationStore, name: &str) -> Result<(), BackupActionError> {
    let manifest = ObjectPath::from(DestinationStore::backup_path(name, MANIFEST_NAME));
    delete_object(destination, &manifest).await?;
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
    if let Some(root) = &destination.place.folder {
        let _ = std::fs::remove_dir(root.join(BACKUPS_FOLDER).join(name));
    }
    Ok(())
}

async fn delete_needless_attachments(
    destination: &DestinationStore,
    needed: &HashSet<String>,
) -> Result<u64, BackupActionError> {
    let folder = ObjectPath::from(ATTACHMENTS_FOLDER);
    let mut listed = destination.store().list(Some(&folder));
    let mut needless = Vec::new();
    while let Some(object) = listed.try_next().await.map_err(BackupActionError::from_destination)? {
        if !needed.contains(object.location.as_ref()) {
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
