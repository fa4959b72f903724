//! One backup at a time for each destination, so that none deletes what another still needs.

use crate::BackupActionError;
use crate::destination_store::{DestinationPlace, DestinationStore, find_bytes};
use domain::{Clock, Moment, encode_hex};
use object_store::ObjectStoreExt;
use object_store::path::Path as ObjectPath;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;

const LOCK_NAME: &str = "em-andamento.json";
/// How often a lock in a bucket is renewed.
const RENEWAL: Duration = Duration::from_secs(30);
/// A lock that was not renewed for so long was left behind by a process that ended.
const ABANDONED_AFTER: Duration = Duration::from_mins(3);

#[derive(Serialize, Deserialize)]
struct LockRecord {
    #[serde(rename = "processo")]
    process: String,
    /// In milliseconds since 1970.
    #[serde(rename = "momento")]
    renewed_at: i64,
}

/// In a folder the operating system releases the lock of a process that ends; in a bucket it is renewed all the time.
pub enum RunLock {
    Folder(#[allow(dead_code, reason = "it is held, not read")] File),
    Bucket { place: DestinationPlace, renewal: AbortHandle },
}

impl RunLock {
    pub(crate) async fn take(
        destination: &DestinationStore,
        clock: &Arc<dyn Clock>,
    ) -> Result<RunLock, BackupActionError> {
        match &destination.place.folder {
            Some(folder) => {
                let failed = |error: std::io::Error| BackupActionError::Destination(error.to_string());
                let file = File::create(folder.join(LOCK_NAME)).map_err(failed)?;
                match file.try_lock() {
                    Ok(()) => Ok(RunLock::Folder(file)),
                    Err(TryLockError::WouldBlock) => Err(BackupActionError::Busy),
                    Err(TryLockError::Error(error)) => Err(failed(error)),
                }
            }
            None => RunLock::take_in_bucket(destination, clock).await,
        }
    }

    async fn take_in_bucket(
        destination: &DestinationStore,
        clock: &Arc<dyn Clock>,
    ) -> Result<RunLock, BackupActionError> {
        let now = clock.now();
        if let Some(held) = read_lock(&destination.place).await? {
            let renewed = Moment::from_millis(held.renewed_at);
            let age = now.duration_since(renewed).max(renewed.duration_since(now));
            if age < ABANDONED_AFTER {
                return Err(BackupActionError::Busy);
            }
        }
        let mut random = [0; 16];
        destination.random.fill(&mut random);
        let process = encode_hex(&random);
        write_lock(destination, &process, now).await?;
        // Of two that saw no lock, the one that wrote last holds it.
        if read_lock(&destination.place).await?.is_none_or(|held| held.process != process) {
            return Err(BackupActionError::Busy);
        }
        let (renewed, clock) = (destination.clone(), Arc::clone(clock));
        let renewal = tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEWAL).await;
                if let Err(error) = write_lock(&renewed, &process, clock.now()).await {
                    tracing::warn!(%error, "the lock of the backup could not be renewed");
                }
            }
        });
        Ok(RunLock::Bucket { place: destination.place.clone(), renewal: renewal.abort_handle() })
    }

    /// Releases the lock. One that is only dropped is taken for abandoned after a while.
    pub(crate) async fn release(self) {
        if let RunLock::Bucket { place, renewal } = &self {
            renewal.abort();
            if let Err(error) = place.store.delete(&ObjectPath::from(LOCK_NAME)).await {
                tracing::warn!(%error, "the lock of the backup could not be removed");
            }
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        if let RunLock::Bucket { renewal, .. } = self {
            renewal.abort();
        }
    }
}

async fn read_lock(place: &DestinationPlace) -> Result<Option<LockRecord>, BackupActionError> {
    let text = find_bytes(place, LOCK_NAME).await?;
    // What cannot be read holds nothing.
    Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
}

async fn write_lock(
    destination: &DestinationStore,
    process: &str,
    now: Moment,
) -> Result<(), BackupActionError> {
    let record = LockRecord { process: process.to_owned(), renewed_at: now.millis() };
    let text =
        serde_json::to_vec(&record).map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
    destination.put_bytes(LOCK_NAME, text.into()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::RandomSource;
    use object_store::memory::InMemory;
    use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

    #[derive(Default)]
    struct ManualClock(AtomicI64);

    impl Clock for ManualClock {
        fn now(&self) -> Moment {
            Moment::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    struct CountingSource(AtomicU8);

    impl RandomSource for CountingSource {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[tokio::test]
    async fn a_lock_in_a_bucket_holds_until_it_is_released_or_abandoned() {
        let place = DestinationPlace::bucket(Arc::new(InMemory::new()));
        let random = Arc::new(CountingSource(0.into()));
        let destination = DestinationStore::open_or_create(place, None, random).await.unwrap();
        let manual = Arc::new(ManualClock(10_000_000.into()));
        let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&manual);
        let is_busy =
            async || matches!(RunLock::take(&destination, &clock).await, Err(BackupActionError::Busy));
        let first = RunLock::take(&destination, &clock).await.unwrap();
        assert!(is_busy().await);
        first.release().await;
        // Dropped as a process that is killed drops it: nobody renews it.
        drop(RunLock::take(&destination, &clock).await.unwrap());
        assert!(is_busy().await);
        manual.0.fetch_add(i64::try_from(ABANDONED_AFTER.as_millis()).unwrap(), Ordering::Relaxed);
        let after = RunLock::take(&destination, &clock).await.unwrap();
        assert!(is_busy().await);
        // A clock that was set back does not make a lock eternal.
        manual.0.store(0, Ordering::Relaxed);
        after.release().await;
        assert!(!is_busy().await);
    }

    #[tokio::test]
    async fn a_lock_in_a_folder_is_of_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let place = DestinationPlace::create_folder(&folder.path().join("copias")).unwrap();
        let random = Arc::new(CountingSource(0.into()));
        let destination = DestinationStore::open_or_create(place, None, random).await.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
        let first = RunLock::take(&destination, &clock).await.unwrap();
        assert!(matches!(RunLock::take(&destination, &clock).await, Err(BackupActionError::Busy)));
        drop(first);
        RunLock::take(&destination, &clock).await.unwrap().release().await;
    }
}
