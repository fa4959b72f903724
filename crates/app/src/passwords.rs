//! Hashing passwords: Argon2id, by OWASP's figures unless a test says otherwise. A hash takes tens of milliseconds of a
//! core, so only a few run at once, off the async threads: however many logins come, the other work goes on.

use crate::Error;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{Chance, Password};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a hash costs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
}

impl Cost {
    /// 19 MiB, two passes, one lane.
    pub const OWASP: Cost = Cost { memory_kib: 19 * 1024, passes: 2 };

    /// The least that Argon2 takes, for tests that make many users.
    pub const CHEAPEST: Cost = Cost { memory_kib: 8, passes: 1 };

    fn params(self) -> Result<Params, Error> {
        Params::new(self.memory_kib, self.passes, 1, None).map_err(|error| failed(&error))
    }
}

#[derive(Clone)]
pub struct Passwords {
    cost: Cost,
    /// For people who are known where they are, and for everybody else: a flood of strangers keeps no owner out.
    places: [Arc<Semaphore>; 2],
    waiting: Arc<Semaphore>,
    /// What an unknown user's password is compared with: it costs as much as a known one's and never fits.
    nobody: Arc<str>,
}

/// How long somebody waits for his turn before he is told that too many do.
const PATIENCE: Duration = Duration::from_secs(10);

/// More than would be served within that patience.
const MOST_WAITING: usize = 1000;

/// The turn to run one Argon2 at a time.
pub struct Turn(#[allow(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit);

impl Passwords {
    /// Hashes at most `at_once` passwords of strangers at the same time, and one of somebody who is known.
    pub fn new(cost: Cost, at_once: usize, chance: &dyn Chance) -> Result<Passwords, Error> {
        let places = [at_once, 1].map(|count| Arc::new(Semaphore::new(count)));
        let waiting = Arc::new(Semaphore::new(MOST_WAITING));
        Ok(Passwords { cost, places, waiting, nobody: nobody(cost, chance)?.into() })
    }

    /// Waits for a turn; who waited too long is refused.
    pub async fn turn(&self, is_known: bool) -> Result<Turn, Error> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Error::Busy)?;
        let place = Arc::clone(&self.places[usize::from(is_known)]).acquire_owned();
        match tokio::time::timeout(PATIENCE, place).await {
            Ok(Ok(permit)) => Ok(Turn(permit)),
            Ok(Err(_)) | Err(_) => Err(Error::Busy),
        }
    }

    /// Whether this is the password of the hash.
    pub async fn is_of(&self, password: &str, hash: &str) -> Result<bool, Error> {
        let turn = self.turn(true).await?;
        self.verify(turn, password.to_owned(), Some(hash)).await.1
    }

    /// The hash in PHC form, with a salt of its own.
    pub async fn hash(&self, password: Password, chance: &dyn Chance) -> Result<String, Error> {
        let mut salt = [0; 16];
        chance.fill(&mut salt);
        let (turn, cost) = (self.turn(true).await?, self.cost);
        off_thread(turn, move || hash(cost, &password, &salt)).await.1
    }

    /// Whether this is the password; `None` stands for a user who does not exist, and takes as long. The turn comes
    /// back, for what must be written down before the next is tried.
    pub async fn verify(
        &self,
        turn: Turn,
        password: String,
        hash: Option<&str>,
    ) -> (Turn, Result<bool, Error>) {
        metrics::counter!("amparo_password_checks_total").increment(1);
        let (known, hash) = (hash.is_some(), hash.unwrap_or(&self.nobody).to_owned());
        off_thread(turn, move || Ok(verify(&password, &hash)? && known)).await
    }
}

async fn off_thread<T: Send + 'static>(
    turn: Turn,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> (Turn, Result<T, Error>) {
    // The turn stays with the work: a caller who goes away does not make room for another beside it.
    let done = tokio::task::spawn_blocking(move || (turn, work())).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

fn hash(cost: Cost, password: &Password, salt: &[u8]) -> Result<String, Error> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.params()?);
    let hash: PasswordHash =
        argon2.hash_password_with_salt(password.expose().as_bytes(), salt).map_err(|e| failed(&e))?;
    Ok(hash.to_string())
}

/// With the figures that the hash itself names, so that older hashes stay good when the figures change.
fn verify(password: &str, hash: &str) -> Result<bool, Error> {
    use argon2::password_hash::Error as Fault;
    let hash = PasswordHash::new(hash).map_err(|error| failed(&error))?;
    match Argon2::default().verify_password(password.as_bytes(), &hash) {
        Ok(()) => Ok(true),
        Err(Fault::PasswordInvalid) => Ok(false),
        Err(error) => Err(failed(&error)),
    }
}

/// A hash that no password is known for: salt and output are chance.
fn nobody(cost: Cost, chance: &dyn Chance) -> Result<String, Error> {
    let (mut salt, mut output) = ([0; 16], [0; 32]);
    chance.fill(&mut salt);
    chance.fill(&mut output);
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&cost.params()?).map_err(|error| failed(&error))?,
        salt: Some(Salt::new(&salt).map_err(|error| failed(&error))?),
        hash: Some(Output::new(&output).map_err(|error| failed(&error))?),
    };
    Ok(hash.to_string())
}

fn failed(error: &dyn std::fmt::Display) -> Error {
    Error::Hashing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl Chance for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn a_hash_is_argon2id_with_owasps_figures_and_verifies() {
        let password = Password::parse("amparo-demo").unwrap();
        let text = hash(Cost::OWASP, &password, &[7; 16]).unwrap();
        assert!(text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{text}");
        assert!(verify("amparo-demo", &text).unwrap());
        assert!(!verify("amparo-demp", &text).unwrap());
    }

    #[test]
    fn nobodys_hash_costs_as_much_as_anybodys() {
        let text = nobody(Cost::OWASP, &Sevens).unwrap();
        assert!(text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{text}");
        assert_eq!(
            text.len(),
            hash(Cost::OWASP, &Password::parse("uma senha longa").unwrap(), &[1; 16]).unwrap().len()
        );
        assert!(!verify("amparo-demo", &text).unwrap());
    }
}
