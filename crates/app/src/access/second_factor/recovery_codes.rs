//! Recovery codes for a lost authenticator: ten, each usable once. They are generated and long enough that their hash
//! needs neither salt nor Argon2.

use domain::{Password, RandomSource, TenantId, UserCode};
use sha2::{Digest, Sha256};

const CODES: usize = 10;
/// Characters of a code without separators.
const SIGNS: usize = 20;

pub fn generate_recovery_codes(chance: &dyn RandomSource) -> Vec<String> {
    (0..CODES).map(|_| Password::generate(chance).expose().to_owned()).collect()
}

/// The stored hash of a code; `None` if the format is wrong.
pub fn hash_recovery_code(tenant: TenantId, user: UserCode, code: &str) -> Option<[u8; 32]> {
    let signs: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    if signs.len() != SIGNS {
        return None;
    }
    let text = format!("recovery\0{tenant}\0{user}\0{}", signs.to_ascii_lowercase());
    Some(Sha256::digest(text.as_bytes()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_known_however_it_is_typed_and_by_its_owner_alone() {
        let (tenant, user) = (TenantId::new(1), UserCode::new(2));
        let stored = hash_recovery_code(tenant, user, "abcde-fghjk-mnpqr-stuvw");
        assert!(stored.is_some());
        assert_eq!(hash_recovery_code(tenant, user, " ABCDE fghjk mnpqrstuvw"), stored);
        assert_ne!(hash_recovery_code(tenant, UserCode::new(3), "abcde-fghjk-mnpqr-stuvw"), stored);
        assert_eq!(hash_recovery_code(tenant, user, "123456"), None);
    }
}
