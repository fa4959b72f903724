//! `amparo key rotate`: a new key takes the place of the old one while servers run.
//!
//! 1. The new key is added to the file of this machine, and announced in the database, encrypted with the old one.
//! 2. Every live server takes it into its memory and its file (`key_change.rs`), and says so. Until all have, secrets
//!    encrypted with either key are accepted.
//! 3. From then on [`storage::server::secrets::ensure_key_in_use`] refuses the old key. Every stored secret is encrypted
//!    again, association by association, in the lane of its writes: none that the old key encrypted can follow.
//! 4. The announcement and the old key are deleted.
//!
//! Interrupted at any point, the same command goes on.

use crate::key_file::ServerKey;
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::{SecretLocation, Vault};
use crate::server_key::find_server_keys;
use domain::{RandomSource, SecretOwnerKind, TenantId};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use storage::server::key_holders;
use storage::server::processes::{self, GONE_AFTER};
use storage::server::secrets::{self, StoredSecret};
use storage::server::settings::{self, ServerSetting};
use storage::{Tx, WriteLane};

/// How often the servers are looked at while they take the key.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How many secrets are encrypted again in one unit of work.
const BATCH_SIZE: usize = 200;

/// What a rotation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyRotation {
    /// Secrets that are encrypted with the new key now.
    pub sealed_again: u64,
    /// Secrets that none of the keys opens, left as they are.
    pub unreadable: u64,
}

/// How long servers may take, and who is told which of them are awaited.
pub struct RotationWait<'a> {
    pub limit: Duration,
    pub on_wait: &'a (dyn Fn(&[String]) + Send + Sync),
}

/// Replaces the key of a database and its servers.
#[boxed::future]
pub async fn rotate_server_key(
    context: KeyContext<'_>,
    path: &Path,
    wait: RotationWait<'_>,
) -> Result<KeyRotation, KeyError> {
    let vault = announce_key(context, path).await?;
    await_servers(context, &vault.fingerprint(), wait).await?;
    let lane = WriteLane::foreground(TenantId::SERVER);
    context
        .db
        .write(lane, (), |tx, ()| Box::pin(settings::delete_setting(tx, ServerSetting::RetiringKey)))
        .await?;
    let mut rotation = KeyRotation::default();
    for tenant in secrets::list_tenants_with_secrets(context.db).await? {
        seal_tenant_again(context, &vault, tenant, &mut rotation).await?;
    }
    context.db.write(lane, vault.fingerprint(), |tx, new| Box::pin(finish_rotation(tx, new))).await?;
    ServerKey::replace_file(path, &vault.server_keys()[..1])?;
    Ok(rotation)
}

/// A new key, by its digest and encrypted, and the digest of the old one.
struct AnnouncedKey {
    old: String,
    new: String,
    next_key: String,
}

/// Adds a new key to the file and announces it in the database, unless an interrupted rotation already did.
#[boxed::future]
pub async fn announce_key(context: KeyContext<'_>, path: &Path) -> Result<Vault, KeyError> {
    let keys = find_server_keys(context, path).await?.ok_or_else(|| KeyError::NoKeyYet(path.to_owned()))?;
    let known = Vault::from_keys(&keys)?;
    let registered = context.db.read((), |tx, ()| Box::pin(RegisteredKey::load(tx))).await?;
    if registered.next_key.is_some() {
        ServerKey::replace_file(path, &keys)?;
        return Ok(known);
    }
    let (new, old) = (ServerKey::generate(&**context.random), keys.into_iter().take(1));
    let both: Vec<ServerKey> = std::iter::once(new.clone()).chain(old).collect();
    // In the file first: the new key is never in the database alone.
    ServerKey::replace_file(path, &both)?;
    let announced = AnnouncedKey {
        old: known.fingerprint(),
        new: new.fingerprint(),
        next_key: known.seal_next_key(&**context.random, &new)?,
    };
    let lane = WriteLane::foreground(TenantId::SERVER);
    context.db.write(lane, announced, |tx, announced| Box::pin(write_announcement(tx, announced))).await?;
    Ok(Vault::from_keys(&both)?)
}

