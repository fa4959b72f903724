//! Restricts the addresses that messages may be sent to. Receiver addresses are user input and must not reach internal
//! networks, unless `triggers.allowed_hosts` allows the host.

use ipnet::{Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::LazyLock;

/// The allowed hosts, spelled exactly as in the receiver's address.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Vec<AllowedHost>,
}

/// A host from the settings: `127.0.0.1`, `[::1]:9000` or `erp.interno:8443`. Without a port, all ports are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

impl AllowedHost {
    fn parse(text: &str) -> AllowedHost {
        let text = text.trim().to_ascii_lowercase();
        // An IPv6 address without brackets contains colons but no port.
        let is_bare = text.parse::<Ipv6Addr>().is_ok();
        let with_port = text.rsplit_once(':').filter(|_| !is_bare);
        let with_port = with_port.and_then(|(name, port)| Some((name, port.parse().ok()?)));
        let (name, port) = with_port.map_or((&*text, None), |(name, port)| (name, Some(port)));
        AllowedHost { name: name.trim_matches(['[', ']']).to_owned(), port }
    }
}

impl AddressGuard {
    pub fn new(allowed: impl IntoIterator<Item = String>) -> AddressGuard {
        let hosts = allowed.into_iter().map(|text| AllowedHost::parse(&text));
        AddressGuard { allowed: hosts.filter(|host| !host.name.is_empty()).collect() }
    }

    /// Whether the host may resolve to any address, on this port.
    pub fn is_exempt(&self, host: &str, port: u16) -> bool {
        let host = host.trim_matches(['[', ']']);
        let is_match = |one: &AllowedHost| {
            one.name.eq_ignore_ascii_case(host) && one.port.is_none_or(|allowed| allowed == port)
        };
        self.allowed.iter().any(is_match)
    }

    /// Whether a message for this host may be sent to this address.
    pub fn is_allowed(&self, host: &str, address: SocketAddr) -> bool {
        self.is_exempt(host, address.port()) || is_public_address(address.ip())
    }
}

fn is_public_address(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !V4.iter().any(|net| net.contains(&address)),
        IpAddr::V6(address) => {
            !V6.iter().any(|net| net.contains(&address))
                && extract_embedded_ipv4(address).is_none_or(|inner| is_public_address(inner.into()))
        }
    }
}

/// The IPv4 address embedded in some IPv6 addresses: NAT64, 6to4 and IPv4-translated.
fn extract_embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let join_halves = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match parts {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join_halves(high, low)),
        [0x2002, high, low, ..] => Some(join_halves(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(join_halves(high, low)),
        _ => None,
    }
}

/// Every non-public network in the registries of special-purpose addresses.
static V4: LazyLock<Vec<Ipv4Net>> = LazyLock::new(|| {
    parse_networks(&[
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ])
});

static V6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| {
    parse_networks(&[
        "::/127",
        "::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    ])
});

fn parse_networks<T: std::str::FromStr>(nets: &[&str]) -> Vec<T> {
    nets.iter().filter_map(|net| net.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_reached_unless_the_host_is_named() {
        assert_eq!((V4.len(), V6.len()), (15, 12), "every network was understood");
        let guard =
            AddressGuard::new(["intranet.example".to_owned(), "[::1]".to_owned(), "127.0.0.1 ".to_owned()]);
        let allows = |host: &str, address: &str| {
            guard.is_allowed(host, SocketAddr::new(address.parse().unwrap(), 8080))
        };
        for inside in [
            "127.0.0.1",
            "10.1.2.3",
            "172.31.255.255",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "::ffff:0:127.0.0.1",
            "::ffff:0:169.254.169.254",
            "::127.0.0.1",
            "ff02::1",
            "2001:db8::1",
        ] {
            assert!(!allows("erp.example", inside), "{inside}");
            assert!(allows("Intranet.example", inside), "{inside}");
        }
        for outside in ["8.8.8.8", "200.147.3.157", "2800:3f0:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
        {
            assert!(allows("erp.example", outside), "{outside}");
        }
        assert!(
            allows("127.0.0.1", "127.0.0.1") && allows("::1", "::1") && !allows("127.0.0.2", "127.0.0.2")
        );
        assert!(!guard.is_exempt("x.intranet.example", 80), "the exact host");
    }

    #[test]
    fn a_host_that_is_named_with_a_port_is_reached_at_that_port_alone() {
        let named = ["127.0.0.1:9000", "[::1]:9000", "Erp.interno:8443", "fd00::1", "outro.interno"];
        let guard = AddressGuard::new(named.map(str::to_owned));
        for host in ["127.0.0.1", "::1", "[::1]"] {
            assert!(
                guard.is_exempt(host, 9000) && !guard.is_exempt(host, 9001) && !guard.is_exempt(host, 80),
                "{host}"
            );
        }
        assert!(guard.is_exempt("erp.interno", 8443) && !guard.is_exempt("erp.interno", 443));
        for host in ["fd00::1", "outro.interno"] {
            assert!(guard.is_exempt(host, 80) && guard.is_exempt(host, 9000), "{host}: all of its ports");
        }
        assert!(!guard.is_allowed("127.0.0.1", "127.0.0.1:9001".parse().unwrap()));
        assert!(guard.is_allowed("127.0.0.1", "127.0.0.1:9000".parse().unwrap()));
    }
}
