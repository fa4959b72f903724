//! The network address by which callers are told apart.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 network of an IPv6 address: a household has one of either, while the addresses inside a
/// /64 are practically unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerAddress(IpAddr);

impl From<IpAddr> for CallerAddress {
    fn from(address: IpAddr) -> CallerAddress {
        CallerAddress(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
            IpAddr::V4(address) => IpAddr::V4(address),
        })
    }
}

impl CallerAddress {
    /// The address, or the first address of the network.
    pub fn ip(self) -> IpAddr {
        self.0
    }
}

impl fmt::Display for CallerAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_version_six_counts_as_its_network() {
        let parse_address = |text: &str| CallerAddress::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(parse_address("2001:db8:1:2:3:4:5:6"), parse_address("2001:db8:1:2:ffff::1"));
        assert_ne!(parse_address("2001:db8:1:2::1"), parse_address("2001:db8:1:3::1"));
        assert_eq!(parse_address("::ffff:192.0.2.7"), parse_address("192.0.2.7"));
        assert_ne!(parse_address("192.0.2.7"), parse_address("192.0.2.8"));
        assert_eq!(parse_address("2001:db8:1:2:3::9").to_string(), "2001:db8:1:2::");
    }
}
