//! Encryption of secrets with the server key, each bound to the location it is stored at.

use crate::key_file::ServerKey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{RandomSource, SealedSecret, SecretOwnerKind, TenantId};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SealError(&'static str);

/// Encrypts and decrypts with the server's keys. Cloning it is cheap, and all clones follow when the keys change.
#[derive(Clone)]
pub struct Vault(Arc<RwLock<SealingKeys>>);

/// The key that encrypts, and the keys it takes the place of, which still decrypt.
struct SealingKeys {
    server_keys: Vec<ServerKey>,
    fingerprint: String,
    current: LessSafeKey,
    retiring: Vec<LessSafeKey>,
}

impl SealingKeys {
    fn new(server_keys: &[ServerKey]) -> Result<SealingKeys, SealError> {
        let (current, retiring) = server_keys.split_first().ok_or(SealError("there is no key"))?;
        Ok(SealingKeys {
            server_keys: server_keys.to_vec(),
            fingerprint: current.fingerprint(),
            current: derive_sealing_key(current)?,
            retiring: retiring.iter().map(derive_sealing_key).collect::<Result<_, _>>()?,
        })
    }

    fn seal(&self, chance: &dyn RandomSource, binding: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        chance.fill(&mut nonce);
        let mut sealed = plain.to_vec();
        self.current
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(binding), &mut sealed)
            .map_err(|_| SealError("a secret could not be sealed"))?;
        Ok([&nonce[..], &sealed].concat())
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Vault(…)")
    }
}

impl Vault {
    pub fn new(server_key: &[u8; 32]) -> Result<Vault, SealError> {
        Vault::from_keys(&[ServerKey::from_bytes(*server_key)])
    }

    /// The first key encrypts; all of them decrypt.
    pub(crate) fn from_keys(server_keys: &[ServerKey]) -> Result<Vault, SealError> {
        Ok(Vault(Arc::new(RwLock::new(SealingKeys::new(server_keys)?))))
    }

    /// Returns whether the keys changed.
    pub(crate) fn replace_keys(&self, server_keys: &[ServerKey]) -> Result<bool, SealError> {
        let fresh = SealingKeys::new(server_keys)?;
        let mut keys = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let is_other = keys.server_keys != fresh.server_keys;
        *keys = fresh;
        Ok(is_other)
    }

    pub(crate) fn server_keys(&self) -> Vec<ServerKey> {
        self.keys().server_keys.clone()
    }

    /// The digest of the key that encrypts.
    pub fn fingerprint(&self) -> String {
        self.keys().fingerprint.clone()
    }

    fn keys(&self) -> RwLockReadGuard<'_, SealingKeys> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn seal(
        &self,
        chance: &dyn RandomSource,
        place: SecretLocation,
        plain: &[u8],
    ) -> Result<SealedSecret, SealError> {
        let keys = self.keys();
        let bytes = keys.seal(chance, &place.binding(), plain)?;
        Ok(SealedSecret { bytes, key_fingerprint: keys.fingerprint.clone() })
    }

    pub fn open(&self, place: SecretLocation, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (keys, binding) = (self.keys(), place.binding());
        let mut each = std::iter::once(&keys.current).chain(&keys.retiring);
        each.find_map(|key| decrypt(key, &binding, sealed))
            .ok_or(SealError("a secret does not open with this server's key"))
    }

    /// The same secret encrypted with the current key; `None` if it is so already.
    pub(crate) fn seal_again(
        &self,
        chance: &dyn RandomSource,
        place: SecretLocation,
        sealed: &[u8],
    ) -> Result<Option<SealedSecret>, SealError> {
        if decrypt(&self.keys().current, &place.binding(), sealed).is_some() {
            return Ok(None);
        }
        self.seal(chance, place, &self.open(place, sealed)?).map(Some)
    }

    /// Encrypts the key that will take the place of this one, for the other servers.
    pub(crate) fn seal_next_key(
        &self,
        chance: &dyn RandomSource,
        next: &ServerKey,
    ) -> Result<String, SealError> {
        Ok(URL_SAFE_NO_PAD.encode(self.keys().seal(chance, NEXT_KEY_BINDING, next.bytes())?))
    }

    /// Encrypts a value that the browser carries from one page to the next, bound to one session.
    pub fn seal_for_session(
        &self,
        chance: &dyn RandomSource,
        token: &str,
        plain: &str,
    ) -> Result<String, SealError> {
        let sealed = self.keys().seal(chance, &derive_session_binding(token), plain.as_bytes())?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Decrypts a value that any process with the server key sealed for this session.
    pub fn open_for_session(&self, token: &str, sealed: &str) -> Option<String> {
        let (keys, binding) = (self.keys(), derive_session_binding(token));
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let mut each = std::iter::once(&keys.current).chain(&keys.retiring);
        String::from_utf8(each.find_map(|key| decrypt(key, &binding, &bytes))?).ok()
    }
}

