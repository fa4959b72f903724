//! `amparo key rotate`: a new key takes the place of the old one while servers run.
//!
//! 1. The new key is added to the file of this machine, and announced in the database, encrypted with the old one.
//! 2. Every live server takes it into its memory and its file (`key_change.rs`), and says so. Until all have, secrets
//!    encrypted with either key are accepted.
//! 3. From then on [`secrets::ensure_key_in_use`] refuses the old key. Every stored secret is encrypted again,
//!    association by association, in the lane of its writes: none that the old key encrypted can follow. An association
//!    without secrets is entered, too: its first may be under way.
//! 4. The announcement and the old key are deleted.
//!
//! Interrupted at any point, the same command goes on.

use crate::key_file::{KeyFileLock, ServerKey};
use crate::registered_key::{KeyContext, KeyError, RegisteredKey};
use crate::sealed_secret::{SecretLocation, Vault};
use crate::server_key::find_server_keys;
use domain::{Moment, RandomSource, SecretOwnerKind, TenantId};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use storage::server::key_holders;
use storage::server::processes::{self, GONE_AFTER, ServerProcess};
use storage::server::secrets::{self, StoredSecret};
use storage::server::settings::{self, ServerSetting};
use storage::server::tenants;
use storage::{Tx, WriteLane};
use tokio::time::MissedTickBehavior;

/// How often the servers are looked at while they take the key.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long a command waits for a server that is just replacing its key file.
const LOCK_ATTEMPTS: u32 = 25;
/// Processes that were not seen for this long are not looked at.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);
/// Announced instead of the encrypted key while no server runs: the key does not pass through the database at all.
const NO_SERVER_ASKS: &str = "-";
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
    let file = lock_key_file(context, path).await?;
    let vault = announce_key_in(context, path, &file).await?;
    await_servers(context, &vault.fingerprint(), wait).await?;
    let lane = WriteLane::foreground(TenantId::SERVER);
    context.db.write(lane, vault.fingerprint(), |tx, new| Box::pin(retire_old_key(tx, new))).await?;
    let mut rotation = KeyRotation::default();
    let known = tenants::list_tenants(context.db).await?.into_iter().map(|tenant| tenant.id);
    let mut all: Vec<TenantId> = known.chain([TenantId::SERVER]).collect();
    all.extend(secrets::list_tenants_with_secrets(context.db).await?);
    all.sort_unstable();
    all.dedup();
    for tenant in all {
        seal_tenant_again(context, &vault, tenant, &mut rotation).await?;
    }
    // The new key is on the disk before the last copy of it leaves the database. Keys of other databases stay.
    let keys = vault.server_keys();
    let foreign: Vec<ServerKey> =
        ServerKey::read_file(path)?.into_iter().filter(|key| !keys.contains(key)).collect();
    file.replace_keys(&[&keys[..], &foreign].concat())?;
    context.db.write(lane, vault.fingerprint(), |tx, new| Box::pin(finish_rotation(tx, new))).await?;
    file.replace_keys(&[&keys[..1], &foreign].concat())?;
    Ok(rotation)
}

async fn lock_key_file(context: KeyContext<'_>, path: &Path) -> Result<KeyFileLock, KeyError> {
    if find_server_keys(context, path).await?.is_none() {
        return Err(KeyError::NoKeyYet(path.to_owned()));
    }
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    for _ in 0..LOCK_ATTEMPTS {
        ticks.tick().await;
        if let Some(file) = KeyFileLock::try_acquire(path)? {
            return Ok(file);
        }
    }
    Err(KeyError::ConcurrentChange)
}

/// A new key, by its digest and encrypted, and the digest of the old one.
struct AnnouncedKey {
    old: String,
    new: String,
    next_key: String,
}

/// The first step of a rotation: the key is in the file and the database, and no server has taken it yet.
#[boxed::future]
pub async fn announce_key(context: KeyContext<'_>, path: &Path) -> Result<Vault, KeyError> {
    let file = lock_key_file(context, path).await?;
    announce_key_in(context, path, &file).await
}

/// Adds a new key to the file and announces it in the database, unless an interrupted rotation already did.
async fn announce_key_in(
    context: KeyContext<'_>,
    path: &Path,
    file: &KeyFileLock,
) -> Result<Vault, KeyError> {
    let found = find_server_keys(context, path).await?;
    let (keys, registered) = found.ok_or_else(|| KeyError::NoKeyYet(path.to_owned()))?;
    let known = Vault::from_keys(&keys)?;
    if registered.next_key.is_some() {
        file.replace_keys(&keys)?;
        return Ok(known);
    }
    let (old, new) = (keys[0].clone(), ServerKey::generate(&**context.random));
    // In the file first: the new key is never in the database alone. And after the old one, which is in use until the
    // database says otherwise.
    let foreign = ServerKey::read_file(path)?.into_iter().filter(|key| *key != old);
    file.replace_keys(&[old.clone(), new.clone()].into_iter().chain(foreign).collect::<Vec<_>>())?;
    let announced = AnnouncedKey {
        old: old.fingerprint(),
        new: new.fingerprint(),
        next_key: match list_known_servers(context).await?.is_empty() {
            true => NO_SERVER_ASKS.to_owned(),
            false => known.seal_next_key(&**context.random, &new)?,
        },
    };
    let lane = WriteLane::foreground(TenantId::SERVER);
    context.db.write(lane, announced, |tx, announced| Box::pin(write_announcement(tx, announced))).await?;
    Ok(Vault::from_keys(&[new, old])?)
}

