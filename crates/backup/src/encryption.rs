//! Encryption of a destination. A random data key encrypts everything; the operator's secret only encrypts that key,
//! so that deriving it from a passphrase, which is slow on purpose, happens once.
//!
//! Each object has a random salt in front, from which and from its path a key of its own is derived; so no object can be
//! put in the place of another. The content follows in pieces of 64 KiB, each sealed by ChaCha20-Poly1305 with its
//! number as the nonce and a mark on the last one, so that no piece can be moved, left out or cut off.

use crate::BackupActionError;
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{RandomSource, encode_hex};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::{hkdf, hmac};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;

const PIECE: usize = 64 << 10;
const TAG: usize = 16;
const SALT: usize = 32;
const KEY: usize = 32;

/// What the operator gives: a passphrase, or the content of a key file.
#[derive(Clone)]
pub enum OperatorSecret {
    Passphrase(String),
    KeyFile(Vec<u8>),
}

impl fmt::Debug for OperatorSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OperatorSecret(…)")
    }
}

/// How the data key was encrypted, as stored in the destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedDataKey {
    #[serde(rename = "derivacao")]
    derivation: KeyDerivation,
    /// In hexadecimal.
    #[serde(rename = "sal")]
    salt: String,
    /// The data key, encrypted, in hexadecimal.
    #[serde(rename = "chave")]
    sealed: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tipo", rename_all = "kebab-case")]
enum KeyDerivation {
    Argon2id {
        #[serde(rename = "memoriaKiB")]
        memory_kib: u32,
        #[serde(rename = "passagens")]
        passes: u32,
    },
    /// A key file is random already.
    Hkdf,
}

/// RFC 9106, second recommendation.
const PASSPHRASE_COST: KeyDerivation = KeyDerivation::Argon2id { memory_kib: 64 << 10, passes: 3 };
/// A destination must not decide how much memory the program takes.
const HIGHEST_MEMORY_KIB: u32 = 128 << 10;
const HIGHEST_PASSES: u32 = 16;

/// The data key of an encrypted destination.
#[derive(Clone)]
pub struct DestinationCipher(Arc<[u8; KEY]>);

impl fmt::Debug for DestinationCipher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("DestinationCipher(…)")
    }
}

impl DestinationCipher {
    /// A new data key, and its encrypted form.
    pub fn generate(
        secret: &OperatorSecret,
        random: &dyn RandomSource,
    ) -> Result<(DestinationCipher, SealedDataKey), BackupActionError> {
        let (mut data_key, mut salt) = ([0; KEY], [0; SALT]);
        random.fill(&mut data_key);
        random.fill(&mut salt);
        let derivation = match secret {
            OperatorSecret::Passphrase(_) => PASSPHRASE_COST,
            OperatorSecret::KeyFile(_) => KeyDerivation::Hkdf,
        };
        let key = derive_wrapping_key(secret, derivation, &salt)?;
        let mut sealed = data_key.to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut sealed)
            .map_err(|_| BackupActionError::Interrupted("sealing failed".to_owned()))?;
        let sealed = SealedDataKey { derivation, salt: encode_hex(&salt), sealed: encode_hex(&sealed) };
        Ok((DestinationCipher(Arc::new(data_key)), sealed))
    }

    pub fn open(
        secret: &OperatorSecret,
        sealed: &SealedDataKey,
    ) -> Result<DestinationCipher, BackupActionError> {
        let damaged = || BackupActionError::WrongSecret;
        let salt = decode_hex(&sealed.salt).ok_or_else(damaged)?;
        let mut bytes = decode_hex(&sealed.sealed).ok_or_else(damaged)?;
        let key = derive_wrapping_key(secret, sealed.derivation, &salt)?;
        let opened = key
            .open_in_place(Nonce::assume_unique_for_key([0; 12]), Aad::empty(), &mut bytes)
            .map_err(|_| BackupActionError::WrongSecret)?;
        Ok(DestinationCipher(Arc::new(<[u8; KEY]>::try_from(&*opened).map_err(|_| damaged())?)))
    }

    /// Encrypts what is written, for the object at this path.
    pub fn encrypt<W: Write>(
        &self,
        path: &str,
        random: &dyn RandomSource,
        mut out: W,
    ) -> io::Result<EncryptingWriter<W>> {
        let mut salt = [0; SALT];
        random.fill(&mut salt);
        out.write_all(&salt)?;
        let key = self.derive_object_key(path, &salt)?;
        Ok(EncryptingWriter { out, key, count: 0, piece: Vec::with_capacity(PIECE + TAG) })
    }

    pub fn decrypt<R: Read>(&self, path: &str, mut from: R) -> io::Result<DecryptingReader<R>> {
        let mut salt = [0; SALT];
        from.read_exact(&mut salt)?;
        let key = self.derive_object_key(path, &salt)?;
        let from = BufReader::with_capacity(PIECE + TAG, from);
        Ok(DecryptingReader { from, key, count: 0, piece: Vec::new(), at: 0, is_finished: false })
    }

    /// The size of a content that takes so many bytes once encrypted.
    pub fn decrypted_size(bytes: u64) -> u64 {
        let sealed = bytes.saturating_sub(SALT as u64);
        sealed.saturating_sub(sealed.div_ceil((PIECE + TAG) as u64) * TAG as u64)
    }

    /// The authentication of a text, in hexadecimal.
    pub fn authenticate(&self, text: &[u8]) -> String {
        encode_hex(hmac::sign(&self.derive_authentication_key(), text).as_ref())
    }

    pub fn is_authentic(&self, text: &[u8], authentication: &str) -> bool {
        decode_hex(authentication)
            .is_some_and(|tag| hmac::verify(&self.derive_authentication_key(), text, &tag).is_ok())
    }

    fn derive_authentication_key(&self) -> hmac::Key {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, b"amparo backup manifest").extract(&self.0[..]);
        let mut key = [0; KEY];
        let expanded = secret.expand(&[], hkdf::HKDF_SHA256).and_then(|okm| okm.fill(&mut key));
        debug_assert!(expanded.is_ok(), "32 bytes are within the limit");
        hmac::Key::new(hmac::HMAC_SHA256, &key)
    }

    fn derive_object_key(&self, path: &str, salt: &[u8]) -> io::Result<LessSafeKey> {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(&self.0[..]);
        let info = [b"amparo backup object", path.as_bytes()];
        let key = secret.expand(&info, &CHACHA20_POLY1305).map_err(|_| io::Error::other("no key"))?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }
}

