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

use crate::BackupActionError;
use crate::encryption::{DestinationCipher, OperatorSecret, SealedDataKey};
use crate::manifest::{FORMAT, HEAD_NAME};
use bytes::Bytes;
use domain::RandomSource;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
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
        use std::os::unix::fs::DirBuilderExt;
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        created.map_err(|error| BackupActionError::Destination(format!("{}: {error}", folder.display())))?;
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
    pub(crate) random: Arc<dyn RandomSource>,
}

impl DestinationStore {
    /// Opens a destination, or prepares an empty one: encrypted, if there is a secret.
    #[boxed::future]
    pub async fn open_or_create(
        place: DestinationPlace,
        secret: Option<OperatorSecret>,
        random: Arc<dyn RandomSource>,
    ) -> Result<DestinationStore, BackupActionError> {
        if let Some(head) = read_head(&place).await? {
            return open_with_head(place, head, secret, random).await;
        }
        let cipher = match secret {
            Some(secret) => Some(generate_cipher(secret, Arc::clone(&random)).await?),
            None => None,
        };
        let (cipher, sealed_key) = cipher.unzip();
        let head = DestinationHead { format: FORMAT, sealed_key };
        let text = serde_json::to_vec_pretty(&head)
            .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
        let opened = DestinationStore { place, cipher, random };
        opened.put_bytes(READ_ME_NAME, READ_ME.into()).await?;
        opened.put_bytes(HEAD_NAME, text.into()).await?;
        Ok(opened)
    }

    /// Opens a destination that holds backups, or held some.
    #[boxed::future]
    pub async fn open(
        place: DestinationPlace,
        secret: Option<OperatorSecret>,
        random: Arc<dyn RandomSource>,
    ) -> Result<DestinationStore, BackupActionError> {
        let head = read_head(&place).await?.ok_or(BackupActionError::NoBackup)?;
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

    pub(crate) async fn put_bytes(&self, path: &str, bytes: Bytes) -> Result<(), BackupActionError> {
        let put = self.store().put(&ObjectPath::from(path), PutPayload::from_bytes(bytes)).await;
        put.map(drop).map_err(BackupActionError::from_destination)
    }
}

/// A small object as a whole; `None` if it does not exist.
pub(crate) async fn find_bytes(
    place: &DestinationPlace,
    path: &str,
) -> Result<Option<Bytes>, BackupActionError> {
    match place.store.get(&ObjectPath::from(path)).await {
        Ok(found) => found.bytes().await.map(Some).map_err(BackupActionError::from_destination),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(BackupActionError::from_destination(error)),
    }
}

async fn read_head(place: &DestinationPlace) -> Result<Option<DestinationHead>, BackupActionError> {
    let Some(text) = find_bytes(place, HEAD_NAME).await? else { return Ok(None) };
    let head: DestinationHead =
        serde_json::from_slice(&text).map_err(|error| BackupActionError::damaged(HEAD_NAME, error))?;
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
    let cipher = match (head.sealed_key, secret) {
        (None, None) => None,
        (None, Some(_)) => return Err(BackupActionError::NotEncrypted),
        (Some(_), None) => return Err(BackupActionError::SecretMissing),
        (Some(sealed), Some(secret)) => {
            Some(run_blocking(move || DestinationCipher::open(&secret, &sealed)).await?)
        }
    };
    Ok(DestinationStore { place, cipher, random })
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