impl ServerKey {
    pub fn open_vault(&self) -> Result<Vault, SealError> {
        Vault::new(self.bytes())
    }
}

/// A key derived from the server key, independent of its other uses.
fn derive_sealing_key(server_key: &ServerKey) -> Result<LessSafeKey, SealError> {
    let derived = Sha256::new().chain_update(b"amparo secrets\0").chain_update(server_key.bytes()).finalize();
    let key =
        UnboundKey::new(&CHACHA20_POLY1305, &derived).map_err(|_| SealError("the key cannot be used"))?;
    Ok(LessSafeKey::new(key))
}

fn decrypt(key: &LessSafeKey, binding: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, ciphertext) = sealed.split_at_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let mut plain = ciphertext.to_vec();
    let opened = key.open_in_place(nonce, Aad::from(binding), &mut plain).ok()?;
    Some(opened.to_vec())
}

/// Decrypts a key that one of `keys` encrypted with [`Vault::seal_next_key`].
pub(crate) fn open_next_key(keys: &[ServerKey], sealed: &str) -> Option<ServerKey> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let opened =
        keys.iter().find_map(|key| decrypt(&derive_sealing_key(key).ok()?, NEXT_KEY_BINDING, &bytes))?;
    Some(ServerKey::from_bytes(opened.try_into().ok()?))
}

/// Never equal to the text of a [`SecretLocation`], nor to a session's.
const NEXT_KEY_BINDING: &[u8] = b"next key\0";

/// Never equal to the text of a [`SecretLocation`], which begins with a number.
fn derive_session_binding(token: &str) -> Vec<u8> {
    [b"session\0", &Sha256::digest(token.as_bytes())[..]].concat()
}

/// Where a secret is stored: moved elsewhere, it cannot be decrypted.
#[derive(Clone, Copy)]
pub struct SecretLocation {
    pub tenant: TenantId,
    pub kind: SecretOwnerKind,
    pub code: i32,
}

impl SecretLocation {
    fn binding(self) -> Vec<u8> {
        format!("{}:{}:{}", self.tenant, self.kind.name(), self.code).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fives;
    impl RandomSource for Fives {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(5);
        }
    }

    #[test]
    fn a_secret_opens_where_it_was_kept_and_nowhere_else() {
        let vault = Vault::new(&[7; 32]).unwrap();
        let place = SecretLocation { tenant: TenantId::new(1), kind: SecretOwnerKind::Receiver, code: 3 };
        let sealed = vault.seal(&Fives, place, b"segredo").unwrap().bytes;
        assert!(!sealed.windows(7).any(|part| part == b"segredo"));
        assert_eq!(vault.open(place, &sealed).unwrap(), b"segredo");
        assert!(vault.open(SecretLocation { code: 4, ..place }, &sealed).is_err(), "moved");
        assert!(Vault::new(&[8; 32]).unwrap().open(place, &sealed).is_err(), "another server's");
        assert!(vault.open(place, b"curto").is_err());
    }

    #[test]
    fn what_a_browser_carries_opens_for_its_own_session_alone() {
        let vault = Vault::new(&[7; 32]).unwrap();
        let sealed = vault.seal_for_session(&Fives, "amp_1_x", "Associado salvo.").unwrap();
        assert_eq!(vault.open_for_session("amp_1_x", &sealed).as_deref(), Some("Associado salvo."));
        assert_eq!(vault.open_for_session("amp_1_y", &sealed), None, "another session's");
        assert_eq!(Vault::new(&[8; 32]).unwrap().open_for_session("amp_1_x", &sealed), None);
        let mut forged = sealed.clone();
        forged.replace_range(20..21, if &sealed[20..21] == "A" { "B" } else { "A" });
        for bad in [forged.as_str(), "", "Associado+salvo.", "AAAA"] {
            assert_eq!(vault.open_for_session("amp_1_x", bad), None, "{bad}");
        }
    }
}
