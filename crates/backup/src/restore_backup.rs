//! Restores a backup. Everything is read and checked before anything is replaced, and what is replaced is set aside.

use crate::BackupActionError;
use crate::attachments::{read_attachment_list, restore_attachments};
use crate::destination_store::DestinationStore;
use crate::installation::ServerInstallation;
use crate::manifest::{PartContent, SnapshotManifest, StoredPart};
use crate::object_streams::ProgressReport;
use crate::postgres_tools;
use crate::verify_backup::{check_extracted_file, extract_part, load_part};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use storage::backup::{RestoredFiles, build_staging_path, replace_database};
use storage::{DatabaseAddress, DatabaseOptions};

#[derive(Clone, Debug)]
pub struct RestoreOptions {
    /// Set an existing database, and a key that differs, aside.
    pub replace: bool,
    /// The ending of the names under which they are set aside.
    pub aside_ending: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreOutcome {
    /// Attachments that were written; others were there already.
    pub attachments: u64,
    /// Attachments that the backup names and the destination lacks.
    pub missing: Vec<String>,
    /// The files that were set aside.
    pub aside: Vec<PathBuf>,
}

/// Restores a backup into an installation that no server serves. The caller holds the lock of the server, and begins a new
/// life of the database afterwards.
#[boxed::future]
pub async fn restore_backup(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    installation: &ServerInstallation,
    options: &RestoreOptions,
    progress: ProgressReport,
) -> Result<RestoreOutcome, BackupActionError> {
    if manifest.engine != installation.engine() {
        return Err(BackupActionError::OtherEngine);
    }
    let known = storage::newest_schema();
    if manifest.schema > known {
        return Err(BackupActionError::NewerSchema { found: manifest.schema, known });
    }
    check_target(installation, options).await?;
    let key = read_key(destination, manifest, installation, options).await?;
    let lines = read_attachment_list(destination, manifest).await?;
    let staged = match &installation.address {
        DatabaseAddress::Sqlite(path) => {
            Some((path, stage_files(destination, manifest, path, &progress).await?))
        }
        DatabaseAddress::Postgres(_) => None,
    };
    // Attachments only add to what is there.
    let (attachments, missing) = restore_attachments(destination, installation, lines, &progress).await?;
    let mut aside = write_key(installation, key, options)?;
    match (staged, &installation.address) {
        (Some((path, files)), _) => {
            let moved = replace_database(path, &files, &options.aside_ending);
            aside.extend(moved.map_err(|error| describe_file(path, &error))?);
        }
        (None, DatabaseAddress::Postgres(config)) => {
            let ca_file = installation.ca_file.as_deref();
            let environment = postgres_tools::prepare_environment(config, ca_file);
            let part = manifest.require_part(PartContent::Database)?;
            load_part(destination, manifest, part, move |from| {
                postgres_tools::restore_dump(&environment, from)
            })
            .await?;
        }
        (None, DatabaseAddress::Sqlite(_)) => {}
    }
    Ok(RestoreOutcome { attachments, missing, aside })
}

/// Refuses to destroy anything.
async fn check_target(
    installation: &ServerInstallation,
    options: &RestoreOptions,
) -> Result<(), BackupActionError> {
    match &installation.address {
        DatabaseAddress::Sqlite(path) => match path.exists() && !options.replace {
            true => Err(BackupActionError::TargetExists(path.display().to_string())),
            false => Ok(()),
        },
        // A database on a server is dropped and created there, not here.
        DatabaseAddress::Postgres(_) => {
            let options =
                DatabaseOptions { ca_file: installation.ca_file.clone(), ..DatabaseOptions::default() };
            match storage::read_schema_version(&installation.address, &options).await? {
                0 => Ok(()),
                _ => Err(BackupActionError::TargetExists(installation.address.to_string())),
            }
        }
    }
}

/// The key of the backup, unless the installation has it already.
async fn read_key(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    installation: &ServerInstallation,
    options: &RestoreOptions,
) -> Result<Option<Vec<u8>>, BackupActionError> {
    let Some(part) = manifest.find_part(PartContent::ServerKey) else { return Ok(None) };
    let place = part.name.clone();
    let key = load_part(destination, manifest, part, move |from| {
        let mut key = Vec::new();
        from.read_to_end(&mut key).map_err(|error| BackupActionError::damaged(&place, error))?;
        Ok(key)
    });
    let key = key.await?;
    match std::fs::read(&installation.key_file) {
        Ok(present) if present == key => Ok(None),
        Ok(_) if !options.replace => {
            Err(BackupActionError::OtherKey(installation.key_file.display().to_string()))
        }
        Ok(_) => Ok(Some(key)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(key)),
        Err(error) => Err(describe_file(&installation.key_file, &error)),
    }
}

/// Extracts the database files beside their place, and checks them.
async fn stage_files(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    path: &Path,
    progress: &ProgressReport,
) -> Result<RestoredFiles, BackupActionError> {
    let stage = |part: StoredPart, ending: &'static str| async move {
        let staging = build_staging_path(path, ending).map_err(|error| describe_file(path, &error))?;
        extract_part(destination, manifest, &part, &staging, progress).await?;
        check_extracted_file(manifest, &part, staging.clone()).await?;
        Ok::<_, BackupActionError>(staging)
    };
    let database = stage(manifest.require_part(PartContent::Database)?.clone(), "").await?;
    let activity = match manifest.find_part(PartContent::Activity) {
        Some(part) => Some(stage(part.clone(), "-activity").await?),
        None => None,
    };
    Ok(RestoredFiles { database, activity })
}

/// Writes the key, and sets another one aside.
fn write_key(
    installation: &ServerInstallation,
    key: Option<Vec<u8>>,
    options: &RestoreOptions,
) -> Result<Vec<PathBuf>, BackupActionError> {
    use std::os::unix::fs::OpenOptionsExt;
    let Some(key) = key else { return Ok(Vec::new()) };
    let path = &installation.key_file;
    let failed = |error: io::Error| describe_file(path, &error);
    let mut aside = Vec::new();
    if path.exists() {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(&options.aside_ending);
        let target = PathBuf::from(name);
        std::fs::rename(path, &target).map_err(failed)?;
        aside.push(target);
    }
    let mut file = std::fs::OpenOptions::new();
    let mut file = file.write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(&key).and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(aside)
}

fn describe_file(path: &Path, error: &io::Error) -> BackupActionError {
    BackupActionError::File { path: path.display().to_string(), cause: error.to_string() }
}
