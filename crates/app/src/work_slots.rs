//! Slots for work that costs much CPU, memory or disk. The server has a few, and one association never takes them all:
//! its requests queue among themselves before they queue for the server.

use domain::TenantId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many requests of one association may wait for a slot. Each holds its request body.
const MOST_WAITING: usize = 8;

pub struct FairPlaces {
    server: Arc<Semaphore>,
    server_count: usize,
    tenant_count: usize,
    tenants: Mutex<HashMap<TenantId, TenantQueue>>,
}

#[derive(Clone)]
struct TenantQueue {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// A slot, released on drop.
pub struct HeldPlace {
    _tenant: OwnedSemaphorePermit,
    _server: OwnedSemaphorePermit,
}

impl FairPlaces {
    /// `server_count` slots, of which one association takes at most `tenant_count` at a time.
    pub fn new(server_count: usize, tenant_count: usize) -> FairPlaces {
        let server = Arc::new(Semaphore::new(server_count));
        FairPlaces { server, server_count, tenant_count, tenants: Mutex::default() }
    }

    /// Waits for a slot, first come, first served; `None` after `timeout`, or if too many requests wait already.
    #[boxed::future]
    pub async fn acquire(&self, tenant: TenantId, timeout: Duration) -> Option<HeldPlace> {
        let queue = self.tenant_queue(tenant);
        let _waiting = queue.waiting.try_acquire_owned().ok()?;
        let both = async {
            // The own slot comes first: an association has at most `tenant_count` requests in the server queue.
            let tenant_place = queue.places.acquire_owned().await.ok()?;
            let server = Arc::clone(&self.server).acquire_owned().await.ok()?;
            Some(HeldPlace { _tenant: tenant_place, _server: server })
        };
        tokio::time::timeout(timeout, both).await.ok().flatten()
    }

    /// A slot, if one is free now.
    pub fn try_acquire(&self, tenant: TenantId) -> Option<HeldPlace> {
        let tenant_place = self.tenant_queue(tenant).places.try_acquire_owned().ok()?;
        let server = Arc::clone(&self.server).try_acquire_owned().ok()?;
        Some(HeldPlace { _tenant: tenant_place, _server: server })
    }

    pub fn held_count(&self) -> usize {
        self.server_count - self.server.available_permits()
    }

    fn tenant_queue(&self, tenant: TenantId) -> TenantQueue {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || TenantQueue {
            places: Arc::new(Semaphore::new(self.tenant_count)),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
        };
        tenants.entry(tenant).or_insert_with(new).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Poll, Waker};

    const ONE: TenantId = TenantId::new(1);
    const TWO: TenantId = TenantId::new(2);
    const THREE: TenantId = TenantId::new(3);

    #[tokio::test]
    async fn no_association_has_all_places_and_those_who_wait_go_in_order() {
        let places = Arc::new(FairPlaces::new(2, 1));
        let timeout = Duration::from_mins(1);
        let first = places.acquire(ONE, timeout).await.unwrap();
        assert!(places.acquire(ONE, Duration::ZERO).await.is_none(), "its own one is taken");
        assert!(places.try_acquire(ONE).is_none());
        let second = places.acquire(TWO, timeout).await.unwrap();
        assert_eq!(places.held_count(), 2);
        assert!(places.try_acquire(THREE).is_none(), "the server has two");
        let waiting = tokio::spawn({
            let places = Arc::clone(&places);
            async move { places.acquire(THREE, timeout).await.is_some() }
        });
        tokio::task::yield_now().await;
        drop(first);
        assert!(waiting.await.unwrap());
        drop(second);
        assert_eq!(places.held_count(), 0);
    }

    #[tokio::test]
    async fn only_a_few_wait() {
        let places = Arc::new(FairPlaces::new(2, 1));
        let _held = places.acquire(ONE, Duration::ZERO).await.unwrap();
        let timeout = Duration::from_hours(1);
        let waiting: Vec<_> = (0..MOST_WAITING)
            .map(|_| {
                let places = Arc::clone(&places);
                tokio::spawn(async move { places.acquire(ONE, timeout).await.is_some() })
            })
            .collect();
        while places.tenant_queue(ONE).waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let mut next = std::pin::pin!(places.acquire(ONE, timeout));
        let refused = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(refused, Poll::Ready(None)), "the next is refused at once");
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
