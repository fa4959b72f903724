//! Encryption of secrets with the server key, each bound to the location it is stored at.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{RandomSource, SecretOwnerKind, TenantId};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SealError(&'static str);

/// Encrypts and decrypts with the server key. Cloning it is cheap.
#[derive(Clone)]
pub struct Vault(Arc<LessSafeKey>);

impl fmt::Debug for Vault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Vault(…)")
    }
}

impl Vault {
    pub fn new(server_key: &[u8; 32]) -> Result<Vault, SealError> {
        // A derived key, independent of other uses of the server key.
        let derived_key = Sha256::new().chain_update(b"amparo secrets\0").chain_update(server_key).finalize();
        let key = UnboundKey::new(&CHACHA20_POLY1305, &derived_key)
            .map_err(|_| SealError("the key cannot be used"))?;
        Ok(Vault(Arc::new(LessSafeKey::new(key))))
    }

    pub fn seal(
        &self,
        chance: &dyn RandomSource,
        place: SecretLocation,
        plain: &[u8],
    ) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        chance.fill(&mut nonce);
        let mut sealed = plain.to_vec();
        let aad = Aad::from(place.binding());
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed)
            .map_err(|_| SealError("a secret could not be sealed"))?;
        Ok([&nonce[..], &sealed].concat())
    }

    pub fn open(&self, place: SecretLocation, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let failed = || SealError("a secret does not open with this server's key");
        let (nonce, ciphertext) = sealed.split_at_checked(NONCE_LEN).ok_or_else(failed)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| failed())?;
        let mut plain = ciphertext.to_vec();
        let opened =
            self.0.open_in_place(nonce, Aad::from(place.binding()), &mut plain).map_err(|_| failed())?;
        Ok(opened.to_vec())
    }

    /// Encrypts a value that the browser carries from one page to the next, bound to one session.
    pub fn seal_for_session(
        &self,
        chance: &dyn RandomSource,
        token: &str,
        plain: &str,
    ) -> Result<String, SealError> {
        let mut nonce = [0; NONCE_LEN];
        chance.fill(&mut nonce);
        let mut sealed = plain.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(derive_session_binding(token)),
                &mut sealed,
            )
            .map_err(|_| SealError("a text could not be sealed"))?;
        Ok(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// Decrypts a value that any process with the server key sealed for this session.
    pub fn open_for_session(&self, token: &str, sealed: &str) -> Option<String> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, ciphertext) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut plain = ciphertext.to_vec();
        let opened =
            self.0.open_in_place(nonce, Aad::from(derive_session_binding(token)), &mut plain).ok()?;
        String::from_utf8(opened.to_vec()).ok()
    }
}

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
        let sealed = vault.seal(&Fives, place, b"segredo").unwrap();
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
