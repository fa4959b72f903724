//! The server key and its file: 32 random bytes in hexadecimal, readable only by their owner.

use crate::sealed_secret::{SealError, Vault};
use domain::{RandomSource, encode_hex};
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
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
    pub fn generate(random: &dyn RandomSource) -> ServerKey {
        let mut key = [0; 32];
        random.fill(&mut key);
        ServerKey(key)
    }

    /// `None` if there is no file.
    pub fn read(path: &Path) -> Result<Option<ServerKey>, KeyFileError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(describe_file(path, &error)),
        };
        let digits = text.trim();
        let malformed = || KeyFileError::Malformed(path.to_owned());
        if digits.len() != 64 || !digits.is_ascii() {
            return Err(malformed());
        }
        let mut key = [0; 32];
        for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&digits[at..at + 2], 16).map_err(|_| malformed())?;
        }
        Ok(Some(ServerKey(key)))
    }

    /// Writes the key atomically, and never over an existing file.
    pub fn create_file(&self, path: &Path) -> Result<(), KeyFileError> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let unfinished = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(&unfinished).and_then(|mut file| {
            writeln!(file, "{}", encode_hex(&self.0))?;
            file.sync_all()?;
            std::fs::hard_link(&unfinished, path)
        });
        let _ = std::fs::remove_file(&unfinished);
        written.map_err(|error| describe_file(path, &error))
    }

    /// A digest by which a database knows its key.
    pub fn fingerprint(&self) -> String {
        let digest = Sha256::new().chain_update(b"amparo server key\0").chain_update(self.0).finalize();
        encode_hex(&digest[..16])
    }

    pub fn open_vault(&self) -> Result<Vault, SealError> {
        Vault::new(&self.0)
    }
}

fn describe_file(path: &Path, error: &std::io::Error) -> KeyFileError {
    KeyFileError::File { path: path.to_owned(), cause: error.to_string() }
}
