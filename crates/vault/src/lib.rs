//! Encryption of secrets with the server key, and the file that holds the key.

mod key_file;
mod sealed_secret;

pub use key_file::{KeyFileError, ServerKey};
pub use sealed_secret::{SealError, SecretLocation, Vault};