fn derive_wrapping_key(
    secret: &OperatorSecret,
    derivation: KeyDerivation,
    salt: &[u8],
) -> Result<LessSafeKey, BackupActionError> {
    let mut key = [0; KEY];
    match (secret, derivation) {
        (OperatorSecret::Passphrase(text), KeyDerivation::Argon2id { memory_kib, passes })
            if memory_kib <= HIGHEST_MEMORY_KIB && passes <= HIGHEST_PASSES =>
        {
            let params = Params::new(memory_kib, passes, 1, Some(KEY));
            params
                .and_then(|params| {
                    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
                    hasher.hash_password_into(text.as_bytes(), salt, &mut key)
                })
                .map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
        }
        (OperatorSecret::KeyFile(bytes), KeyDerivation::Hkdf) => {
            let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(bytes);
            extracted
                .expand(&[b"amparo backup key file"], hkdf::HKDF_SHA256)
                .and_then(|okm| okm.fill(&mut key))
                .map_err(|_| BackupActionError::Interrupted("no key".to_owned()))?;
        }
        // A passphrase where a key file is expected, or the reverse.
        _ => return Err(BackupActionError::WrongSecret),
    }
    let key = UnboundKey::new(&CHACHA20_POLY1305, &key);
    Ok(LessSafeKey::new(key.map_err(|_| BackupActionError::Interrupted("no key".to_owned()))?))
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}

fn build_nonce(count: u64, is_last: bool) -> Nonce {
    let mut nonce = [0; 12];
    nonce[3..11].copy_from_slice(&count.to_be_bytes());
    nonce[11] = u8::from(is_last);
    Nonce::assume_unique_for_key(nonce)
}

pub struct EncryptingWriter<W> {
    out: W,
    key: LessSafeKey,
    count: u64,
    piece: Vec<u8>,
}

impl<W: Write> EncryptingWriter<W> {
    fn seal_piece(&mut self, is_last: bool) -> io::Result<()> {
        self.key
            .seal_in_place_append_tag(build_nonce(self.count, is_last), Aad::empty(), &mut self.piece)
            .map_err(|_| io::Error::other("sealing failed"))?;
        self.out.write_all(&self.piece)?;
        self.piece.clear();
        self.count += 1;
        Ok(())
    }

