//! How a running server follows `amparo key rotate`: with every heartbeat it asks the database for its key, takes a new one
//! into its memory and its file, and says so. The other half is `key_rotation.rs`.

use crate::key_file::ServerKey;
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::Vault;
use domain::TenantId;
use std::path::Path;
use storage::server::key_holders;
use storage::{Tx, WriteLane};

/// Takes the key that the database names, if it is another than the one in use.
#[boxed::future]
pub async fn take_new_key(
    context: KeyContext<'_>,
    vault: &Vault,
    path: &Path,
    process: &str,
) -> Result<(), KeyError> {
    let registered = context.db.read((), |tx, ()| Box::pin(RegisteredKey::load(tx))).await?;
    let in_use = vault.server_keys();
    let is_settled = in_use.len() == 1 && registered.fingerprint.as_ref() == Some(&vault.fingerprint());
    if is_settled && registered.next_key.is_none() {
        return Ok(());
    }
    let in_file = ServerKey::read_file(path)?;
    let mut at_hand = in_use;
    at_hand.extend(in_file.iter().filter(|key| !vault.server_keys().contains(key)).cloned());
    let keys = registered.choose_keys(&at_hand).ok_or_else(|| KeyError::OtherKey(path.to_owned()))?;
    if vault.replace_keys(&keys)? {
        tracing::info!(fingerprint = vault.fingerprint(), keys = keys.len(), "the server key changed");
    }
    if in_file.len() != keys.len() || in_file.iter().any(|key| !keys.contains(key)) {
        ServerKey::replace_file(path, &keys)?;
    }
    if registered.next_key.is_none() {
        return Ok(());
    }
    let holder = (process.to_owned(), vault.fingerprint());
    let lane = WriteLane::background(TenantId::SERVER);
    Ok(context.db.write(lane, holder, |tx, holder| Box::pin(write_holder(tx, holder))).await?)
}

/// Says that this process has the key, unless the rotation is over.
async fn write_holder(tx: &mut Tx, (process, fingerprint): &(String, String)) -> Result<(), storage::Error> {
    match RegisteredKey::load(tx).await?.next_key {
        Some(_) => key_holders::upsert_key_holder(tx, process, fingerprint).await,
        None => Ok(()),
    }
}
