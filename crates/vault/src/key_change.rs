//! How a running server follows `amparo key rotate`: with every heartbeat it compares its key with the digest in the
//! database, takes a new key into its memory and its file, and says so. The other half is `key_rotation.rs`.

use crate::key_file::{KeyFileError, KeyFileLock, ServerKey};
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::Vault;
use domain::TenantId;
use std::path::{Path, PathBuf};
use std::time::Duration;
use storage::server::key_holders;
use storage::{Tx, WriteLane};

/// A disk that takes longer does not answer.
const FILE_LIMIT: Duration = Duration::from_secs(5);

/// Takes the key that the database names, if it is another than the one in use, and keeps the file in step.
#[boxed::future]
pub async fn take_new_key(
    context: KeyContext<'_>,
    vault: &Vault,
    path: &Path,
    process: &str,
) -> Result<(), KeyError> {
    let held = vault.server_keys();
    let registered = RegisteredKey::read(context.db).await?;
    let read = run_with_limit(path, ServerKey::read_file).await;
    // A file that cannot be read keeps no key out of the memory: servers that have it may use it already.
    let in_file = read.as_deref().unwrap_or_default();
    let keys = choose_keys(&registered, &held, in_file, path)?;
    if vault.replace_keys(&keys)? {
        tracing::info!(fingerprint = vault.fingerprint(), keys = keys.len(), "the server key changed");
    }
    let mut is_kept = find_file_content(&registered, &read?, &keys).is_none();
    if !is_kept {
        is_kept = write_file(context, &held, path).await?;
    }
    if registered.next_key.is_none() || !is_kept {
        return Ok(());
    }
    let holder = (process.to_owned(), vault.fingerprint());
    let lane = WriteLane::background(TenantId::SERVER);
    Ok(context.db.write(lane, holder, |tx, holder| Box::pin(write_holder(tx, holder))).await?)
}

fn choose_keys(
    registered: &RegisteredKey,
    held: &[ServerKey],
    in_file: &[ServerKey],
    path: &Path,
) -> Result<Vec<ServerKey>, KeyError> {
    let mut at_hand = held.to_vec();
    at_hand.extend(in_file.iter().filter(|key| !held.contains(key)).cloned());
    registered.choose_keys(&at_hand).ok_or_else(|| KeyError::OtherKey(path.to_owned()))
}

/// What the file must hold instead; `None` if it is as it must be.
///
/// During a rotation it must hold all keys. Afterwards the replaced ones go; other keys are of another database, and a file
/// of nothing else is not of this rotation.
fn find_file_content(
    registered: &RegisteredKey,
    in_file: &[ServerKey],
    keys: &[ServerKey],
) -> Option<Vec<ServerKey>> {
    let is_retired = |key: &ServerKey| Some(key.fingerprint()) == registered.retired;
    let is_ours = |key: &ServerKey| keys.contains(key) || is_retired(key);
    let is_rotating = registered.next_key.is_some();
    if !is_rotating && !in_file.iter().any(is_ours) {
        return None;
    }
    let is_foreign = |key: &&ServerKey| !keys.contains(key) && (is_rotating || !is_retired(key));
    let mut content = keys.to_vec();
    content.extend(in_file.iter().filter(is_foreign).cloned());
    let is_same = content.len() == in_file.len() && content.iter().all(|key| in_file.contains(key));
    (!is_same).then_some(content)
}

/// Whether the file is in step now. A command that rotates the key has the file: then the next heartbeat looks again.
async fn write_file(context: KeyContext<'_>, held: &[ServerKey], path: &Path) -> Result<bool, KeyError> {
    let Some(file) = run_with_limit(path, KeyFileLock::try_acquire).await? else { return Ok(false) };
    // Read again: another rotation may have come and gone since.
    let registered = RegisteredKey::read(context.db).await?;
    let in_file = run_with_limit(path, ServerKey::read_file).await?;
    let keys = choose_keys(&registered, held, &in_file, path)?;
    if let Some(content) = find_file_content(&registered, &in_file, &keys) {
        run_with_limit(path, move |_| file.replace_keys(&content)).await?;
    }
    Ok(true)
}

/// Runs work on files away from the requests, and gives up on a disk that does not answer.
async fn run_with_limit<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&Path) -> Result<T, KeyFileError> + Send + 'static,
) -> Result<T, KeyFileError> {
    let owned: PathBuf = path.to_owned();
    let working = tokio::task::spawn_blocking(move || work(&owned));
    let silent = |cause: String| KeyFileError::File { path: path.to_owned(), cause };
    match tokio::time::timeout(FILE_LIMIT, working).await {
        Ok(Ok(done)) => done,
        Ok(Err(error)) => Err(silent(error.to_string())),
        Err(_) => Err(silent("the disk does not answer".to_owned())),
    }
}

/// Says that this process has the key, unless the rotation is over.
async fn write_holder(tx: &mut Tx, (process, fingerprint): &(String, String)) -> Result<(), storage::Error> {
    match RegisteredKey::load(tx).await?.next_key {
        Some(_) => key_holders::upsert_key_holder(tx, process, fingerprint).await,
        None => Ok(()),
    }
}
