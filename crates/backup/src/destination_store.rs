//! Where backups are stored, and the paths in it.
//!
//! ```text
//! amparo-backup.json                     the layout's version, and the encrypted data key
//! LEIA-ME.txt                            for people who find the folder
//! copias/20261118T031500Z/manifesto.json written last
//! copias/20261118T031500Z/amparo.db.gz   or amparo.pgdump
//! anexos/1/ab/ab…/dados                  attachments, shared by all backups
//! ```
//! What is encrypted ends in `.cifrado`.

use crate::encryption::{DestinationCipher, OperatorSecret, SealedDataKey};
use crate::error::{BackupActionError, DamageCause};
use crate::manifest::{FORMAT, HEAD_NAME, MANIFEST_NAME, parse_backup_name};
use bytes::Bytes;
use domain::RandomSource;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload, UpdateVersion};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const READ_ME_NAME: &str = "LEIA-ME.txt";
const READ_ME: &str = include_str!("leia-me.txt");
pub const BACKUPS_FOLDER: &str = "copias";
pub const ATTACHMENTS_FOLDER: &str = "anexos";
/// The ending of what is encrypted.
const ENCRYPTED: &str = ".cifrado";
/// The ending of what is compressed.
const COMPRESSED: &str = ".gz";

/// A folder of this machine, or a bucket.
#[derive(Clone)]
pub struct DestinationPlace {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) folder: Option<PathBuf>,
}

impl DestinationPlace {
    /// A folder, created with access for its owner only. What is written survives a power failure.
    pub fn create_folder(folder: &Path) -> Result<DestinationPlace, BackupActionError> {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        let create = |folder: &Path| {
            let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
            created.map_err(|error| BackupActionError::Destination(format!("{}: {error}", folder.display())))
        };
        create(folder)?;
        // The folder itself may be there already, with whatever permissions; what we put into it is ours alone.
        for name in [BACKUPS_FOLDER, ATTACHMENTS_FOLDER] {
            let inner = folder.join(name);
            create(&inner)?;
            if let Err(error) = std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o700)) {
                tracing::warn!(%error, folder = %inner.display(), "the backups may be readable by others");
            }
        }
        DestinationPlace::open_folder(folder)
    }

    /// A folder that exists already.
    pub fn open_folder(folder: &Path) -> Result<DestinationPlace, BackupActionError> {
        let store = LocalFileSystem::new_with_prefix(folder).map_err(BackupActionError::from_destination)?;
        Ok(DestinationPlace { store: Arc::new(store.with_fsync(true)), folder: Some(folder.to_owned()) })
    }

    pub fn bucket(store: Arc<dyn ObjectStore>) -> DestinationPlace {
        DestinationPlace { store, folder: None }
    }
}

/// What the destination says of itself.
#[derive(Serialize, Deserialize)]
struct DestinationHead {
    #[serde(rename = "formato")]
    format: u32,
    #[serde(rename = "cifra")]
    sealed_key: Option<SealedDataKey>,
}

/// An opened destination.
#[derive(Clone)]
pub struct DestinationStore {
    pub(crate) place: DestinationPlace,
    pub(crate) cipher: Option<DestinationCipher>,
    pub(crate) sealed_key: Option<SealedDataKey>,
    pub(crate) random: Arc<dyn RandomSource>,
}

impl DestinationStore {
    /// Opens a destination, or prepares an empty one: encrypted, if there is a secret. Called with the lock of the
    /// destination held.
    pub(crate) async fn open_or_create(
        place: DestinationPlace,
        secret: Option<OperatorSecret>,
        random: Arc<dyn RandomSource>,
    ) -> Result<DestinationStore, BackupActionError> {
        if let Some(head) = read_head(&place).await? {
            return open_with_head(place, head, secret, random).await;
        }
        // A new data key would make what is there unreadable, and what follows as well.
        if has_content(&place).await? {
            return Err(BackupActionError::HeadMissing);
        }
        let cipher = match secret {
            Some(secret) => Some(generate_cipher(secret, Arc::clone(&random)).await?),
            None => None,
        };
        let (cipher, sealed_key) = cipher.unzip();
        let head = DestinationHead { format: FORMAT, sealed_key: sealed_key.clone() };
        let text = serde_json::to_vec_pretty(&head)
            .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
        let opened = DestinationStore { place, cipher, sealed_key, random };
        opened.put_bytes(READ_ME_NAME, READ_ME.into()).await?;
        // In a folder the lock is enough; some kinds of disks cannot create on a condition.
        let mode = if opened.place.folder.is_some() { PutMode::Overwrite } else { PutMode::Create };
        let path = ObjectPath::from(HEAD_NAME);
        let put = opened.store().put_opts(&path, PutPayload::from(text), mode.into());
        put.await.map_err(BackupActionError::from_destination)?;
        Ok(opened)
    }

    /// Opens a destination that holds backups, or held some.
    #[boxed::future]
    pub async fn open(
        place: DestinationPlace,
        secret: Option<OperatorSecret>,
        random: Arc<dyn RandomSource>,
    ) -> Result<DestinationStore, BackupActionError> {
        let head = match read_head(&place).await? {
            Some(head) => head,
            // Every manifest has a copy of the data key.
            None => find_head_in_backups(&place).await?.ok_or(BackupActionError::NoBackup)?,
        };
        open_with_head(place, head, secret, random).await
    }

    pub fn is_encrypted(&self) -> bool {
        self.cipher.is_some()
    }

