//! What the database knows of its key, and which of the keys at hand that makes the key in use.

use crate::key_file::{KeyFileError, ServerKey};
use crate::sealed_secret::{SealError, open_next_key};
use domain::{Clock, RandomSource};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::server::settings::{self, ServerSetting};
use storage::{Db, Tx};

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
    #[error("{0} is absent, and nothing was encrypted yet")]
    NoKeyYet(PathBuf),
    #[error("{0} is the key of this database")]
    NotLost(PathBuf),
    #[error("these processes do not have the new key in their file: {0:?}")]
    NotTaken(Vec<String>),
    #[error("another process is changing the key")]
    ConcurrentChange,
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Storage(#[from] storage::Error),
}

/// What work on the key needs of its process.
#[derive(Clone, Copy)]
pub struct KeyContext<'a> {
    pub db: &'a Db,
    pub clock: &'a dyn Clock,
    pub random: &'a Arc<dyn RandomSource>,
}

/// What the database knows of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegisteredKey {
    pub fingerprint: Option<String>,
    /// While a new key takes the place of an old one: the new key, encrypted with the old.
    pub next_key: Option<String>,
    /// The digest of the key that was replaced last, or is being replaced.
    pub retired: Option<String>,
}

impl RegisteredKey {
    pub(crate) async fn load(tx: &mut Tx) -> Result<RegisteredKey, storage::Error> {
        Ok(RegisteredKey {
            fingerprint: settings::find_setting(&mut *tx, ServerSetting::KeyFingerprint).await?,
            next_key: settings::find_setting(&mut *tx, ServerSetting::NextKey).await?,
            retired: settings::find_setting(&mut *tx, ServerSetting::RetiredKey).await?,
        })
    }

    pub(crate) async fn read(db: &Db) -> Result<RegisteredKey, storage::Error> {
        db.read((), |tx, ()| Box::pin(RegisteredKey::load(tx))).await
    }

    /// The keys to use of those at hand, the one that encrypts first. `None` if the key of the database is not among
    /// them, and none of them decrypts it.
    pub(crate) fn choose_keys(&self, at_hand: &[ServerKey]) -> Option<Vec<ServerKey>> {
        let Some(expected) = &self.fingerprint else { return Some(at_hand.to_vec()) };
        let is_expected = |key: &ServerKey| key.fingerprint() == *expected;
        let next_key = || open_next_key(at_hand, self.next_key.as_deref()?).filter(is_expected);
        let current = at_hand.iter().find(|key| is_expected(key)).cloned().or_else(next_key)?;
        let mut keys = vec![current];
        if self.next_key.is_some() {
            keys.extend(at_hand.iter().filter(|key| Some(key.fingerprint()) == self.retired).cloned());
        }
        Some(keys)
    }
}

/// Refuses keys with which the secrets of this database do not open.
#[boxed::future]
pub async fn ensure_keys_fit(db: &Db, keys: &[ServerKey], path: &Path) -> Result<(), KeyError> {
    match RegisteredKey::read(db).await?.choose_keys(keys) {
        Some(_) => Ok(()),
        None => Err(KeyError::OtherKey(path.to_owned())),
    }
}
