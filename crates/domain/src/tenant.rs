//! The name, hosts and time zone of a tenant.

use crate::{InputField, Rejection};
use std::fmt;

/// A display name: trimmed, not empty, at most 200 characters, no control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayName(String);

impl DisplayName {
    pub const LONGEST: usize = 200;

    pub fn parse(field: InputField, text: &str) -> Result<DisplayName, Rejection> {
        let name = text.trim();
        if name.is_empty() {
            return Err(Rejection::Missing(field));
        }
        if name.chars().count() > DisplayName::LONGEST {
            return Err(Rejection::TooLong { field, longest: DisplayName::LONGEST });
        }
        if name.contains(char::is_control) {
            return Err(Rejection::ControlCharacter(field));
        }
        Ok(DisplayName(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A host name that serves a tenant, in lower case and without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(String);

impl HostName {
    /// Accepts DNS names only: no IP address in any spelling, and no name of the local machine.
    pub fn parse(text: &str) -> Result<HostName, Rejection> {
        let trimmed = || text.trim().to_owned();
        let host = text.trim().trim_end_matches('.').to_lowercase();
        let label = |part: &str| {
            !part.is_empty()
                && part.len() <= 63
                && !part.starts_with('-')
                && !part.ends_with('-')
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if host.len() > 253 || !host.split('.').all(label) {
            // An IPv6 address has colons; it gets the refusal for addresses.
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            return Err(match bare.parse::<std::net::IpAddr>() {
                Ok(_) => Rejection::HostIsAddress(trimmed()),
                Err(_) => Rejection::BadHost(trimmed()),
            });
        }
        let last = host.rsplit('.').next().unwrap_or_default();
        if last == "localhost" || last == "localdomain" {
            return Err(Rejection::HostIsLocal(trimmed()));
        }
        if is_numeric_label(last) {
            return Err(Rejection::HostIsAddress(trimmed()));
        }
        Ok(HostName(host))
    }

    /// The host name in a URL; `None` if the URL has an IP address.
    pub fn from_url(text: &str) -> Option<HostName> {
        let url = url::Url::parse(text).ok()?;
        url.domain().and_then(|name| HostName::parse(name).ok())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Browsers read a name whose last label is a number as an IP address: `127.1`, `0x7f000001`, `2130706433`.
fn is_numeric_label(label: &str) -> bool {
    let is_hexadecimal = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    label.bytes().all(|byte| byte.is_ascii_digit()) || label.strip_prefix("0x").is_some_and(is_hexadecimal)
}

/// The time zone that decides a tenant's calendar days, by IANA name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZone {
    name: String,
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

impl fmt::Display for DisplayName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_limited() {
        assert_eq!(DisplayName::parse(InputField::Name, " Matriz ").unwrap().as_str(), "Matriz");
        assert_eq!(DisplayName::parse(InputField::Name, " \t"), Err(Rejection::Missing(InputField::Name)));
        assert!(DisplayName::parse(InputField::Name, &"ã".repeat(200)).is_ok());
        assert!(DisplayName::parse(InputField::Name, &"ã".repeat(201)).is_err());
        assert!(DisplayName::parse(InputField::Name, "a\u{0}b").is_err());
    }

    #[test]
    fn a_host_is_a_plain_dns_name() {
        assert_eq!(HostName::parse("App.Demo.Example.").unwrap().as_str(), "app.demo.example");
        for bad in ["", "a b", "a..b", "-a.example", "a.example:80", "http://a"] {
            assert!(HostName::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn neither_an_address_nor_the_machine_itself_is_a_host() {
        for address in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "017700000001",
            "1.2.3.4.",
            "10.0.0.0x1",
            "::1",
            "[::1]",
            "::ffff:127.0.0.1",
            "0x",
        ] {
            assert_eq!(
                HostName::parse(address),
                Err(Rejection::HostIsAddress(address.to_owned())),
                "{address}"
            );
        }
        for local in ["localhost", "LOCALHOST.", "app.localhost", "localhost.localdomain"] {
            assert_eq!(HostName::parse(local), Err(Rejection::HostIsLocal(local.to_owned())), "{local}");
        }
        for good in ["a1", "4.example", "0x7f.example", "1.2.3.4.br"] {
            assert!(HostName::parse(good).is_ok(), "{good}");
        }
        for odd in ["１２７.0.0.1", "127。0。0。1"] {
            assert_eq!(HostName::parse(odd), Err(Rejection::BadHost(odd.to_owned())), "{odd}");
        }
    }

    #[test]
    fn the_host_of_a_server_is_the_name_in_its_address() {
        assert_eq!(
            HostName::from_url("https://App.Amparo.example:8443/x").unwrap().as_str(),
            "app.amparo.example"
        );
        for none in ["http://127.0.0.1:8080", "http://[::1]/", "http://localhost", "amparo.example", ""] {
            assert_eq!(HostName::from_url(none), None, "{none}");
        }
    }

    #[test]
    fn a_time_zone_must_exist() {
        assert_eq!(TimeZone::parse("america/sao_paulo").unwrap().as_str(), "America/Sao_Paulo");
        assert!(TimeZone::parse("Brasil/Sampa").is_err());
    }
}