    pub(crate) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.place.store
    }

    /// The path of a file in the folder of a backup.
    pub(crate) fn backup_path(name: &str, file: &str) -> String {
        format!("{BACKUPS_FOLDER}/{name}/{file}")
    }

    /// The name of a part as stored, with its endings.
    pub(crate) fn part_name(&self, base: &str) -> String {
        format!("{base}{COMPRESSED}{}", if self.is_encrypted() { ENCRYPTED } else { "" })
    }

    /// Where the attachment at a path of the attachment store is copied to.
    pub(crate) fn attachment_path(&self, path: &str) -> String {
        format!("{ATTACHMENTS_FOLDER}/{path}{}", if self.is_encrypted() { ENCRYPTED } else { "" })
    }

    /// The path in the attachment store of what lies at a path here; `None` if that is no attachment.
    pub(crate) fn strip_attachment_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        let path = path.strip_prefix(ATTACHMENTS_FOLDER)?.strip_prefix('/')?;
        match self.is_encrypted() {
            true => path.strip_suffix(ENCRYPTED),
            false => Some(path),
        }
    }

    pub(crate) async fn put_bytes(&self, path: &str, bytes: Bytes) -> Result<(), BackupActionError> {
        let put = self.store().put(&ObjectPath::from(path), PutPayload::from_bytes(bytes)).await;
        put.map(drop).map_err(BackupActionError::from_destination)
    }
}

/// In bytes: more than any head or lock has.
pub(crate) const LARGEST_NOTE: u64 = 64 << 10;
/// In bytes: more than any manifest has.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// A small object as a whole, with its version; `None` if it does not exist. One that is larger than it can be was not
/// written by us.
pub(crate) async fn find_object(
    place: &DestinationPlace,
    path: &str,
    largest: u64,
) -> Result<Option<(Bytes, UpdateVersion)>, BackupActionError> {
    match place.store.get(&ObjectPath::from(path)).await {
        Ok(found) if found.meta.size > largest => Err(BackupActionError::damaged(path, DamageCause::Altered)),
        Ok(found) => {
            let version =
                UpdateVersion { e_tag: found.meta.e_tag.clone(), version: found.meta.version.clone() };
            let bytes = found.bytes().await.map_err(BackupActionError::from_destination)?;
            Ok(Some((bytes, version)))
        }
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(BackupActionError::from_destination(error)),
    }
}

/// The text of a manifest; `None` if it does not exist.
pub(crate) async fn find_manifest_text(
    place: &DestinationPlace,
    name: &str,
) -> Result<Option<Bytes>, BackupActionError> {
    let path = DestinationStore::backup_path(name, MANIFEST_NAME);
    Ok(find_object(place, &path, LARGEST_MANIFEST).await?.map(|(text, _)| text))
}

/// Whether anything but a head was ever stored here.
async fn has_content(place: &DestinationPlace) -> Result<bool, BackupActionError> {
    for folder in [BACKUPS_FOLDER, ATTACHMENTS_FOLDER] {
        let mut listed = place.store.list(Some(&ObjectPath::from(folder)));
        if listed.try_next().await.map_err(BackupActionError::from_destination)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The names of the backups, oldest first, with those that were not finished.
pub(crate) async fn list_backup_names(place: &DestinationPlace) -> Result<Vec<String>, BackupActionError> {
    let folder = ObjectPath::from(BACKUPS_FOLDER);
    let listed = place.store.list_with_delimiter(Some(&folder)).await;
    let listed = listed.map_err(BackupActionError::from_destination)?;
    let names = listed.common_prefixes.iter().filter_map(|path| path.filename().map(str::to_owned));
    let mut names: Vec<String> = names.filter(|name| parse_backup_name(name).is_some()).collect();
    names.sort_unstable();
    Ok(names)
}

/// The head as the newest readable manifest repeats it.
async fn find_head_in_backups(
    place: &DestinationPlace,
) -> Result<Option<DestinationHead>, BackupActionError> {
    for name in list_backup_names(place).await?.iter().rev() {
        let text = find_manifest_text(place, name).await?;
        if let Some(head) = text.and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(Some(head));
        }
    }
    Ok(None)
}

async fn read_head(place: &DestinationPlace) -> Result<Option<DestinationHead>, BackupActionError> {
    let Some((text, _)) = find_object(place, HEAD_NAME, LARGEST_NOTE).await? else { return Ok(None) };
    let head: DestinationHead = serde_json::from_slice(&text)
        .map_err(|_| BackupActionError::damaged(HEAD_NAME, DamageCause::Altered))?;
    if head.format > FORMAT {
        return Err(BackupActionError::NewerFormat { found: head.format, known: FORMAT });
    }
    Ok(Some(head))
}

async fn open_with_head(
    place: DestinationPlace,
    head: DestinationHead,
    secret: Option<OperatorSecret>,
    random: Arc<dyn RandomSource>,
) -> Result<DestinationStore, BackupActionError> {
    let sealed_key = head.sealed_key.clone();
    let cipher = match (head.sealed_key, secret) {
        (None, None) => None,
        (None, Some(_)) => return Err(BackupActionError::NotEncrypted),
        (Some(_), None) => return Err(BackupActionError::SecretMissing),
        (Some(sealed), Some(secret)) => {
            Some(run_blocking(move || DestinationCipher::open(&secret, &sealed)).await?)
        }
    };
    Ok(DestinationStore { place, cipher, sealed_key, random })
}

async fn generate_cipher(
    secret: OperatorSecret,
    random: Arc<dyn RandomSource>,
) -> Result<(DestinationCipher, SealedDataKey), BackupActionError> {
    run_blocking(move || DestinationCipher::generate(&secret, &*random)).await
}

/// Runs what computes or waits for the disk for long.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupActionError> + Send + 'static,
) -> Result<T, BackupActionError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(BackupActionError::Interrupted(error.to_string())))
}