    /// Writes the last piece; without it the content counts as cut off.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal_piece(true)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for EncryptingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        // A full piece waits until more comes, for it may be the last.
        if self.piece.len() == PIECE {
            self.seal_piece(false)?;
        }
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub struct DecryptingReader<R> {
    from: BufReader<R>,
    key: LessSafeKey,
    count: u64,
    piece: Vec<u8>,
    at: usize,
    is_finished: bool,
}

impl<R: Read> DecryptingReader<R> {
    fn open_piece(&mut self) -> io::Result<()> {
        self.piece.clear();
        let whole = (PIECE + TAG) as u64;
        self.from.by_ref().take(whole).read_to_end(&mut self.piece)?;
        let is_last = self.from.fill_buf()?.is_empty();
        let opened =
            self.key.open_in_place(build_nonce(self.count, is_last), Aad::empty(), &mut self.piece).map_err(
                |_| io::Error::new(io::ErrorKind::InvalidData, "it was altered, cut off or exchanged"),
            )?;
        let length = opened.len();
        self.piece.truncate(length);
        self.count += 1;
        self.is_finished = is_last;
        self.at = 0;
        Ok(())
    }
}

impl<R: Read> Read for DecryptingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            if self.is_finished {
                return Ok(0);
            }
            self.open_piece()?;
        }
        let taken = into.len().min(self.piece.len() - self.at);
        into[..taken].copy_from_slice(&self.piece[self.at..self.at + taken]);
        self.at += taken;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting_source::CountingSource;
    use proptest::prelude::*;

    fn cipher() -> (DestinationCipher, CountingSource) {
        let random = CountingSource::default();
        let secret = OperatorSecret::KeyFile(b"thirty-two random bytes, or more".to_vec());
        (DestinationCipher::generate(&secret, &random).unwrap().0, random)
    }

    fn encrypt(cipher: &DestinationCipher, random: &CountingSource, path: &str, content: &[u8]) -> Vec<u8> {
        let mut writer = cipher.encrypt(path, random, Vec::new()).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    fn decrypt(cipher: &DestinationCipher, path: &str, stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        cipher.decrypt(path, stored)?.read_to_end(&mut content)?;
        Ok(content)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_content_comes_back_and_no_altered_byte_does(
            length in prop_oneof![0..200usize, Just(PIECE - 1), Just(PIECE), Just(PIECE + 1), Just(2 * PIECE), Just(3 * PIECE + 5)],
            at in any::<prop::sample::Index>(),
        ) {
            let (cipher, random) = cipher();
            let content: Vec<u8> = (0..length).map(|number| number as u8).collect();
            let stored = encrypt(&cipher, &random, "a/b", &content);
            prop_assert_eq!(DestinationCipher::decrypted_size(stored.len() as u64), length as u64);
            prop_assert_eq!(&decrypt(&cipher, "a/b", &stored).unwrap(), &content);
            prop_assert!(decrypt(&cipher, "a/c", &stored).is_err());
            let at = at.index(stored.len());
            prop_assert!(decrypt(&cipher, "a/b", &stored[..at]).is_err(), "cut off at {}", at);
            let mut altered = stored;
            altered[at] ^= 1;
            prop_assert!(decrypt(&cipher, "a/b", &altered).is_err());
        }
    }

    #[test]
    fn pieces_cannot_change_places_nor_be_left_out() {
        let (cipher, random) = cipher();
        let stored = encrypt(&cipher, &random, "a", &vec![5; 3 * PIECE]);
        let (head, pieces) = stored.split_at(SALT);
        let pieces: Vec<&[u8]> = pieces.chunks(PIECE + TAG).collect();
        for order in [vec![1, 0, 2], vec![0, 2], vec![0, 1], vec![0, 1, 2, 2], vec![2]] {
            let mixed: Vec<u8> =
                head.iter().copied().chain(order.iter().flat_map(|at| pieces[*at].to_vec())).collect();
            assert!(decrypt(&cipher, "a", &mixed).is_err(), "{order:?}");
        }
    }

    #[test]
    fn only_the_secret_opens_the_data_key() {
        let random = CountingSource::default();
        let secret = OperatorSecret::Passphrase("uma frase longa".to_owned());
        let (cipher, sealed) = DestinationCipher::generate(&secret, &random).unwrap();
        let stored = encrypt(&cipher, &random, "x", b"conteudo");
        let opened = DestinationCipher::open(&secret, &sealed).unwrap();
        assert_eq!(decrypt(&opened, "x", &stored).unwrap(), b"conteudo");
        for other in [
            OperatorSecret::Passphrase("outra frase longa".to_owned()),
            OperatorSecret::KeyFile(b"uma frase longa".to_vec()),
        ] {
            assert!(matches!(DestinationCipher::open(&other, &sealed), Err(BackupActionError::WrongSecret)));
        }
        let authentication = opened.authenticate(b"text");
        assert!(cipher.is_authentic(b"text", &authentication));
        assert!(!cipher.is_authentic(b"texts", &authentication));
        assert!(!cipher.is_authentic(b"text", "zz"));
    }
}
