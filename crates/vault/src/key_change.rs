//! How a running server follows `amparo key rotate`: with every heartbeat it compares its key with the digest in the
//! database, takes a new key into its memory and its file, and says so. The other half is `key_rotation.rs`.

use crate::key_file::{KeyFileLock, ServerKey};
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::Vault;
use domain::TenantId;
use std::path::Path;
use storage::server::key_holders;
use storage::{Tx, WriteLane};

/// Takes the key that the database names, if it is another than the one in use, and keeps the file in step.
#[boxed::future]
pub async fn take_new_key(
    context: KeyContext<'_>,
    vault: &Vault,
    path: &Path,
    process: &str,
) -> Result<(), KeyError> {
    let registered = RegisteredKey::read(context.db).await?;
    let in_file = ServerKey::read_file(path)?;
    let mut at_hand = vault.server_keys();
    at_hand.extend(in_file.iter().filter(|key| !vault.server_keys().contains(key)).cloned());
    let keys = registered.choose_keys(&at_hand).ok_or_else(|| KeyError::OtherKey(path.to_owned()))?;
    if vault.replace_keys(&keys)? {
        tracing::info!(fingerprint = vault.fingerprint(), keys = keys.len(), "the server key changed");
    }
    if !is_file_in_step(&registered, &in_file, &keys) {
        // A command that rotates the key has the file: the next heartbeat looks again.
        let Some(file) = KeyFileLock::try_acquire(path)? else { return Ok(()) };
        file.replace_keys(&keys)?;
    }
    if registered.next_key.is_none() {
        return Ok(());
    }
    let holder = (process.to_owned(), vault.fingerprint());
    let lane = WriteLane::background(TenantId::SERVER);
    Ok(context.db.write(lane, holder, |tx, holder| Box::pin(write_holder(tx, holder))).await?)
}

/// During a rotation the file must hold all keys. Afterwards the old ones go; a file without the current key is not of
/// this rotation, and stays.
fn is_file_in_step(registered: &RegisteredKey, in_file: &[ServerKey], keys: &[ServerKey]) -> bool {
    let has_all = keys.iter().all(|key| in_file.contains(key));
    let has_others = in_file.iter().any(|key| !keys.contains(key));
    match registered.next_key.is_some() {
        true => has_all,
        false => !has_all || !has_others,
    }
}

/// Says that this process has the key, unless the rotation is over.
async fn write_holder(tx: &mut Tx, (process, fingerprint): &(String, String)) -> Result<(), storage::Error> {
    match RegisteredKey::load(tx).await?.next_key {
        Some(_) => key_holders::upsert_key_holder(tx, process, fingerprint).await,
        None => Ok(()),
    }
}
