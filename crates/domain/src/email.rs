//! The e-mail address of a user: the login, unique on the server regardless of case.

use crate::{InputField, Rejection};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Email(String);

impl Email {
    /// Accepts what mail servers accept in practice: one `@`, a local part and a domain without spaces or control
    /// characters, at most 254 bytes. Stored in lower case.
    pub fn parse(text: &str) -> Result<Email, Rejection> {
        let address = text.trim().to_lowercase();
        if address.is_empty() {
            return Err(Rejection::Missing(InputField::Email));
        }
        let bad = || Rejection::BadEmail(text.trim().to_owned());
        let (local, domain) = address.split_once('@').ok_or_else(bad)?;
        let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;:\"()[]\\".contains(c);
        let domain_is_fine = !domain.is_empty()
            && !domain.contains("..")
            && !domain.starts_with(['.', '-'])
            && !domain.ends_with(['.', '-'])
            && domain.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '-');
        if local.is_empty() || local.contains(odd) || !domain_is_fine || address.len() > 254 {
            return Err(bad());
        }
        Ok(Email(address))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_surrounding_blanks_do_not_count() {
        assert_eq!(Email::parse(" Ana@Demo.Example ").unwrap().as_str(), "ana@demo.example");
    }

    #[test]
    fn what_no_mail_server_would_take_is_refused() {
        assert_eq!(Email::parse("  "), Err(Rejection::Missing(InputField::Email)));
        for bad in [
            "ana",
            "@demo.example",
            "ana@",
            "a na@demo.example",
            "ana@demo@example",
            "a@-x",
            "a@x..y",
            "a,b@x",
        ] {
            assert!(Email::parse(bad).is_err(), "{bad}");
        }
        assert!(Email::parse(&format!("{}@demo.example", "a".repeat(250))).is_err());
    }
}
