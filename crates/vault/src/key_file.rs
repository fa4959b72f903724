//! The server key and its file: 32 random bytes in hexadecimal, readable only by their owner. While a new key takes the
//! place of an old one, the file holds both, one a line; which of them is in use, the database says.

use domain::{RandomSource, encode_hex};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

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

    /// Writes the key atomically, and never over an existing file.
    pub fn create_file(&self, path: &Path) -> Result<(), KeyFileError> {
        let staged = StagedKeyFile::write(path, std::slice::from_ref(self));
        let linked = staged.and_then(|staged| std::fs::hard_link(&staged.0, path));
        linked.map_err(|error| describe_file(path, &error))
    }

    /// Replaces the content of a key file atomically. Its owner stays, whoever runs the command.
    pub(crate) fn replace_file(path: &Path, keys: &[ServerKey]) -> Result<(), KeyFileError> {
        let replaced = path.canonicalize().and_then(|target| {
            let staged = StagedKeyFile::write(&target, keys)?;
            copy_owner(&target, &staged.0)?;
            std::fs::rename(&staged.0, &target)?;
            target.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
        });
        replaced.map_err(|error| describe_file(path, &error))
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

/// A key file under another name, removed unless it takes its place.
struct StagedKeyFile(PathBuf);

impl StagedKeyFile {
    fn write(path: &Path, keys: &[ServerKey]) -> io::Result<StagedKeyFile> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let staged = StagedKeyFile(PathBuf::from(name));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&staged.0)?;
        for key in keys {
            writeln!(file, "{}", encode_hex(&key.0))?;
        }
        file.sync_all()?;
        Ok(staged)
    }
}

impl Drop for StagedKeyFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Gives a file the owner and the mode of another: a server must still read a key that root replaced.
#[cfg(unix)]
fn copy_owner(from: &Path, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (old, new) = (std::fs::metadata(from)?, std::fs::metadata(to)?);
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        std::os::unix::fs::chown(to, Some(old.uid()), Some(old.gid()))?;
    }
    std::fs::set_permissions(to, old.permissions())
}

#[cfg(not(unix))]
fn copy_owner(_from: &Path, _to: &Path) -> io::Result<()> {
    Ok(())
}

fn describe_file(path: &Path, error: &io::Error) -> KeyFileError {
    KeyFileError::File { path: path.to_owned(), cause: error.to_string() }
}
