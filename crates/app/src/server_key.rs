//! The server's key, which encrypts the secrets that must be read again. It lives in a file, never in the database;
//! the database keeps only a digest of it, so that a process with another key is turned away at its start.

use crate::{App, presence};
use domain::{Moment, TenantId};
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use storage::settings::{self, Setting};
use storage::{Lane, Tx, processes, secrets};

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("cannot read or write {path}: {cause}")]
    File { path: PathBuf, cause: String },
    #[error("{0} does not hold a key")]
    Malformed(PathBuf),
    #[error("{0} is not the key of this database")]
    Other(PathBuf),
    #[error("{0} is absent, and the database holds secrets that only it opens")]
    Lost(PathBuf),
    #[error("{0} is absent, and another process serves this database with its own")]
    InUse(PathBuf),
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// What the database knows of its key.
struct Known {
    fingerprint: Option<String>,
    has_secret: bool,
    is_served: bool,
}

/// Reads the key file and checks it against the database. Where there is none, and nothing would be lost by a new
/// one, makes it, readable by its owner alone.
pub async fn check(app: &App, path: &Path) -> Result<(), KeyError> {
    let since = app.now().minus(presence::GONE_AFTER);
    let known = app.db.read(since, |tx, since| Box::pin(known(tx, *since))).await?;
    let key = read(path)?;
    match (key, &known.fingerprint) {
        (Some(key), Some(expected)) if *expected == fingerprint(&key) => return Ok(()),
        (Some(_), Some(_)) => return Err(KeyError::Other(path.to_owned())),
        (None, _) if known.has_secret => return Err(KeyError::Lost(path.to_owned())),
        (None, _) if known.is_served => return Err(KeyError::InUse(path.to_owned())),
        _ => {}
    }
    let is_new = key.is_none();
    let key = key.unwrap_or_else(|| {
        let mut fresh = [0; 32];
        app.chance.fill(&mut fresh);
        fresh
    });
    // The database first: of two processes that start at once one is the first, and the other is told. A key that
    // is then not written, because the process dies, was never used.
    let change = (known.fingerprint, fingerprint(&key));
    let lane = Lane::of(TenantId::SERVER);
    if !app.db.write(lane, change, |tx, change| Box::pin(remember(tx, change))).await? {
        return Err(KeyError::InUse(path.to_owned()));
    }
    if is_new {
        create(path, &key)
            .map_err(|error| KeyError::File { path: path.to_owned(), cause: error.to_string() })?;
        tracing::info!(path = %path.display(), "server key created");
    }
    Ok(())
}

/// Keeps the new digest, unless somebody else changed it meanwhile.
async fn remember(tx: &mut Tx, (old, new): &(Option<String>, String)) -> Result<bool, storage::Error> {
    if settings::get(&mut *tx, Setting::KeyFingerprint).await? != *old {
        return Ok(false);
    }
    settings::set(tx, Setting::KeyFingerprint, new).await?;
    Ok(true)
}

/// Looks at the key without making one: whether it is there. One that does not fit the database is an error.
pub async fn inspect(app: &App, path: &Path) -> Result<bool, KeyError> {
    let since = app.now().minus(presence::GONE_AFTER);
    let known = app.db.read(since, |tx, since| Box::pin(known(tx, *since))).await?;
    match (read(path)?, known.fingerprint) {
        (None, _) if known.has_secret => Err(KeyError::Lost(path.to_owned())),
        (None, _) if known.is_served => Err(KeyError::InUse(path.to_owned())),
        (Some(key), Some(expected)) if expected != fingerprint(&key) => Err(KeyError::Other(path.to_owned())),
        (key, _) => Ok(key.is_some()),
    }
}

async fn known(tx: &mut Tx, since: Moment) -> Result<Known, storage::Error> {
    Ok(Known {
        fingerprint: settings::get(&mut *tx, Setting::KeyFingerprint).await?,
        has_secret: secrets::any(&mut *tx).await?,
        is_served: !processes::alive(&mut *tx, since).await?.is_empty(),
    })
}

fn read(path: &Path) -> Result<Option<[u8; 32]>, KeyError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(KeyError::File { path: path.to_owned(), cause: error.to_string() }),
    };
    let digits = text.trim();
    let malformed = || KeyError::Malformed(path.to_owned());
    if digits.len() != 64 || !digits.is_ascii() {
        return Err(malformed());
    }
    let mut key = [0; 32];
    for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&digits[at..at + 2], 16).map_err(|_| malformed())?;
    }
    Ok(Some(key))
}

/// Writes the key whole or not at all, and never over another.
fn create(path: &Path, key: &[u8; 32]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let unfinished = PathBuf::from(name);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&unfinished).and_then(|mut file| {
        writeln!(file, "{}", hex(key))?;
        file.sync_all()?;
        std::fs::hard_link(&unfinished, path)
    });
    let _ = std::fs::remove_file(&unfinished);
    written
}

fn fingerprint(key: &[u8; 32]) -> String {
    hex(&Sha256::new().chain_update(b"amparo server key\0").chain_update(key).finalize()[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
