//! The server key, which encrypts the secrets the server must read back. It is in a file, never in the database; the
//! database has only a digest, so that a process with another key is rejected at startup.

use crate::key_change::take_new_key;
use crate::key_file::ServerKey;
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::Vault;
use domain::{Moment, TenantId};
use std::path::{Path, PathBuf};
use storage::server::processes::{self, GONE_AFTER};
use storage::server::secrets;
use storage::server::settings::{self, ServerSetting};
use storage::{Tx, WriteLane};

/// A process that serves the database.
#[derive(Clone, Copy)]
pub struct ProcessIdentity<'a> {
    pub name: &'a str,
    pub version: &'static str,
}

struct DatabaseKeyState {
    registered: RegisteredKey,
    has_secret: bool,
    /// Another process is serving the database.
    is_served: bool,
}

/// A process that wants to serve, with the keys in its file and the digest of a newly generated key.
struct ServerCandidate {
    process: String,
    version: &'static str,
    in_file: Vec<ServerKey>,
    fresh: String,
    now: Moment,
    live_elsewhere: Vec<String>,
}

enum KeyVerdict {
    /// The key file matches the database: these are the keys.
    Welcome(Vec<ServerKey>),
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
    context: KeyContext<'_>,
    path: &Path,
    process: ProcessIdentity<'_>,
) -> Result<Vault, KeyError> {
    let fresh = ServerKey::generate(&**context.random);
    let candidate = ServerCandidate {
        process: process.name.to_owned(),
        version: process.version,
        in_file: ServerKey::read_file(path)?,
        fresh: fresh.fingerprint(),
        live_elsewhere: list_live_elsewhere(context).await?,
        now: context.clock.now(),
    };
    // Checked and registered in one transaction: of two processes starting at once, one is first.
    let lane = WriteLane::foreground(TenantId::SERVER);
    let verdict =
        context.db.write(lane, candidate, |tx, candidate| Box::pin(judge_candidate(tx, candidate))).await?;
    let path = path.to_owned();
    match verdict {
        KeyVerdict::Welcome(keys) => {
            let vault = Vault::from_keys(&keys)?;
            // A file that cannot be replaced is no reason not to serve; `amparo key rotate` waits for it.
            match take_new_key(context, &vault, &path, process.name).await {
                Ok(()) => {}
                Err(KeyError::File(error)) => {
                    tracing::error!(%error, "the key file cannot follow the server key");
                }
                Err(error) => return Err(error),
            }
            Ok(vault)
        }
        KeyVerdict::OtherKey => Err(KeyError::OtherKey(path)),
        KeyVerdict::KeyLost => Err(KeyError::KeyLost(path)),
        KeyVerdict::InUse => Err(KeyError::InUse(path)),
        // If the process dies before it writes the file, nothing was encrypted with the key.
        KeyVerdict::KeyCreated => {
            fresh.create_file(&path)?;
            tracing::info!(path = %path.display(), "server key created");
            Ok(Vault::from_keys(&[fresh])?)
        }
    }
}

/// The vault for a command that runs beside the server or before its first start. The command registers and
/// unregisters as a process of its own, so that a key is created if none exists.
#[boxed::future]
pub async fn open_vault_for_command(
    context: KeyContext<'_>,
    path: &Path,
    process: ProcessIdentity<'_>,
) -> Result<Vault, KeyError> {
    if let Some((keys, registered)) = find_server_keys(context, path).await? {
        let vault = Vault::from_keys(&keys)?;
        if registered.fingerprint.is_none() {
            let lane = WriteLane::foreground(TenantId::SERVER);
            let fingerprint = vault.fingerprint();
            context.db.write(lane, fingerprint, |tx, own| Box::pin(register_first_key(tx, own))).await?;
        }
        return Ok(vault);
    }
    let vault = check_server_key(context, path, process).await?;
    processes::unregister_process(context.db, process.name).await?;
    Ok(vault)
}

/// What a command encrypts before the first server starts must not open with another key than the server's.
async fn register_first_key(tx: &mut Tx, fingerprint: &str) -> Result<(), storage::Error> {
    match settings::find_setting(&mut *tx, ServerSetting::KeyFingerprint).await? {
        Some(_) => Ok(()),
        None => settings::upsert_setting(tx, ServerSetting::KeyFingerprint, fingerprint).await,
    }
}

/// The processes whose heartbeats are in another database than their registration.
async fn list_live_elsewhere(context: KeyContext<'_>) -> Result<Vec<String>, storage::Error> {
    let Some(activity) = context.db.separate_activity() else { return Ok(Vec::new()) };
    let since = context.clock.now().minus(GONE_AFTER);
    let live = processes::list_processes_seen(activity, since).await?;
    Ok(live.into_iter().map(|one| one.process).collect())
}

