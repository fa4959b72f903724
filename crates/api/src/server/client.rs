//! The origin of a request. Forwarding headers are believed only from `http.trusted_proxies`.

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::IpAddr;

/// The header in which a proxy names the caller.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Other headers that reveal a proxy.
const TRACES: [&str; 6] =
    ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestOrigin {
    pub address: IpAddr,
    /// An untrusted peer names another caller: probably a proxy that is not configured, so that all callers share its
    /// address.
    pub is_disputed: bool,
}

/// The caller's address: that of the connection, or, behind trusted proxies, the last one before them.
pub fn resolve_origin(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> RequestOrigin {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let peer = peer.to_canonical();
    if !is_trusted(&peer) {
        return RequestOrigin {
            address: peer,
            is_disputed: TRACES.iter().any(|name| headers.contains_key(*name)),
        };
    }
    let named = headers.get_all(FORWARDED).iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<Option<IpAddr>> = named.flat_map(|value| value.split(',')).map(parse_hop).collect();
    // From the right: each trusted hop vouches for the one before it. An unreadable entry ends the chain.
    let mut last = peer;
    for hop in hops.into_iter().rev() {
        let Some(hop) = hop else { break };
        last = hop;
        if !is_trusted(&hop) {
            break;
        }
    }
    RequestOrigin { address: last, is_disputed: false }
}

/// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let bare = hop.parse::<IpAddr>().ok();
    let with_port = || hop.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let bracketed = || hop.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    bare.or_else(with_port).or_else(bracketed).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        resolve_origin(peer.parse().unwrap(), &headers, &trusted).address.to_string()
    }

    #[test]
    fn a_stranger_is_believed_nothing() {
        assert_eq!(seen("192.0.2.9", &["203.0.113.5"], &[]), "192.0.2.9");
        assert_eq!(seen("192.0.2.9", &["203.0.113.5"], &["10.0.0.0/8"]), "192.0.2.9");
    }

    #[test]
    fn a_trusted_proxy_names_the_caller_before_it() {
        let proxies = ["10.0.0.0/8", "::1/128"];
        assert_eq!(seen("10.0.0.1", &["203.0.113.5"], &proxies), "203.0.113.5");
        assert_eq!(seen("::ffff:10.0.0.1", &["203.0.113.5:99"], &proxies), "203.0.113.5");
        assert_eq!(seen("10.0.0.1", &["1.1.1.1, 203.0.113.5, 10.0.0.2"], &proxies), "203.0.113.5");
        assert_eq!(seen("10.0.0.1", &["1.1.1.1", "203.0.113.5"], &proxies), "203.0.113.5");
        assert_eq!(seen("10.0.0.1", &["1.1.1.1, lixo, 10.0.0.2"], &proxies), "10.0.0.2");
        assert_eq!(seen("10.0.0.1", &[], &proxies), "10.0.0.1");
    }
}
