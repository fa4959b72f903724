//! Hashing passwords: Argon2id, by OWASP's figures unless a test says otherwise.

use crate::Error;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{self, PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{Chance, Password};

#[derive(Clone, Copy, Debug)]
pub struct Passwords {
    memory_kib: u32,
    passes: u32,
}

impl Passwords {
    /// 19 MiB, two passes, one lane.
    pub const OWASP: Passwords = Passwords { memory_kib: 19 * 1024, passes: 2 };

    /// The least that Argon2 takes, for tests that make many users.
    pub const CHEAPEST: Passwords = Passwords { memory_kib: 8, passes: 1 };

    /// The hash in PHC form, with a salt of its own. Takes tens of milliseconds, so it runs off the async threads.
    pub async fn hash(self, password: Password, chance: &dyn Chance) -> Result<String, Error> {
        let mut salt = [0; 16];
        chance.fill(&mut salt);
        let hashed = tokio::task::spawn_blocking(move || self.hash_with(&password, &salt)).await;
        hashed.map_err(|error| Error::Hashing(error.to_string()))?
    }

    /// Whether the password is the one that was hashed, by the figures that stand in the hash. As slow as hashing.
    pub async fn verify(self, password: &str, phc_hash: &str) -> Result<bool, Error> {
        let (password, text) = (password.to_owned(), phc_hash.to_owned());
        let verified = tokio::task::spawn_blocking(move || {
            let hash = PasswordHash::new(&text).map_err(|error| Error::Hashing(error.to_string()))?;
            match Argon2::default().verify_password(password.as_bytes(), &hash) {
                Ok(()) => Ok(true),
                Err(password_hash::Error::PasswordInvalid) => Ok(false),
                Err(error) => Err(Error::Hashing(error.to_string())),
            }
        });
        verified.await.map_err(|error| Error::Hashing(error.to_string()))?
    }

    fn hash_with(self, password: &Password, salt: &[u8]) -> Result<String, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Hashing(error.to_string());
        let params = Params::new(self.memory_kib, self.passes, 1, None).map_err(|e| failed(&e))?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash =
            argon2.hash_password_with_salt(password.expose().as_bytes(), salt).map_err(|e| failed(&e))?;
        Ok(hash.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_argon2id_with_owasps_figures_and_verifies() {
        let password = Password::parse("amparo-demo").unwrap();
        let text = Passwords::OWASP.hash_with(&password, &[7; 16]).unwrap();
        assert!(text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{text}");
        let hash = PasswordHash::new(&text).unwrap();
        assert!(Argon2::default().verify_password(b"amparo-demo", &hash).is_ok());
        assert!(Argon2::default().verify_password(b"amparo-demp", &hash).is_err());
    }

    #[tokio::test]
    async fn a_password_is_verified_by_the_figures_of_its_hash() {
        let password = Password::parse("amparo-demo").unwrap();
        let hash = Passwords::CHEAPEST.hash_with(&password, &[7; 16]).unwrap();
        assert!(Passwords::OWASP.verify("amparo-demo", &hash).await.unwrap());
        assert!(!Passwords::OWASP.verify("amparo-demp", &hash).await.unwrap());
        assert!(!Passwords::OWASP.verify("", &hash).await.unwrap());
        assert!(Passwords::OWASP.verify("amparo-demo", "no hash at all").await.is_err());
    }
}
