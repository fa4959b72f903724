//! The server key, which encrypts the secrets the server must read back. It is in a file, never in the database; the
//! database has only a digest, so that a process with another key is rejected at startup.

use crate::upkeep::presence;
use crate::{App, Vault};
use domain::{Moment, TenantId};
use std::path::{Path, PathBuf};
use storage::server::settings::{self, ServerSetting};
use storage::server::{processes, secrets};
use storage::{Tx, WriteLane};
use vault::{KeyFileError, ServerKey};

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error("{0} is not the key of this database")]
    OtherKey(PathBuf),
    #[error("{0} is absent, and the database holds secrets that only it opens")]
    KeyLost(PathBuf),
    #[error("{0} is absent, and another process serves this database with its own")]
    InUse(PathBuf),
    #[error("{0} is the key of this database")]
    NotLost(PathBuf),
    #[error(transparent)]
    Replacement(Box<crate::Error>),
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

struct DatabaseKeyState {
    fingerprint: Option<String>,
    has_secret: bool,
    /// Another process is serving the database.
    is_served: bool,
}

/// A process that wants to serve, with the digests of the key in its file and of a newly generated key.
struct ServerCandidate {
    process: String,
    version: &'static str,
    in_file: Option<String>,
    fresh: String,
    now: Moment,
    live_elsewhere: Vec<String>,
}

enum KeyVerdict {
    /// The key file matches the database.
    Welcome,
    /// There was no key, and the new one is registered in the database now.
    KeyCreated,
    OtherKey,
    KeyLost,
    InUse,
}

/// Checks the key file against the database and registers the process. If there is no file, and a new key loses no
/// secret, creates one that only its owner can read.
#[boxed::future]
pub async fn check_server_key(
    app: &App,
    path: &Path,
    process: &str,
    version: &'static str,
) -> Result<Vault, KeyError> {
    let key = ServerKey::read(path)?;
    let fresh = ServerKey::generate(&*app.random_source);
    let candidate = ServerCandidate {
        process: process.to_owned(),
        version,
        in_file: key.as_ref().map(ServerKey::fingerprint),
        fresh: fresh.fingerprint(),
        live_elsewhere: list_live_elsewhere(app).await?,
        now: app.now(),
    };
    // Checked and registered in one transaction: of two processes starting at once, one is first.
    let lane = WriteLane::foreground(TenantId::SERVER);
    let verdict =
        app.db.write(lane, candidate, |tx, candidate| Box::pin(judge_candidate(tx, candidate))).await?;
    let path = path.to_owned();
    match verdict {
        KeyVerdict::Welcome => key.as_ref().map_or(Err(KeyError::KeyLost(path)), open_vault),
        KeyVerdict::OtherKey => Err(KeyError::OtherKey(path)),
        KeyVerdict::KeyLost => Err(KeyError::KeyLost(path)),
        KeyVerdict::InUse => Err(KeyError::InUse(path)),
        // If the process dies before it writes the file, nothing was encrypted with the key.
        KeyVerdict::KeyCreated => {
            fresh.create_file(&path)?;
            tracing::info!(path = %path.display(), "server key created");
            open_vault(&fresh)
        }
    }
}

pub(crate) fn open_vault(key: &ServerKey) -> Result<Vault, KeyError> {
    key.open_vault().map_err(|error| KeyError::Storage(storage::Error::Broken(error.to_string())))
}

/// The vault for a command that runs beside the server or before its first start. The command registers and
/// unregisters as a process of its own, so that a key is created if none exists.
#[boxed::future]
pub async fn open_vault_for_command(
    app: &App,
    path: &Path,
    version: &'static str,
) -> Result<Vault, KeyError> {
    if let Some(key) = ServerKey::read(path)? {
        inspect_server_key(app, path).await?;
        return open_vault(&key);
    }
    let process = presence::generate_process_name(app);
    let vault = check_server_key(app, path, &process, version).await?;
    presence::sign_off_process(app, &process).await?;
    Ok(vault)
}

/// The processes whose heartbeats are in another database than their registration.
async fn list_live_elsewhere(app: &App) -> Result<Vec<String>, storage::Error> {
    let Some(activity) = app.db.separate_activity() else { return Ok(Vec::new()) };
    let since = app.now().minus(presence::GONE_AFTER);
    let live = processes::list_processes_seen(activity, since).await?;
    Ok(live.into_iter().map(|one| one.process).collect())
}

