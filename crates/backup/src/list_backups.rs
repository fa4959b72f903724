//! Lists the backups of a destination.

use crate::destination_store::{DestinationStore, find_manifest_text, list_backup_names};
use crate::error::{BackupActionError, DamageCause};
use crate::manifest::{FORMAT, MANIFEST_NAME, SnapshotManifest, parse_backup_name};
use domain::Moment;
use std::time::Duration;

/// A backup that was finished.
#[derive(Clone, Debug)]
pub struct ListedBackup {
    pub began_at: Moment,
    pub manifest: SnapshotManifest,
}

/// What a destination holds.
#[derive(Clone, Debug, Default)]
pub struct DestinationListing {
    /// Oldest first.
    pub finished: Vec<ListedBackup>,
    /// The names of those whose manifest cannot be used: damaged, altered, or of a newer version.
    pub unusable: Vec<String>,
    /// The names of those that were interrupted.
    pub unfinished: Vec<String>,
}

/// A backup that began so much later than now bears a wrong date.
const LATEST_DATE: Duration = Duration::from_hours(24);

impl DestinationListing {
    /// The newest one that can have been made by now: a clock that once went wrong does not decide for ever.
    pub fn find_newest(&self, now: Moment) -> Option<&ListedBackup> {
        self.finished.iter().rev().find(|backup| backup.began_at <= now.plus(LATEST_DATE))
    }
}

#[boxed::future]
pub async fn list_backups(destination: &DestinationStore) -> Result<DestinationListing, BackupActionError> {
    let mut listing = DestinationListing::default();
    for name in list_backup_names(&destination.place).await? {
        match read_manifest(destination, &name).await {
            Ok(Some(backup)) => listing.finished.push(backup),
            Ok(None) => listing.unfinished.push(name),
            Err(BackupActionError::Damaged { .. } | BackupActionError::NewerFormat { .. }) => {
                listing.unusable.push(name);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(listing)
}

/// The backup of this name, or the newest that can be used.
#[boxed::future]
pub async fn find_backup(
    destination: &DestinationStore,
    name: Option<&str>,
    now: Moment,
) -> Result<SnapshotManifest, BackupActionError> {
    if let Some(name) = name {
        let is_name = parse_backup_name(name).is_some();
        let found = if is_name { read_manifest(destination, name).await? } else { None };
        let found = found.map(|backup| backup.manifest);
        return found.ok_or_else(|| BackupActionError::UnknownName(name.to_owned()));
    }
    let listing = list_backups(destination).await?;
    match listing.find_newest(now) {
        Some(newest) => {
            for name in listing.unusable.iter().filter(|name| **name > newest.manifest.name) {
                tracing::warn!(name, "a newer backup cannot be used: its manifest is damaged");
            }
            Ok(newest.manifest.clone())
        }
        None => match listing.unusable.last() {
            Some(name) => Err(BackupActionError::damaged(
                &DestinationStore::backup_path(name, MANIFEST_NAME),
                DamageCause::Altered,
            )),
            None => Err(BackupActionError::NoBackup),
        },
    }
}

async fn read_manifest(
    destination: &DestinationStore,
    name: &str,
) -> Result<Option<ListedBackup>, BackupActionError> {
    let Some(text) = find_manifest_text(&destination.place, name).await? else { return Ok(None) };
    let altered = || {
        BackupActionError::damaged(&DestinationStore::backup_path(name, MANIFEST_NAME), DamageCause::Altered)
    };
    let manifest: SnapshotManifest = serde_json::from_slice(&text).map_err(|_| altered())?;
    if manifest.format > FORMAT {
        return Err(BackupActionError::NewerFormat { found: manifest.format, known: FORMAT });
    }
    let is_authentic = match &destination.cipher {
        None => true,
        Some(cipher) => {
            let authentication = manifest.authentication.as_deref().unwrap_or_default();
            cipher.is_authentic(&manifest.authenticated_text()?, authentication)
        }
    };
    match (manifest.name == name && is_authentic, parse_backup_name(name)) {
        (true, Some(began_at)) => Ok(Some(ListedBackup { began_at, manifest })),
        _ => Err(altered()),
    }
}
