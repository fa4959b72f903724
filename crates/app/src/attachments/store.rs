//! The store of file content: a folder or a bucket (`files.place`). Each file has a random key, with its content and,
//! for pictures, a preview under it.

use super::limits::StorageLimits;
use crate::Error;
use bytes::Bytes;
use domain::{RandomSource, TenantId, describe_error_chain};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Files held in memory at once, each no larger than the limit; others wait.
const FILES_IN_MEMORY: usize = 8;
/// Pictures decoded at once: each may take a hundred times the size of its file.
const CONCURRENT_DECODINGS: usize = 1;

/// The parts stored under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentPart {
    Data,
    Preview,
}

impl ContentPart {
    pub(super) const ALL: [ContentPart; 2] = [ContentPart::Data, ContentPart::Preview];

    pub(super) fn name(self) -> &'static str {
        match self {
            ContentPart::Data => "dados",
            ContentPart::Preview => "miniatura",
        }
    }
}

#[derive(Clone)]
pub struct FileStore {
    store: Option<Arc<dyn ObjectStore>>,
    /// The folder, unless the store is a bucket.
    folder: Option<Arc<Path>>,
    /// The folder for running uploads; `None` keeps them in memory.
    pub(super) waiting: Option<Arc<Path>>,
    pub limits: StorageLimits,
    memory_permits: Arc<Semaphore>,
    opened: Arc<Semaphore>,
}

/// No store: for commands that do not use files.
impl Default for FileStore {
    fn default() -> FileStore {
        FileStore::from_store(None, StorageLimits::DEFAULT)
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.folder, &self.store) {
            (Some(folder), _) => write!(out, "{}", folder.display()),
            (None, Some(store)) => write!(out, "{store}"),
            (None, None) => out.write_str("nowhere"),
        }
    }
}

impl FileStore {
    fn from_store(store: Option<Arc<dyn ObjectStore>>, limits: StorageLimits) -> FileStore {
        let (memory_permits, decoder_permits) =
            (Arc::new(Semaphore::new(FILES_IN_MEMORY)), Arc::new(Semaphore::new(CONCURRENT_DECODINGS)));
        FileStore { store, folder: None, waiting: None, limits, memory_permits, opened: decoder_permits }
    }

    /// A folder, created with access for its owner only. A stored file survives a power failure: it is written to a
    /// temporary file, synced, renamed, and the folder is synced.
    pub fn open_folder(folder: &Path, limits: StorageLimits) -> Result<FileStore, Error> {
        create_private_folder(folder)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(convert_store_error)?.with_fsync(true);
        let folder: Arc<Path> = folder.into();
        let waiting = Some(Arc::clone(&folder));
        Ok(FileStore {
            folder: Some(folder),
            waiting,
            ..FileStore::from_store(Some(Arc::new(store)), limits)
        })
    }

    /// A bucket; running uploads are buffered in a local folder.
    pub fn open_bucket(
        store: Arc<dyn ObjectStore>,
        waiting: &Path,
        limits: StorageLimits,
    ) -> Result<FileStore, Error> {
        create_private_folder(waiting)?;
        Ok(FileStore { waiting: Some(waiting.into()), ..FileStore::from_store(Some(store), limits) })
    }

    /// Lost with the process: for tests.
    pub fn in_memory() -> FileStore {
        FileStore::from_store(Some(Arc::new(InMemory::new())), StorageLimits::DEFAULT)
    }

    /// The store itself, for copies of all that is in it.
    pub fn object_store(&self) -> Result<Arc<dyn ObjectStore>, Error> {
        self.backing_store().cloned()
    }

    fn backing_store(&self) -> Result<&Arc<dyn ObjectStore>, Error> {
        self.store.as_ref().ok_or_else(|| Error::Files("no place for files was opened".to_owned()))
    }

    /// A permit to hold a file in memory.
    pub(super) async fn acquire_memory(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.memory_permits.acquire().await.map_err(convert_store_error)
    }

