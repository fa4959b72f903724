//! Networks of validation partners, and the number of lookups each may make.

use crate::{CallerAddress, Rejection};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address, or a network prefix. IPv6 prefixes longer than 64 bits are not distinguished, as in [`CallerAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// The bits of an address, and the shortest prefix allowed: a partner's network cannot be half of the internet.
    const V4: (u8, u8) = (32, 16);
    const V6: (u8, u8) = (64, 32);

    /// Accepts `203.0.113.7`, `203.0.113.0/24`, `2001:db8:1:2::/64`.
    pub fn parse(text: &str) -> Result<Network, Rejection> {
        let bad = || Rejection::BadNetwork(text.trim().to_owned());
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| bad())?)),
            None => (text.trim(), None),
        };
        let address = address.parse::<IpAddr>().map_err(|_| bad())?.to_canonical();
        let (most, fewest) = if address.is_ipv4() { Network::V4 } else { Network::V6 };
        let bits = bits.unwrap_or(most);
        if !(fewest..=most).contains(&bits) {
            return Err(bad());
        }
        Ok(Network { first: mask_address(address, bits), bits })
    }

    pub fn contains(self, caller: CallerAddress) -> bool {
        let address = caller.ip();
        address.is_ipv4() == self.first.is_ipv4() && mask_address(address, self.bits) == self.first
    }

    fn is_one_address(self) -> bool {
        self.first.is_ipv4() && self.bits == Network::V4.0
    }
}

/// The first address of the network.
fn mask_address(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_one_address() {
            true => write!(out, "{}", self.first),
            false => write!(out, "{}/{}", self.first, self.bits),
        }
    }
}

/// A partner that validates benefits without a credential: its network and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidationPartner {
    pub network: Network,
    /// How many lookups the network may make in one throttle window.
    pub lookups: u32,
}

impl ValidationPartner {
    pub const MOST_LOOKUPS: u32 = 100_000;

    /// Parses `203.0.113.0/24 5000`, the format of [`fmt::Display`].
    pub fn parse(line: &str) -> Result<ValidationPartner, Rejection> {
        let bad = || Rejection::BadPartner(line.trim().to_owned());
        let mut parts = line.split_whitespace();
        let (Some(network), Some(lookups), None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(bad());
        };
        let lookups = lookups.parse().ok().filter(|count| (1..=Self::MOST_LOOKUPS).contains(count));
        Ok(ValidationPartner { network: Network::parse(network)?, lookups: lookups.ok_or_else(bad)? })
    }
}

impl fmt::Display for ValidationPartner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.network, self.lookups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_the_addresses_that_begin_like_it() {
        let caller = |text: &str| CallerAddress::from(text.parse::<IpAddr>().unwrap());
        let network = Network::parse(" 203.0.113.77/24 ").unwrap();
        assert_eq!(network.to_string(), "203.0.113.0/24");
        assert!(network.contains(caller("203.0.113.1")) && network.contains(caller("::ffff:203.0.113.9")));
        assert!(!network.contains(caller("203.0.114.1")) && !network.contains(caller("2001:db8::1")));
        let one = Network::parse("203.0.113.7").unwrap();
        assert_eq!(one, Network::parse("203.0.113.7/32").unwrap());
        assert_eq!(one.to_string(), "203.0.113.7");
        assert!(one.contains(caller("203.0.113.7")) && !one.contains(caller("203.0.113.8")));
        let six = Network::parse("2001:db8:1:2::9").unwrap();
        assert_eq!(six.to_string(), "2001:db8:1:2::/64");
        assert!(six.contains(caller("2001:db8:1:2:3::4")) && !six.contains(caller("2001:db8:1:3::4")));
        assert!(Network::parse("2001:db8::/32").unwrap().contains(caller("2001:db8:ffff::1")));
    }

    #[test]
    fn what_is_no_network_or_too_wide_a_one_is_refused() {
        for bad in
            ["", "abc", "203.0.113.0/33", "203.0.0.0/15", "0.0.0.0/0", "1.2.3", "::/0", "2001:db8::/31"]
        {
            assert!(Network::parse(bad).is_err(), "{bad}");
        }
        assert!(Network::parse("2001:db8::/65").is_err(), "a part of what counts as one address");
    }

    #[test]
    fn a_partner_is_read_as_it_is_written() {
        for line in ["203.0.113.0/24 5000", "203.0.113.7 1", "2001:db8:1:2::/64 100000"] {
            assert_eq!(ValidationPartner::parse(line).unwrap().to_string(), line);
        }
        for bad in ["", "203.0.113.7", "203.0.113.7 0", "203.0.113.7 100001", "203.0.113.7 10 x", "x 10"] {
            assert!(ValidationPartner::parse(bad).is_err(), "{bad}");
        }
    }
}
