//! The server's key, which encrypts the secrets that must be read again. It lives in a file, never in the database;
//! the database keeps only a digest of it, so that a process with another key is turned away at its start.

use crate::{App, Vault, presence};
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
    /// Another process serves it.
    is_served: bool,
}

/// A process that wants to serve, and the digests of the key in its file and of one it would make.
struct Candidate {
    process: String,
    version: &'static str,
    in_file: Option<String>,
    fresh: String,
    now: Moment,
}

enum Verdict {
    /// The key in the file is the database's.
    Welcome,
    /// There was none, and the fresh one is the database's now.
    Made,
    Other,
    Lost,
    InUse,
}

/// Reads the key file and checks it against the database, and signs the process on. Where there is no file, and nothing
/// would be lost by a new one, makes it, readable by its owner alone.
#[boxed::future]
pub async fn check(app: &App, path: &Path, process: &str, version: &'static str) -> Result<Vault, KeyError> {
    let key = read(path)?;
    let mut fresh = [0; 32];
    app.chance.fill(&mut fresh);
    let candidate = Candidate {
        process: process.to_owned(),
        version,
        in_file: key.as_ref().map(fingerprint),
        fresh: fingerprint(&fresh),
        now: app.now(),
    };
    // Judged and signed on in one unit: of two processes that start at once one is the first, and the other is told.
    let lane = Lane::of(TenantId::SERVER);
    let verdict = app.db.write(lane, candidate, |tx, candidate| Box::pin(judge(tx, candidate))).await?;
    let path = path.to_owned();
    match verdict {
        Verdict::Welcome => key.as_ref().map_or(Err(KeyError::Malformed(path)), vault),
        Verdict::Other => Err(KeyError::Other(path)),
        Verdict::Lost => Err(KeyError::Lost(path)),
        Verdict::InUse => Err(KeyError::InUse(path)),
        // A key that is then not written, because the process dies, was never used.
        Verdict::Made => {
            create(&path, &fresh)
                .map_err(|error| KeyError::File { path: path.clone(), cause: error.to_string() })?;
            tracing::info!(path = %path.display(), "server key created");
            vault(&fresh)
        }
    }
}

fn vault(key: &[u8; 32]) -> Result<Vault, KeyError> {
    Vault::new(key).map_err(|error| KeyError::Storage(storage::Error::Broken(error.to_string())))
}

/// The vault of a database for a command beside its server, or before there is one: signed on and off again as a process of
/// its own, so that a key is made where none is there yet.
#[boxed::future]
pub async fn for_command(app: &App, path: &Path, version: &'static str) -> Result<Vault, KeyError> {
    if let Some(key) = read(path)? {
        inspect(app, path).await?;
        return vault(&key);
    }
    let process = presence::name(app);
    let vault = check(app, path, &process, version).await?;
    let left = app
        .db
        .write(Lane::of(TenantId::SERVER), process, |tx, process| Box::pin(processes::leave(tx, process)));
    left.await?;
    Ok(vault)
}

async fn judge(tx: &mut Tx, new: &Candidate) -> Result<Verdict, storage::Error> {
    let known = known(tx, new.now.minus(presence::GONE_AFTER), &new.process).await?;
    let (verdict, digest) = match (&new.in_file, &known.fingerprint) {
        (Some(in_file), Some(expected)) if in_file == expected => (Verdict::Welcome, None),
        (Some(_), Some(_)) => return Ok(Verdict::Other),
        (Some(in_file), None) => (Verdict::Welcome, Some(in_file)),
        (None, _) if known.has_secret => return Ok(Verdict::Lost),
        (None, _) if known.is_served => return Ok(Verdict::InUse),
        (None, _) => (Verdict::Made, Some(&new.fresh)),
    };
    if let Some(digest) = digest {
        settings::set(tx, Setting::KeyFingerprint, digest).await?;
    }
    processes::beat(tx, &new.process, new.version, new.now).await?;
    Ok(verdict)
}

/// Looks at the key without making one: whether it is there. One that does not fit the database is an error.
#[boxed::future]
pub async fn inspect(app: &App, path: &Path) -> Result<bool, KeyError> {
    let since = app.now().minus(presence::GONE_AFTER);
    let known = app.db.read(since, |tx, since| Box::pin(known(tx, *since, ""))).await?;
    match (read(path)?, known.fingerprint) {
        (None, _) if known.has_secret => Err(KeyError::Lost(path.to_owned())),
        (None, _) if known.is_served => Err(KeyError::InUse(path.to_owned())),
        (Some(key), Some(expected)) if expected != fingerprint(&key) => Err(KeyError::Other(path.to_owned())),
        (key, _) => Ok(key.is_some()),
    }
}

async fn known(tx: &mut Tx, since: Moment, but: &str) -> Result<Known, storage::Error> {
    Ok(Known {
        fingerprint: settings::get(&mut *tx, Setting::KeyFingerprint).await?,
        has_secret: secrets::any(&mut *tx).await?,
        is_served: processes::alive(&mut *tx, since).await?.iter().any(|one| one.process != but),
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

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
