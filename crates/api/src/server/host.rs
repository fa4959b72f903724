//! The `Host` header, by the rules of RFC 9112 (section 3.2).

use axum::http::{HeaderMap, HeaderValue, Version, header};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether the request has a valid `Host` header: exactly one, and required since HTTP/1.1.
pub fn has_valid_host(version: Version, headers: &HeaderMap) -> bool {
    let mut named = headers.get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(host), None) => is_host_value(host),
        (Some(_), Some(_)) => false,
    }
}

/// A name or an address, with or without a port; it may be empty.
fn is_host_value(value: &HeaderValue) -> bool {
    let is_odd = |byte: &u8| !byte.is_ascii_graphic() || b"/?#@\\\"<>".contains(byte);
    !value.as_bytes().iter().any(is_odd)
}

/// Whether the request names this machine by one of its loopback names.
pub fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|value| value.to_str().ok()) else { return false };
    let name = strip_port(host);
    let bracketed = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

fn strip_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(hosts: &[&str]) -> HeaderMap {
        hosts.iter().map(|host| (header::HOST, HeaderValue::from_str(host).unwrap())).collect()
    }

    #[test]
    fn a_host_is_named_once_and_plainly() {
        for good in ["", "x", "amparo.example:8080", "[::1]:80", "10.0.0.1"] {
            assert!(has_valid_host(Version::HTTP_11, &headers(&[good])), "{good}");
        }
        for bad in ["a b", "ana@x", "x/y", "x?y", "x\ty"] {
            assert!(!has_valid_host(Version::HTTP_11, &headers(&[bad])), "{bad}");
        }
        assert!(!has_valid_host(Version::HTTP_11, &headers(&[])));
        assert!(has_valid_host(Version::HTTP_10, &headers(&[])));
        assert!(!has_valid_host(Version::HTTP_10, &headers(&["x", "x"])));
    }

    #[test]
    fn only_this_machine_has_these_names_for_itself() {
        for local in ["localhost", "LOCALHOST:8080", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080"] {
            assert!(is_for_this_machine(&headers(&[local])), "{local}");
        }
        for other in ["", "amparo.example", "localhost.example", "10.0.0.1:80", "[2001:db8::1]", "::1"] {
            assert!(!is_for_this_machine(&headers(&[other])), "{other}");
        }
        assert!(!is_for_this_machine(&headers(&[])));
    }
}
