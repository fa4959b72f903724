//! A secret as it is stored, encrypted.

/// An encrypted secret, and which key encrypted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedSecret {
    pub bytes: Vec<u8>,
    pub key_fingerprint: String,
}
