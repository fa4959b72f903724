//! A password as typed: long enough to be worth hashing, short enough to hash cheaply, and not one of the first
//! guesses.

use crate::weak_password::{PasswordOwner, is_common_password, is_personal_password};
use crate::{RandomSource, Rejection};
use std::fmt;

#[derive(Clone)]
pub struct Password(String);

/// Lower case only, without 0, 1, l and o.
const SIGNS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

impl Password {
    pub const SHORTEST: usize = 10;
    /// In bytes; limits the cost of hashing.
    pub const LONGEST: usize = 256;

    pub fn parse(text: &str) -> Result<Password, Rejection> {
        if text.chars().count() < Password::SHORTEST || text.len() > Password::LONGEST {
            return Err(Rejection::PasswordLength {
                shortest: Password::SHORTEST,
                longest: Password::LONGEST,
            });
        }
        if text.contains(char::is_control) {
            return Err(Rejection::PasswordControl);
        }
        if is_common_password(text) {
            return Err(Rejection::PasswordCommon);
        }
        Ok(Password(text.to_owned()))
    }

    /// Refuses passwords that could be guessed from what is known about the owner.
    pub fn check_against(&self, owner: &PasswordOwner<'_>) -> Result<(), Rejection> {
        if is_personal_password(&self.0, owner) { Err(Rejection::PasswordPersonal) } else { Ok(()) }
    }

    /// A strong password that can be read aloud and typed: four groups of five characters, none of them easily
    /// confused. Five bits per character, 100 in total.
    pub fn generate(chance: &dyn RandomSource) -> Password {
        let mut random = [0; 20];
        chance.fill(&mut random);
        // 256 is a multiple of 32, so every character is equally likely.
        let sign = |byte: &u8| char::from(SIGNS[usize::from(byte % 32)]);
        let groups: Vec<String> = random.chunks(5).map(|group| group.iter().map(sign).collect()).collect();
        Password(groups.join("-"))
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Password(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_as_people_count_it() {
        assert!(Password::parse("ãéíõúçâêîô").is_ok());
        assert!(Password::parse("123456789").is_err());
        assert!(Password::parse(&"a".repeat(257)).is_err());
        assert!(Password::parse("com\nquebra-de-linha").is_err());
    }

    #[test]
    fn a_generated_password_is_one_and_reads_well() {
        struct Counting;
        impl RandomSource for Counting {
            fn fill(&self, bytes: &mut [u8]) {
                for (number, byte) in (0..).zip(bytes) {
                    *byte = number * 13;
                }
            }
        }
        let password = Password::generate(&Counting);
        assert!(Password::parse(password.expose()).is_ok());
        assert_eq!(password.expose().split('-').map(str::len).collect::<Vec<_>>(), [5; 4]);
        assert!(!password.expose().contains(['0', '1', 'l', 'o', 'I', 'O']));
        let signs: std::collections::BTreeSet<_> = SIGNS.iter().collect();
        assert_eq!(signs.len(), 32, "every sign once");
    }

    #[test]
    fn a_password_never_shows_in_a_debug_text() {
        assert_eq!(format!("{:?}", Password::parse("amparo-demo").unwrap()), "Password(hidden)");
    }
}