async fn judge_candidate(tx: &mut Tx, new: &ServerCandidate) -> Result<KeyVerdict, storage::Error> {
    let since = new.now.minus(GONE_AFTER);
    let known = read_key_state(tx, since, (&new.process, &new.live_elsewhere)).await?;
    let (verdict, digest) = match (new.in_file.first(), known.registered.choose_keys(&new.in_file)) {
        (Some(first), Some(keys)) => {
            let is_new = known.registered.fingerprint.is_none();
            (KeyVerdict::Welcome(keys), is_new.then(|| first.fingerprint()))
        }
        (Some(_), None) => return Ok(KeyVerdict::OtherKey),
        (None, _) if known.has_secret => return Ok(KeyVerdict::KeyLost),
        (None, _) if known.is_served => return Ok(KeyVerdict::InUse),
        (None, _) => (KeyVerdict::KeyCreated, Some(new.fresh.clone())),
    };
    if let Some(digest) = digest {
        forget_rotation(tx).await?;
        settings::upsert_setting(tx, ServerSetting::KeyFingerprint, &digest).await?;
    }
    processes::record_heartbeat(tx, &new.process, new.version, new.now).await?;
    Ok(verdict)
}

/// A key file that matches its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFileState {
    /// There is none, and a new one loses nothing.
    Absent,
    Present,
    /// A new key has not taken the place of the old one everywhere.
    RotationUnfinished,
}

/// The state of the key file, without creating one; an error if it does not match the database.
#[boxed::future]
pub async fn inspect_server_key(context: KeyContext<'_>, path: &Path) -> Result<KeyFileState, KeyError> {
    Ok(match find_server_keys(context, path).await? {
        None => KeyFileState::Absent,
        Some((_, registered)) if registered.next_key.is_some() => KeyFileState::RotationUnfinished,
        Some(_) => KeyFileState::Present,
    })
}

/// The keys to use, the one that encrypts first, and what the database knows of them; none if there is no file, and a
/// new one loses nothing.
pub(crate) async fn find_server_keys(
    context: KeyContext<'_>,
    path: &Path,
) -> Result<Option<(Vec<ServerKey>, RegisteredKey)>, KeyError> {
    let input = (context.clock.now().minus(GONE_AFTER), list_live_elsewhere(context).await?);
    let known = context
        .db
        .read(input, |tx, (since, elsewhere)| Box::pin(read_key_state(tx, *since, ("", elsewhere))))
        .await?;
    let in_file = ServerKey::read_file(path)?;
    match (in_file.is_empty(), known.registered.choose_keys(&in_file)) {
        (true, _) if known.has_secret => Err(KeyError::KeyLost(path.to_owned())),
        (true, _) if known.is_served => Err(KeyError::InUse(path.to_owned())),
        (true, _) => Ok(None),
        (false, None) => Err(KeyError::OtherKey(path.to_owned())),
        (false, Some(keys)) => Ok(Some((keys, known.registered))),
    }
}

/// A new key, by its digest, that is to take the place of a lost one.
struct ReplacementKey {
    path: PathBuf,
    in_file: Vec<ServerKey>,
    fresh: String,
    since: Moment,
    live_elsewhere: Vec<String>,
}

/// Makes `fresh` the key of the database. Refuses unless the present key is lost, and no server runs.
#[boxed::future]
pub async fn register_replacement(
    context: KeyContext<'_>,
    path: &Path,
    fresh: &ServerKey,
) -> Result<(), KeyError> {
    let replacement = ReplacementKey {
        path: path.to_owned(),
        in_file: ServerKey::read_file(path)?,
        fresh: fresh.fingerprint(),
        since: context.clock.now().minus(GONE_AFTER),
        live_elsewhere: list_live_elsewhere(context).await?,
    };
    // In one transaction: a server that starts meanwhile is seen, or finds that its key is another.
    let lane = WriteLane::foreground(TenantId::SERVER);
    context.db.write(lane, replacement, |tx, new| Box::pin(write_replacement(tx, new))).await
}

async fn write_replacement(tx: &mut Tx, new: &ReplacementKey) -> Result<(), KeyError> {
    let known = read_key_state(tx, new.since, ("", &new.live_elsewhere)).await?;
    match (new.in_file.is_empty(), known.registered.choose_keys(&new.in_file)) {
        (false, None) => return Err(KeyError::OtherKey(new.path.clone())),
        (false, Some(_)) => return Err(KeyError::NotLost(new.path.clone())),
        (true, _) if known.is_served => return Err(KeyError::InUse(new.path.clone())),
        (true, _) => {}
    }
    forget_rotation(tx).await?;
    Ok(settings::upsert_setting(tx, ServerSetting::KeyFingerprint, &new.fresh).await?)
}

/// A rotation whose keys are gone is over.
async fn forget_rotation(tx: &mut Tx) -> Result<(), storage::Error> {
    for setting in [ServerSetting::NextKey, ServerSetting::RetiringKey] {
        settings::delete_setting(tx, setting).await?;
    }
    Ok(())
}

async fn read_key_state(
    tx: &mut Tx,
    since: Moment,
    (but, live_elsewhere): (&str, &[String]),
) -> Result<DatabaseKeyState, storage::Error> {
    let registered = processes::list_processes_seen(&mut *tx, since).await?;
    Ok(DatabaseKeyState {
        registered: RegisteredKey::load(tx).await?,
        has_secret: secrets::has_secrets(&mut *tx).await?,
        is_served: registered.iter().map(|one| &one.process).chain(live_elsewhere).any(|one| one != but),
    })
}
