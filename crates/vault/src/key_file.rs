//! The server key and its file: 32 random bytes in hexadecimal, readable only by their owner. While a new key takes the
//! place of an old one, the file holds both, one a line; which of them is in use, the database says.

use domain::{RandomSource, encode_hex};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("cannot read or write {path}: {cause}")]
    File { path: PathBuf, cause: String },
    #[error("{0} does not hold a key")]
    Malformed(PathBuf),
}

#[derive(Clone, PartialEq, Eq)]
pub struct ServerKey([u8; 32]);

impl ServerKey {
    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> ServerKey {
        ServerKey(bytes)
    }

    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn generate(random: &dyn RandomSource) -> ServerKey {
        let mut key = [0; 32];
        random.fill(&mut key);
        ServerKey(key)
    }

    /// The keys in a file; none if there is no file.
    pub fn read_file(path: &Path) -> Result<Vec<ServerKey>, KeyFileError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(describe_file(path, &error)),
        };
        let keys = text.split_whitespace().map(parse_key).collect::<Option<Vec<_>>>();
        keys.filter(|keys| !keys.is_empty()).ok_or_else(|| KeyFileError::Malformed(path.to_owned()))
    }

    /// The text of a file with these keys.
    pub fn render_file(keys: &[ServerKey]) -> String {
        keys.iter().map(|key| encode_hex(&key.0) + "\n").collect()
    }

    /// Writes the key atomically, and never over an existing file.
    pub fn create_file(&self, path: &Path) -> Result<(), KeyFileError> {
        let staged = stage_file(path, std::slice::from_ref(self));
        let written = staged.and_then(|staged| staged.persist_noclobber(path).map_err(|error| error.error));
        written.map(drop).map_err(|error| describe_file(path, &error))
    }

    /// A digest by which a database knows its key.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::new().chain_update(b"amparo server key\0").chain_update(self.0).finalize();
        encode_hex(&digest[..16])
    }
}

fn parse_key(digits: &str) -> Option<ServerKey> {
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    let mut key = [0; 32];
    for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
    }
    Some(ServerKey(key))
}

/// The right to replace a key file, which one process has at a time.
pub(crate) struct KeyFileLock {
    target: PathBuf,
    /// The folder of the file: the file itself is replaced.
    folder: File,
}

impl KeyFileLock {
    /// `None` if another process has it.
    pub(crate) fn try_acquire(path: &Path) -> Result<Option<KeyFileLock>, KeyFileError> {
        let acquired = || {
            // A link stays one: what it points to is replaced.
            let target = path.canonicalize()?;
            let folder = File::open(target.parent().unwrap_or(Path::new(".")))?;
            match folder.try_lock() {
                Ok(()) => Ok(Some(KeyFileLock { target, folder })),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(error),
            }
        };
        acquired().map_err(|error| describe_file(path, &error))
    }

    /// Replaces the keys atomically. The owner of the file stays, whoever runs the command.
    pub(crate) fn replace_keys(&self, keys: &[ServerKey]) -> Result<(), KeyFileError> {
        let replaced = stage_file(&self.target, keys).and_then(|staged| {
            copy_owner_and_mode(&self.target, staged.path())?;
            staged.persist(&self.target).map_err(|error| error.error)?;
            self.folder.sync_all()
        });
        replaced.map_err(|error| describe_file(&self.target, &error))
    }
}

/// A file under a name of its own beside its place, readable only by its owner.
fn stage_file(path: &Path, keys: &[ServerKey]) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut staged =
        tempfile::Builder::new().prefix(".amparo-key-").tempfile_in(folder.unwrap_or(Path::new(".")))?;
    staged.write_all(ServerKey::render_file(keys).as_bytes())?;
    staged.as_file().sync_all()?;
    Ok(staged)
}

/// A server must still read a key that root replaced.
#[cfg(unix)]
fn copy_owner_and_mode(from: &Path, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (old, new) = (std::fs::metadata(from)?, std::fs::metadata(to)?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        std::os::unix::fs::chown(to, Some(old.uid()), Some(old.gid()))?;
    }
    std::fs::set_permissions(to, old.permissions())
}

#[cfg(not(unix))]
fn copy_owner_and_mode(_from: &Path, _to: &Path) -> io::Result<()> {
    Ok(())
}

fn describe_file(path: &Path, error: &io::Error) -> KeyFileError {
    KeyFileError::File { path: path.to_owned(), cause: error.to_string() }
}
