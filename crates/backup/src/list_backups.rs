//! Lists the backups of a destination.

use crate::BackupActionError;
use crate::destination_store::{BACKUPS_FOLDER, DestinationStore, find_bytes};
use crate::manifest::{FORMAT, MANIFEST_NAME, SnapshotManifest, parse_backup_name};
use domain::Moment;
use object_store::ObjectStore;
use object_store::path::Path as ObjectPath;

/// A backup that was finished.
#[derive(Clone, Debug)]
pub struct ListedBackup {
    pub began_at: Moment,
    pub manifest: SnapshotManifest,
}

/// The finished backups, oldest first.
#[boxed::future]
pub async fn list_backups(destination: &DestinationStore) -> Result<Vec<ListedBackup>, BackupActionError> {
    let mut found = Vec::new();
    for (name, began_at) in list_backup_folders(destination).await? {
        if let Some(manifest) = read_manifest(destination, &name).await? {
            found.push(ListedBackup { began_at, manifest });
        }
    }
    Ok(found)
}

/// The backup of this name, or the newest.
#[boxed::future]
pub async fn find_backup(
    destination: &DestinationStore,
    name: Option<&str>,
) -> Result<SnapshotManifest, BackupActionError> {
    match name {
        Some(name) => {
            let is_name = parse_backup_name(name).is_some();
            let found = if is_name { read_manifest(destination, name).await? } else { None };
            found.ok_or_else(|| BackupActionError::UnknownName(name.to_owned()))
        }
        None => {
            for (name, _) in list_backup_folders(destination).await?.iter().rev() {
                if let Some(manifest) = read_manifest(destination, name).await? {
                    return Ok(manifest);
                }
            }
            Err(BackupActionError::NoBackup)
        }
    }
}

/// The folders of backups, oldest first, with those that were not finished.
pub(crate) async fn list_backup_folders(
    destination: &DestinationStore,
) -> Result<Vec<(String, Moment)>, BackupActionError> {
    let folder = ObjectPath::from(BACKUPS_FOLDER);
    let listed = destination
        .store()
        .list_with_delimiter(Some(&folder))
        .await
        .map_err(BackupActionError::from_destination)?;
    let names = listed.common_prefixes.iter().filter_map(|path| path.filename().map(str::to_owned));
    let mut found: Vec<(String, Moment)> =
        names.filter_map(|name| parse_backup_name(&name).map(|at| (name, at))).collect();
    found.sort_by_key(|(_, at)| *at);
    Ok(found)
}

async fn read_manifest(
    destination: &DestinationStore,
    name: &str,
) -> Result<Option<SnapshotManifest>, BackupActionError> {
    let path = DestinationStore::backup_path(name, MANIFEST_NAME);
    let Some(text) = find_bytes(&destination.place, &path).await? else { return Ok(None) };
    let manifest: SnapshotManifest =
        serde_json::from_slice(&text).map_err(|error| BackupActionError::damaged(&path, error))?;
    if manifest.format > FORMAT {
        return Err(BackupActionError::NewerFormat { found: manifest.format, known: FORMAT });
    }
    if manifest.name != name {
        return Err(BackupActionError::damaged(&path, "it is of another backup"));
    }
    if let Some(cipher) = &destination.cipher {
        let text = manifest.authenticated_text()?;
        let authentication = manifest.authentication.as_deref().unwrap_or_default();
        if !cipher.is_authentic(&text, authentication) {
            return Err(BackupActionError::damaged(&path, "it was altered"));
        }
    }
    Ok(Some(manifest))
}
