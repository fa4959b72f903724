//! Restores a backup. Everything is read and checked before anything is replaced, and what is replaced is set aside.

use crate::attachments::{read_attachment_list, restore_attachments};
use crate::destination_store::DestinationStore;
use crate::error::{BackupActionError, DamageCause};
use crate::installation::ServerInstallation;
use crate::manifest::{PartContent, SnapshotManifest};
use crate::object_streams::{ProgressReport, describe_read_failure};
use crate::postgres_tools;
use crate::verify_backup::{check_extracted_file, extract_part, load_part, verify_part};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use storage::backup::{RestoredFiles, build_staging_path, replace_database};
use storage::{DatabaseAddress, DatabaseOptions};

/// In bytes: far more than a key has.
const LARGEST_KEY: u64 = 64 << 10;

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
            let moved = replace_database(path, &files.0, &options.aside_ending);
            aside.extend(moved.map_err(|error| describe_file(path, &error))?);
        }
        (None, DatabaseAddress::Postgres(config)) => {
            // Read to its end before: once restored, it is there.
            let part = manifest.require_part(PartContent::Database)?;
            verify_part(destination, manifest, part, &progress).await?;
            let ca_file = installation.ca_file.as_deref();
            let environment = postgres_tools::prepare_environment(config, ca_file);
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
        from.take(LARGEST_KEY)
            .read_to_end(&mut key)
            .map_err(|error| describe_read_failure(&place, &error))?;
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

/// Files that wait to take their place, and are removed if they never do.
struct StagedFiles(RestoredFiles);

impl Drop for StagedFiles {
    fn drop(&mut self) {
        for file in std::iter::once(&self.0.database).chain(&self.0.activity) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Extracts the database files beside their place, and checks them.
async fn stage_files(
    destination: &DestinationStore,
    manifest: &SnapshotManifest,
    path: &Path,
    progress: &ProgressReport,
) -> Result<StagedFiles, BackupActionError> {
    let build = |ending| build_staging_path(path, ending).map_err(|error| describe_file(path, &error));
    let activity = manifest.find_part(PartContent::Activity);
    let files =
        RestoredFiles { database: build("")?, activity: activity.map(|_| build("-activity")).transpose()? };
    let staged = StagedFiles(files);
    let database = manifest.require_part(PartContent::Database)?;
    extract_part(destination, manifest, database, &staged.0.database, progress).await?;
    let schema = check_extracted_file(manifest, database, staged.0.database.clone()).await?;
    if schema != manifest.schema {
        return Err(BackupActionError::damaged(&database.name, DamageCause::Altered));
    }
    if let (Some(part), Some(file)) = (activity, &staged.0.activity) {
        extract_part(destination, manifest, part, file, progress).await?;
        check_extracted_file(manifest, part, file.clone()).await?;
    }
    Ok(staged)
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
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut aside = Vec::new();
    if path.exists() {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(&options.aside_ending);
        let target = PathBuf::from(name);
        std::fs::rename(path, &target).map_err(failed)?;
        aside.push(target);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".restoring");
    let unfinished = PathBuf::from(name);
    let mut file = std::fs::OpenOptions::new();
    let file = file.write(true).create(true).truncate(true).mode(0o600).open(&unfinished);
    let written = file.and_then(|mut file| {
        file.write_all(&key)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)
    });
    written.map_err(failed)?;
    Ok(aside)
}

fn describe_file(path: &Path, error: &io::Error) -> BackupActionError {
    BackupActionError::File { path: path.display().to_string(), cause: error.to_string() }
}
