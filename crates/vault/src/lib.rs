//! The server key: its file, what the database knows of it, and the encryption of secrets with it; the one-time passwords
//! that a secret gives.

mod key_change;
mod key_file;
mod key_rotation;
mod registered_key;
mod sealed_secret;
mod server_key;
pub mod totp;

pub use key_change::take_new_key;
pub use key_file::{KeyFileError, ServerKey};
pub use key_rotation::{KeyRotation, RotationWait, announce_key, rotate_server_key};
pub use registered_key::{KeyContext, KeyError, ensure_keys_fit};
pub use sealed_secret::{SealError, SecretLocation, Vault};
pub use server_key::{
    KeyFileState, ProcessIdentity, check_server_key, inspect_server_key, open_vault_for_command,
    register_replacement,
};