async fn write_announcement(tx: &mut Tx, announced: &AnnouncedKey) -> Result<(), KeyError> {
    let registered = RegisteredKey::load(tx).await?;
    // A database without a digest has never been served.
    let is_same = registered.fingerprint.as_ref().is_none_or(|known| *known == announced.old);
    if !is_same || registered.next_key.is_some() {
        return Err(KeyError::ConcurrentChange);
    }
    key_holders::delete_all_key_holders(tx).await?;
    for setting in [ServerSetting::RetiringKey, ServerSetting::RetiredKey] {
        settings::upsert_setting(tx, setting, &announced.old).await?;
    }
    settings::upsert_setting(tx, ServerSetting::NextKey, &announced.next_key).await?;
    Ok(settings::upsert_setting(tx, ServerSetting::KeyFingerprint, &announced.new).await?)
}

/// The servers that did not sign off, live or killed.
async fn list_known_servers(context: KeyContext<'_>) -> Result<Vec<ServerProcess>, storage::Error> {
    processes::list_live_processes(context.db, context.clock.now().minus(FORGOTTEN_AFTER)).await
}

/// Waits until every live server has the key. Their clocks may be wrong, and this process may be held up: a server is gone
/// if its heartbeat is the same in as many looks as a silence of [`GONE_AFTER`] takes.
async fn await_servers(
    context: KeyContext<'_>,
    fingerprint: &str,
    wait: RotationWait<'_>,
) -> Result<(), KeyError> {
    let mut heartbeats: HashMap<String, (Moment, u128)> = HashMap::new();
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let looks_of_silence = GONE_AFTER.as_millis() / LOOK_EVERY.as_millis();
    let looks = wait.limit.as_millis() / LOOK_EVERY.as_millis();
    for look in 0..=looks {
        ticks.tick().await;
        let holders = key_holders::list_key_holders(context.db, fingerprint).await?;
        let mut awaited = Vec::new();
        for server in list_known_servers(context).await? {
            let (seen_at, same) = heartbeats.entry(server.process.clone()).or_insert((server.seen_at, 0));
            *same = if *seen_at == server.seen_at { *same + 1 } else { 0 };
            *seen_at = server.seen_at;
            if !holders.contains(&server.process) && *same <= looks_of_silence {
                awaited.push(server.process);
            }
        }
        match awaited.is_empty() {
            true => return Ok(()),
            false if look == looks => return Err(KeyError::NotTaken(awaited)),
            false => (wait.on_wait)(&awaited),
        }
    }
    Ok(())
}

/// From here on nothing that the old key encrypts is stored.
async fn retire_old_key(tx: &mut Tx, fingerprint: &str) -> Result<(), KeyError> {
    ensure_same_key(tx, fingerprint).await?;
    Ok(settings::delete_setting(tx, ServerSetting::RetiringKey).await?)
}

async fn finish_rotation(tx: &mut Tx, fingerprint: &str) -> Result<(), KeyError> {
    ensure_same_key(tx, fingerprint).await?;
    key_holders::delete_all_key_holders(tx).await?;
    Ok(settings::delete_setting(tx, ServerSetting::NextKey).await?)
}

async fn ensure_same_key(tx: &mut Tx, fingerprint: &str) -> Result<(), KeyError> {
    match RegisteredKey::load(tx).await?.fingerprint.as_deref() == Some(fingerprint) {
        true => Ok(()),
        false => Err(KeyError::ConcurrentChange),
    }
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
    secrets::ensure_key_in_use(tx, &page.vault.fingerprint()).await?;
    let stored = secrets::list_secrets_after(&mut *tx, page.tenant, page.after.as_ref(), BATCH_SIZE).await?;
    let last = stored.last().map(|one| (one.kind.clone(), one.code));
    let mut done = KeyRotation::default();
    let mut updates = Vec::new();
    for StoredSecret { kind, code, sealed } in &stored {
        let unknown = || storage::Error::Broken(format!("{kind:?} is no kind of secret"));
        let owner = SecretOwnerKind::from_name(kind).ok_or_else(unknown)?;
        let place = SecretLocation { tenant: page.tenant, kind: owner, code: *code };
        match page.vault.seal_again(&*page.random, place, sealed) {
            Ok(None) => {}
            Ok(Some(fresh)) => updates.push(secrets::update_secret(page.tenant, owner, *code, &fresh)),
            Err(_) => done.unreadable += 1,
        }
    }
    done.sealed_again = updates.len() as u64;
    tx.execute_batch(updates).await?;
    Ok((done, last))
}
