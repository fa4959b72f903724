//! Password hashing: Argon2id with the parameters OWASP recommends, unless a test sets others. A hash takes tens of
//! milliseconds of a core, so only a few run at once, off the async threads, and other work continues during a flood
//! of logins.

use crate::Error;
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{Password, RandomSource};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Clone, Copy, Debug)]
pub struct HashCost {
    memory_kib: u32,
    passes: u32,
}

impl HashCost {
    /// 19 MiB, two passes, one lane.
    pub const OWASP: HashCost = HashCost { memory_kib: 19 * 1024, passes: 2 };

    /// The minimum Argon2 accepts, for tests that create many users.
    pub const CHEAPEST: HashCost = HashCost { memory_kib: 8, passes: 1 };

    fn params(self) -> Result<Params, Error> {
        Params::new(self.memory_kib, self.passes, 1, None).map_err(|error| wrap_hashing_error(&error))
    }
}

#[derive(Clone)]
pub struct PasswordHasher {
    cost: HashCost,
    /// One queue for unknown addresses and one for known addresses: a flood of strangers cannot block known users.
    places: [Arc<Semaphore>; 2],
    waiting: Arc<Semaphore>,
    /// The hash an unknown user's password is compared with: it costs as much as a real one and never matches.
    nobody: Arc<str>,
}

/// The maximum cost accepted from a stored hash. A hash from a restored archive must not decide how much of this
/// machine a wrong password uses: 64 MiB, as in the second recommendation of RFC 9106.
mod highest_cost {
    pub const MEMORY_KIB: u32 = 64 * 1024;
    pub const PASSES: u32 = 4;
    pub const LANES: u32 = 4;
}

/// How long a login waits for its turn before it fails with `Busy`.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);

/// More than can be served within that time.
const MOST_WAITING: usize = 1000;

/// The right to run one Argon2 hash.
pub struct HashingTurn(#[allow(dead_code, reason = "it is held, not read")] OwnedSemaphorePermit);

impl PasswordHasher {
    /// At most `at_once` concurrent hashes for unknown addresses, plus one for known addresses.
    pub fn new(cost: HashCost, at_once: usize, chance: &dyn RandomSource) -> Result<PasswordHasher, Error> {
        let places = [at_once, 1].map(|count| Arc::new(Semaphore::new(count)));
        let waiting = Arc::new(Semaphore::new(MOST_WAITING));
        Ok(PasswordHasher { cost, places, waiting, nobody: generate_decoy_hash(cost, chance)?.into() })
    }

    /// Waits for a turn; fails after a timeout.
    #[boxed::future]
    pub async fn wait_for_turn(&self, is_known: bool) -> Result<HashingTurn, Error> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Error::Busy)?;
        let place = Arc::clone(&self.places[usize::from(is_known)]).acquire_owned();
        match tokio::time::timeout(TURN_TIMEOUT, place).await {
            Ok(Ok(permit)) => Ok(HashingTurn(permit)),
            Ok(Err(_)) | Err(_) => Err(Error::Busy),
        }
    }

    #[boxed::future]
    pub async fn is_match(&self, password: &str, hash: &str) -> Result<bool, Error> {
        let turn = self.wait_for_turn(true).await?;
        self.verify(turn, password.to_owned(), Some(hash)).await.1
    }

    /// The hash in PHC format, with a new random salt.
    #[boxed::future]
    pub async fn hash(&self, password: Password, chance: &dyn RandomSource) -> Result<String, Error> {
        let mut salt = [0; 16];
        chance.fill(&mut salt);
        let (turn, cost) = (self.wait_for_turn(true).await?, self.cost);
        run_off_thread(turn, move || hash_password(cost, &password, &salt)).await.1
    }

    /// Whether the password matches; `None` stands for an unknown user and takes as long. Returns the turn, so that
    /// the caller can record a failure before the next attempt starts.
    #[boxed::future]
    pub async fn verify(
        &self,
        turn: HashingTurn,
        password: String,
        hash: Option<&str>,
    ) -> (HashingTurn, Result<bool, Error>) {
        metrics::counter!("amparo_password_checks_total").increment(1);
        let stored = hash.and_then(parse_acceptable_hash);
        if hash.is_some() && stored.is_none() {
            tracing::warn!("password hash of a user has an unknown format; sign-in with it is refused");
        }
        let (is_known, nobody) = (stored.is_some(), Arc::clone(&self.nobody));
        let check = move || {
            let hash = stored
                .or_else(|| parse_acceptable_hash(&nobody))
                .ok_or_else(|| wrap_hashing_error(&"nobody's hash"))?;
            Ok(verify_password(&password, &hash)? && is_known)
        };
        run_off_thread(turn, check).await
    }
}

async fn run_off_thread<T: Send + 'static>(
    turn: HashingTurn,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> (HashingTurn, Result<T, Error>) {
    // The turn stays with the work: a disconnected caller does not make room for another hash beside it.
    let done = tokio::task::spawn_blocking(move || (turn, work())).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

fn hash_password(cost: HashCost, password: &Password, salt: &[u8]) -> Result<String, Error> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.params()?);
    let hash: PasswordHash = argon2
        .hash_password_with_salt(password.expose().as_bytes(), salt)
        .map_err(|e| wrap_hashing_error(&e))?;
    Ok(hash.to_string())
}

