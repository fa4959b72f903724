//! The open connections, by address, with a limit per address (`http.max_connections_per_address`). When all slots
//! (`http.max_connections`) are taken, a new connection replaces an idle one of the address that holds the most, so a
//! few addresses cannot lock out the others.

use super::{ConnectionLimits, HttpOptions};
use domain::CallerAddress;
use metrics::Gauge;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// No request in progress: none was sent yet, or all are answered.
const IDLE: u8 = 0;
/// A request is in progress.
const BUSY: u8 = 1;
/// Its slot was given to another connection.
const CLOSING: u8 = 2;

/// The current activity of a connection.
pub struct ConnectionActivity {
    state: AtomicU8,
    /// The peer has not yet received everything that was written: an answer is handed over before it has left.
    is_sending: AtomicBool,
    closed: Notify,
}

impl ConnectionActivity {
    /// Marks the start of a request. `None` if the slot was just given away: the request must not run.
    pub fn begin_request(self: &Arc<Self>) -> Option<ActiveRequestGuard> {
        let exchanged = self.state.compare_exchange(IDLE, BUSY, Ordering::AcqRel, Ordering::Acquire);
        // A pipelined request finds the connection already busy, which is fine.
        (exchanged != Err(CLOSING)).then(|| ActiveRequestGuard(Arc::clone(self)))
    }

    /// Completes when the slot was given away.
    pub async fn wait_for_close(&self) {
        self.closed.notified().await;
    }

    /// Records whether written bytes are still waiting to be received.
    pub fn set_sending(&self, is_sending: bool) {
        self.is_sending.store(is_sending, Ordering::Release);
    }

    fn close_if_idle(&self) -> bool {
        if self.is_sending.load(Ordering::Acquire) {
            return false;
        }
        let closed = self.state.compare_exchange(IDLE, CLOSING, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if closed {
            self.closed.notify_one();
        }
        closed
    }

    fn close(&self) {
        self.state.store(CLOSING, Ordering::Release);
        self.closed.notify_one();
    }
}

/// Held from a request's headers to the last byte of its answer.
pub struct ActiveRequestGuard(Arc<ConnectionActivity>);

impl Drop for ActiveRequestGuard {
    fn drop(&mut self) {
        let _ = self.0.state.compare_exchange(BUSY, IDLE, Ordering::AcqRel, Ordering::Acquire);
    }
}

pub struct ConnectionLimiter {
    open: Mutex<OpenConnections>,
    /// Notified when a slot becomes free.
    released: Notify,
}

struct OpenConnections {
    /// Per address, the oldest first.
    by_address: HashMap<CallerAddress, BTreeMap<u64, Arc<ConnectionActivity>>>,
    total: usize,
    next_number: u64,
    total_metric: Gauge,
}

pub enum AdmissionOutcome {
    Admitted(AdmittedConnection),
    /// The address has reached its limit.
    Refused,
    /// All slots are busy with requests.
    Full,
}

/// A connection slot, released on drop.
pub struct AdmittedConnection {
    connections: Arc<ConnectionLimiter>,
    address: CallerAddress,
    number: u64,
    pub activity: Arc<ConnectionActivity>,
}

impl ConnectionLimiter {
    pub fn new(limits: &ConnectionLimits) -> ConnectionLimiter {
        metrics::gauge!("amparo_http_connections_limit").set(limits.max_connections as f64);
        let open = OpenConnections {
            by_address: HashMap::new(),
            total: 0,
            next_number: 0,
            total_metric: metrics::gauge!("amparo_http_connections"),
        };
        ConnectionLimiter { open: Mutex::new(open), released: Notify::new() }
    }

    /// Tries to get a slot for a connection from this address.
    pub fn admit(
        self: &Arc<Self>,
        limits: &ConnectionLimits,
        http: &HttpOptions,
        peer: IpAddr,
    ) -> AdmissionOutcome {
        let peer = peer.to_canonical();
        let is_proxy = http.trusted_proxies.iter().any(|net| net.contains(&peer));
        let most = if is_proxy { usize::MAX } else { limits.max_per_address };
        let address = CallerAddress::from(peer);
        let mut open = self.lock();
        if open.count_from(address) >= most {
            return AdmissionOutcome::Refused;
        }
        if open.total >= limits.max_connections && !open.free_place_for(address) {
            return AdmissionOutcome::Full;
        }
        let (number, activity) = open.insert(address);
        AdmissionOutcome::Admitted(AdmittedConnection {
            connections: Arc::clone(self),
            address,
            number,
            activity,
        })
    }

    /// Completes when a slot became free since the last call.
    pub async fn wait_for_release(&self) {
        self.released.notified().await;
    }

    /// Closes every connection, busy or not.
    pub fn close_all(&self) {
        for activity in self.lock().by_address.values().flat_map(BTreeMap::values) {
            activity.close();
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn count_from(&self, address: CallerAddress) -> usize {
        self.by_address.get(&address).map_or(0, BTreeMap::len)
    }

    fn insert(&mut self, address: CallerAddress) -> (u64, Arc<ConnectionActivity>) {
        let number = self.next_number;
        self.next_number += 1;
        let activity = Arc::new(ConnectionActivity {
            state: AtomicU8::new(IDLE),
            is_sending: AtomicBool::new(false),
            closed: Notify::new(),
        });
        self.by_address.entry(address).or_default().insert(number, Arc::clone(&activity));
        self.total += 1;
        self.total_metric.set(self.total as f64);
        (number, activity)
    }

    /// Returns whether it was present.
    fn remove(&mut self, address: CallerAddress, number: u64) -> bool {
        let Some(of_address) = self.by_address.get_mut(&address) else { return false };
        let removed = of_address.remove(&number).is_some();
        if of_address.is_empty() {
            self.by_address.remove(&address);
        }
        self.total -= usize::from(removed);
        self.total_metric.set(self.total as f64);
        removed
    }

    /// Closes the oldest idle connection of the address that holds the most, if that is more than the newcomer holds or
    /// is the newcomer itself.
    fn free_place_for(&mut self, newcomer: CallerAddress) -> bool {
        let newcomer_count = self.count_from(newcomer);
        let mut holders: Vec<(usize, CallerAddress)> =
            self.by_address.iter().map(|(address, open)| (open.len(), *address)).collect();
        holders.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (count, holder) in holders {
            if count <= newcomer_count && holder != newcomer {
                continue;
            }
            let idle = self.by_address.get(&holder).and_then(|open| {
                open.iter().find(|(_, activity)| activity.close_if_idle()).map(|(number, _)| *number)
            });
            if let Some(number) = idle {
                return self.remove(holder, number);
            }
        }
        false
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        if self.connections.lock().remove(self.address, self.number) {
            self.connections.released.notify_one();
        }
    }
}