async fn write_announcement(tx: &mut Tx, announced: &AnnouncedKey) -> Result<(), KeyError> {
    let registered = RegisteredKey::load(tx).await?;
    // A database without a digest has never been served.
    let is_same = registered.fingerprint.as_ref().is_none_or(|known| *known == announced.old);
    if !is_same || registered.next_key.is_some() {
        return Err(KeyError::ConcurrentChange);
    }
    key_holders::delete_all_key_holders(tx).await?;
    settings::upsert_setting(tx, ServerSetting::RetiringKey, &announced.old).await?;
    settings::upsert_setting(tx, ServerSetting::NextKey, &announced.next_key).await?;
    Ok(settings::upsert_setting(tx, ServerSetting::KeyFingerprint, &announced.new).await?)
}

/// Waits until every live server has the key.
async fn await_servers(
    context: KeyContext<'_>,
    fingerprint: &str,
    wait: RotationWait<'_>,
) -> Result<(), KeyError> {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    let looks = wait.limit.as_millis() / LOOK_EVERY.as_millis();
    for look in 0..=looks {
        ticks.tick().await;
        let since = context.clock.now().minus(GONE_AFTER);
        let holders = key_holders::list_key_holders(context.db, fingerprint).await?;
        let live = processes::list_live_processes(context.db, since).await?;
        let mut awaited: Vec<String> = live.into_iter().map(|one| one.process).collect();
        awaited.retain(|process| !holders.contains(process));
        match awaited.is_empty() {
            true => return Ok(()),
            false if look == looks => return Err(KeyError::NotTaken(awaited)),
            false => (wait.on_wait)(&awaited),
        }
    }
    Ok(())
}

/// A page of the secrets of an association, those after a place.
struct SecretPage {
    vault: Vault,
    random: Arc<dyn RandomSource>,
    tenant: TenantId,
    after: Option<(String, i32)>,
}

async fn seal_tenant_again(
    context: KeyContext<'_>,
    vault: &Vault,
    tenant: TenantId,
    rotation: &mut KeyRotation,
) -> Result<(), KeyError> {
    let mut after = None;
    loop {
        let page = SecretPage { vault: vault.clone(), random: Arc::clone(context.random), tenant, after };
        let lane = WriteLane::background(tenant);
        let unit = context.db.write(lane, page, |tx, page| Box::pin(seal_page_again(tx, page)));
        let (done, last) = unit.await?;
        rotation.sealed_again += done.sealed_again;
        rotation.unreadable += done.unreadable;
        if last.is_none() {
            return Ok(());
        }
        after = last;
    }
}

/// What was done, and the place of the last secret; none if there was none.
async fn seal_page_again(
    tx: &mut Tx,
    page: &SecretPage,
) -> Result<(KeyRotation, Option<(String, i32)>), KeyError> {
    let stored = secrets::list_secrets_after(&mut *tx, page.tenant, page.after.as_ref(), BATCH_SIZE).await?;
    let mut done = KeyRotation::default();
    for StoredSecret { kind, code, sealed } in &stored {
        let owner = SecretOwnerKind::from_name(kind);
        let place = owner.map(|kind| SecretLocation { tenant: page.tenant, kind, code: *code });
        match place.map(|place| (place, page.vault.seal_again(&*page.random, place, sealed))) {
            Some((_, Ok(None))) => {}
            Some((place, Ok(Some(fresh)))) => {
                secrets::upsert_secret(tx, page.tenant, place.kind, *code, &fresh).await?;
                done.sealed_again += 1;
            }
            Some((_, Err(_))) | None => done.unreadable += 1,
        }
    }
    Ok((done, stored.into_iter().last().map(|one| (one.kind, one.code))))
}

async fn finish_rotation(tx: &mut Tx, fingerprint: &str) -> Result<(), KeyError> {
    if RegisteredKey::load(tx).await?.fingerprint.as_deref() != Some(fingerprint) {
        return Err(KeyError::ConcurrentChange);
    }
    key_holders::delete_all_key_holders(tx).await?;
    Ok(settings::delete_setting(tx, ServerSetting::NextKey).await?)
}
