//! How many connections each address has now.

use super::Shell;
use domain::CallerAddress;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub struct Shares(Mutex<HashMap<CallerAddress, usize>>);

/// One of an address's connections, given back when it is dropped.
pub struct Share {
    shares: Arc<Shares>,
    address: CallerAddress,
}

impl Shares {
    /// A share for one more connection; `None` where the address has all it may.
    pub fn take(self: &Arc<Self>, shell: &Shell, peer: IpAddr) -> Option<Share> {
        let peer = peer.to_canonical();
        let is_proxy = shell.http.trusted_proxies.iter().any(|net| net.contains(&peer));
        let most = if is_proxy { usize::MAX } else { shell.limits.max_per_address };
        let address = CallerAddress::from(peer);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Share { shares: Arc::clone(self), address })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut all = self.shares.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.address);
            }
        }
    }
}