/// Whether the text is a hash that this server verifies.
pub fn is_acceptable_hash(hash: &str) -> bool {
    parse_acceptable_hash(hash).is_some()
}

/// The hash, if it is a complete Argon2id hash within the maximum cost.
fn parse_acceptable_hash(text: &str) -> Option<PasswordHash> {
    let hash = PasswordHash::new(text).ok()?;
    let params = Params::try_from(&hash).ok()?;
    let is_ours = hash.algorithm == Algorithm::Argon2id.ident()
        && hash.version == Some(Version::V0x13.into())
        && hash.salt.as_ref().is_some_and(|salt| salt.len() >= argon2::MIN_SALT_LEN)
        && hash.hash.as_ref().is_some_and(|output| output.len() >= 16);
    let is_affordable = params.m_cost() <= highest_cost::MEMORY_KIB
        && params.t_cost() <= highest_cost::PASSES
        && params.p_cost() <= highest_cost::LANES;
    (is_ours && is_affordable).then_some(hash)
}

/// Uses the parameters stored in the hash, so that older hashes stay valid when the defaults change.
fn verify_password(password: &str, hash: &PasswordHash) -> Result<bool, Error> {
    use argon2::password_hash::Error as Fault;
    match Argon2::default().verify_password(password.as_bytes(), hash) {
        Ok(()) => Ok(true),
        Err(Fault::PasswordInvalid) => Ok(false),
        Err(error) => Err(wrap_hashing_error(&error)),
    }
}

/// A hash without a known password: salt and output are random.
fn generate_decoy_hash(cost: HashCost, chance: &dyn RandomSource) -> Result<String, Error> {
    let (mut salt, mut output) = ([0; 16], [0; 32]);
    chance.fill(&mut salt);
    chance.fill(&mut output);
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&cost.params()?).map_err(|error| wrap_hashing_error(&error))?,
        salt: Some(Salt::new(&salt).map_err(|error| wrap_hashing_error(&error))?),
        hash: Some(Output::new(&output).map_err(|error| wrap_hashing_error(&error))?),
    };
    Ok(hash.to_string())
}

fn wrap_hashing_error(error: &dyn std::fmt::Display) -> Error {
    Error::Hashing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sevens;

    impl RandomSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn a_hash_is_argon2id_with_owasps_figures_and_verifies() {
        let password = Password::parse("amparo-demo").unwrap();
        let text = hash_password(HashCost::OWASP, &password, &[7; 16]).unwrap();
        assert!(text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{text}");
        let hash = parse_acceptable_hash(&text).unwrap();
        assert!(verify_password("amparo-demo", &hash).unwrap());
        assert!(!verify_password("amparo-demp", &hash).unwrap());
    }

    /// The same salt and output with other parameters.
    fn asking(figures: &str) -> String {
        let text =
            hash_password(HashCost::CHEAPEST, &Password::parse("amparo-demo").unwrap(), &[7; 16]).unwrap();
        text.replace("$argon2id$v=19$m=8,t=1,p=1$", figures)
    }

    #[test]
    fn a_hash_that_asks_for_too_much_is_none() {
        for good in [
            "$argon2id$v=19$m=8,t=1,p=1$",
            "$argon2id$v=19$m=19456,t=2,p=1$",
            "$argon2id$v=19$m=65536,t=4,p=4$",
        ] {
            assert!(is_acceptable_hash(&asking(good)), "{good}");
        }
        for bad in [
            "$argon2id$v=19$m=1048576,t=3,p=1$",
            "$argon2id$v=19$m=65537,t=1,p=1$",
            "$argon2id$v=19$m=4294967295,t=1,p=1$",
            "$argon2id$v=19$m=8,t=5,p=1$",
            "$argon2id$v=19$m=64,t=1,p=5$",
            "$argon2i$v=19$m=8,t=1,p=1$",
            "$argon2id$v=16$m=8,t=1,p=1$",
            "$argon2id$m=8,t=1,p=1$",
            "$pbkdf2-sha256$i=1$",
        ] {
            assert!(!is_acceptable_hash(&asking(bad)), "{bad}");
        }
        for none in [
            "",
            "nao e um hash",
            "$argon2id$v=19$m=8,t=1,p=1$",
            "$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw",
        ] {
            assert!(!is_acceptable_hash(none), "{none}");
        }
    }

    /// Counts as a wrong password, at the usual cost.
    #[tokio::test]
    async fn nobody_enters_by_a_hash_that_is_none() {
        let passwords = PasswordHasher::new(HashCost::CHEAPEST, 1, &Sevens).unwrap();
        assert!(passwords.is_match("amparo-demo", &asking("$argon2id$v=19$m=8,t=1,p=1$")).await.unwrap());
        for bad in ["nao e um hash".to_owned(), asking("$argon2id$v=19$m=4294967295,t=1,p=1$")] {
            assert!(!passwords.is_match("amparo-demo", &bad).await.unwrap(), "{bad}");
        }
    }

    #[test]
    fn nobodys_hash_costs_as_much_as_anybodys() {
        let text = generate_decoy_hash(HashCost::OWASP, &Sevens).unwrap();
        assert!(text.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{text}");
        assert_eq!(
            text.len(),
            hash_password(HashCost::OWASP, &Password::parse("uma senha longa").unwrap(), &[1; 16])
                .unwrap()
                .len()
        );
        assert!(!verify_password("amparo-demo", &parse_acceptable_hash(&text).unwrap()).unwrap());
    }
}
