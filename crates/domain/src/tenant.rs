//! What a tenant is called, where it is found and which calendar it lives by.

use crate::{Field, Rejection};
use std::fmt;

/// A name that people read: trimmed, not empty, at most 200 characters, no control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    pub const LONGEST: usize = 200;

    pub fn parse(field: Field, text: &str) -> Result<Name, Rejection> {
        let name = text.trim();
        if name.is_empty() {
            return Err(Rejection::Missing(field));
        }
        if name.chars().count() > Name::LONGEST {
            return Err(Rejection::TooLong { field, longest: Name::LONGEST });
        }
        if name.contains(char::is_control) {
            return Err(Rejection::ControlCharacter(field));
        }
        Ok(Name(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A host name under which a tenant is served, in lower case and without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host(String);

impl Host {
    pub fn parse(text: &str) -> Result<Host, Rejection> {
        let host = text.trim().trim_end_matches('.').to_lowercase();
        let label = |part: &str| {
            !part.is_empty()
                && part.len() <= 63
                && !part.starts_with('-')
                && !part.ends_with('-')
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if host.len() > 253 || !host.split('.').all(label) {
            return Err(Rejection::BadHost(text.trim().to_owned()));
        }
        Ok(Host(host))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The time zone that decides a tenant's calendar days, by its IANA name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone {
    name: String,
    /// When its clocks showed what.
    rules: jiff::tz::TimeZone,
}

impl TimeZone {
    pub const DEFAULT: &str = "America/Sao_Paulo";

    pub fn parse(text: &str) -> Result<TimeZone, Rejection> {
        let zone = jiff::tz::TimeZone::get(text.trim())
            .map_err(|_| Rejection::UnknownTimeZone(text.trim().to_owned()))?;
        let name = zone.iana_name().ok_or_else(|| Rejection::UnknownTimeZone(text.trim().to_owned()))?;
        Ok(TimeZone { name: name.to_owned(), rules: zone.clone() })
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn rules(&self) -> jiff::tz::TimeZone {
        self.rules.clone()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_limited() {
        assert_eq!(Name::parse(Field::Name, " Matriz ").unwrap().as_str(), "Matriz");
        assert_eq!(Name::parse(Field::Name, " \t"), Err(Rejection::Missing(Field::Name)));
        assert!(Name::parse(Field::Name, &"ã".repeat(200)).is_ok());
        assert!(Name::parse(Field::Name, &"ã".repeat(201)).is_err());
        assert!(Name::parse(Field::Name, "a\u{0}b").is_err());
    }

    #[test]
    fn a_host_is_a_plain_dns_name() {
        assert_eq!(Host::parse("App.Demo.Example.").unwrap().as_str(), "app.demo.example");
        for bad in ["", "a b", "a..b", "-a.example", "a.example:80", "http://a"] {
            assert!(Host::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_zone_must_exist() {
        assert_eq!(TimeZone::parse("america/sao_paulo").unwrap().as_str(), "America/Sao_Paulo");
        assert!(TimeZone::parse("Brasil/Sampa").is_err());
    }
}
