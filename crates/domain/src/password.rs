//! A password as its owner typed it: long enough to be worth hashing, short enough to be hashed cheaply.

use crate::Rejection;
use std::fmt;

pub struct Password(String);

impl Password {
    pub const SHORTEST: usize = 10;
    /// In bytes: nobody types more, and a megabyte of password would be a megabyte to hash.
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
        Ok(Password(text.to_owned()))
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
    fn a_password_never_shows_in_a_debug_text() {
        assert_eq!(format!("{:?}", Password::parse("amparo-demo").unwrap()), "Password(hidden)");
    }
}