    /// A permit to decode a picture.
    pub(super) async fn acquire_decoder(&self) -> Result<SemaphorePermit<'_>, Error> {
        self.opened.acquire().await.map_err(convert_store_error)
    }

    pub(super) async fn put_part(&self, key: &str, part: ContentPart, bytes: Bytes) -> Result<(), Error> {
        self.backing_store()?
            .put(&build_object_path(key, part), PutPayload::from_bytes(bytes))
            .await
            .map(drop)
            .map_err(convert_store_error)
    }

    pub(super) async fn stream_part(&self, key: &str, part: ContentPart) -> Result<ByteStream, Error> {
        let found =
            self.backing_store()?.get(&build_object_path(key, part)).await.map_err(convert_store_error)?;
        let size = found.meta.size;
        let bytes = found.into_stream().map(|piece| piece.map_err(std::io::Error::other)).boxed();
        Ok(ByteStream { size, bytes })
    }

    /// The complete content of a part.
    pub(super) async fn read_part(&self, key: &str, part: ContentPart) -> Result<Bytes, Error> {
        let found =
            self.backing_store()?.get(&build_object_path(key, part)).await.map_err(convert_store_error)?;
        found.bytes().await.map_err(convert_store_error)
    }

    /// The complete content of a part, if it exists.
    pub(super) async fn find_part(&self, key: &str, part: ContentPart) -> Result<Option<Bytes>, Error> {
        match self.backing_store()?.get(&build_object_path(key, part)).await {
            Ok(found) => found.bytes().await.map(Some).map_err(convert_store_error),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(convert_store_error(error)),
        }
    }

    /// The size of a file; `None` if it does not exist.
    pub(crate) async fn find_size(&self, key: &str) -> Result<Option<u64>, Error> {
        match self.backing_store()?.head(&build_object_path(key, ContentPart::Data)).await {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(convert_store_error(error)),
        }
    }

    /// Deletes everything under a key, including partial writes; nothing there is not an error. Rejects a text that is
    /// not a key of this tenant.
    #[boxed::future]
    pub async fn delete_parts(&self, tenant: TenantId, key: &str) -> Result<(), Error> {
        if !is_file_key(tenant, key) {
            return Err(Error::Files(format!("{key:?} is not the key of a file")));
        }
        if let Some(folder) = &self.folder {
            let key_folder = folder.join(key);
            let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(key_folder)).await;
            return match removed.map_err(convert_store_error)? {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(convert_store_error(error)),
                _ => Ok(()),
            };
        }
        for part in ContentPart::ALL {
            match self.backing_store()?.delete(&build_object_path(key, part)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(convert_store_error(error)),
            }
        }
        Ok(())
    }

    /// Writes, reads and deletes a test object, to check that the store works now.
    #[boxed::future]
    pub async fn probe(&self, chance: &dyn RandomSource) -> Result<(), Error> {
        let key = generate_key(TenantId::SERVER, chance);
        let word = Bytes::from_static(b"amparo");
        self.put_part(&key, ContentPart::Data, word.clone()).await?;
        let read = self.read_part(&key, ContentPart::Data).await;
        let removed = self.delete_parts(TenantId::SERVER, &key).await;
        match read? == word {
            true => removed,
            false => Err(Error::Files("what was read is not what was written".to_owned())),
        }
    }
}

/// A file being downloaded.
pub struct ByteStream {
    pub size: u64,
    pub bytes: BoxStream<'static, Result<Bytes, std::io::Error>>,
}

/// A random key, spread over folders so that none grows large.
pub(super) fn generate_key(tenant: TenantId, chance: &dyn RandomSource) -> String {
    let mut random = [0; 16];
    chance.fill(&mut random);
    let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{tenant}/{}/{name}", &name[..2])
}

/// Whether a text is a key in the format of `generate_key`: nothing else ever becomes a path.
pub fn is_file_key(tenant: TenantId, text: &str) -> bool {
    let Some((_, name)) = text.rsplit_once('/') else { return false };
    name.len() == 32
        && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text == format!("{tenant}/{}/{name}", &name[..2])
}

fn build_object_path(key: &str, part: ContentPart) -> Key {
    Key::from(format!("{key}/{}", part.name()))
}

fn create_private_folder(folder: &Path) -> Result<(), Error> {
    use std::os::unix::fs::DirBuilderExt;
    let wrap_error =
        |error: std::io::Error| Error::Files(format!("{}: {error}", PathBuf::from(folder).display()));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrap_error)
}

fn convert_store_error(error: impl std::error::Error) -> Error {
    Error::Files(describe_error_chain(&error))
}