async fn judge_candidate(tx: &mut Tx, new: &ServerCandidate) -> Result<KeyVerdict, storage::Error> {
    let since = new.now.minus(presence::GONE_AFTER);
    let known = read_key_state(tx, since, (&new.process, &new.live_elsewhere)).await?;
    let (verdict, digest) = match (&new.in_file, &known.fingerprint) {
        (Some(in_file), Some(expected)) if in_file == expected => (KeyVerdict::Welcome, None),
        (Some(_), Some(_)) => return Ok(KeyVerdict::OtherKey),
        (Some(in_file), None) => (KeyVerdict::Welcome, Some(in_file)),
        (None, _) if known.has_secret => return Ok(KeyVerdict::KeyLost),
        (None, _) if known.is_served => return Ok(KeyVerdict::InUse),
        (None, _) => (KeyVerdict::KeyCreated, Some(&new.fresh)),
    };
    if let Some(digest) = digest {
        settings::upsert_setting(tx, ServerSetting::KeyFingerprint, digest).await?;
    }
    processes::record_heartbeat(tx, &new.process, new.version, new.now).await?;
    Ok(verdict)
}

/// Whether the key file exists, without creating one; an error if it does not match the database.
#[boxed::future]
pub async fn inspect_server_key(app: &App, path: &Path) -> Result<bool, KeyError> {
    let since = app.now().minus(presence::GONE_AFTER);
    let input = (since, list_live_elsewhere(app).await?);
    let known = app
        .db
        .read(input, |tx, (since, elsewhere)| Box::pin(read_key_state(tx, *since, ("", elsewhere))))
        .await?;
    match (ServerKey::read(path)?, known.fingerprint) {
        (None, _) if known.has_secret => Err(KeyError::KeyLost(path.to_owned())),
        (None, _) if known.is_served => Err(KeyError::InUse(path.to_owned())),
        (Some(key), Some(expected)) if expected != key.fingerprint() => {
            Err(KeyError::OtherKey(path.to_owned()))
        }
        (key, _) => Ok(key.is_some()),
    }
}

/// A new key, by its digest, that is to take the place of a lost one.
struct ReplacementKey {
    path: PathBuf,
    in_file: Option<String>,
    fresh: String,
    since: Moment,
    live_elsewhere: Vec<String>,
}

/// Makes `fresh` the key of the database. Refuses unless the present key is lost, and no server runs.
pub(crate) async fn register_replacement(app: &App, path: &Path, fresh: &ServerKey) -> Result<(), KeyError> {
    let replacement = ReplacementKey {
        path: path.to_owned(),
        in_file: ServerKey::read(path)?.as_ref().map(ServerKey::fingerprint),
        fresh: fresh.fingerprint(),
        since: app.now().minus(presence::GONE_AFTER),
        live_elsewhere: list_live_elsewhere(app).await?,
    };
    // In one transaction: a server that starts meanwhile is seen, or finds that its key is another.
    let lane = WriteLane::foreground(TenantId::SERVER);
    app.db.write(lane, replacement, |tx, new| Box::pin(write_replacement(tx, new))).await
}

async fn write_replacement(tx: &mut Tx, new: &ReplacementKey) -> Result<(), KeyError> {
    let known = read_key_state(tx, new.since, ("", &new.live_elsewhere)).await?;
    match (&new.in_file, &known.fingerprint) {
        (Some(in_file), Some(expected)) if in_file != expected => Err(KeyError::OtherKey(new.path.clone())),
        (Some(_), _) => Err(KeyError::NotLost(new.path.clone())),
        (None, _) if known.is_served => Err(KeyError::InUse(new.path.clone())),
        (None, _) => Ok(settings::upsert_setting(tx, ServerSetting::KeyFingerprint, &new.fresh).await?),
    }
}

async fn read_key_state(
    tx: &mut Tx,
    since: Moment,
    (but, live_elsewhere): (&str, &[String]),
) -> Result<DatabaseKeyState, storage::Error> {
    let registered = processes::list_processes_seen(&mut *tx, since).await?;
    Ok(DatabaseKeyState {
        fingerprint: settings::find_setting(&mut *tx, ServerSetting::KeyFingerprint).await?,
        has_secret: secrets::has_secrets(&mut *tx).await?,
        is_served: registered.iter().map(|one| &one.process).chain(live_elsewhere).any(|one| one != but),
    })
}
