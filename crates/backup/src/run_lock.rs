//! One backup at a time for each destination, so that none deletes what another still needs.

use crate::BackupActionError;
use crate::destination_store::{DestinationPlace, LARGEST_NOTE, find_object};
use domain::{Clock, Moment, RandomSource, encode_hex};
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload, UpdateVersion};
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;

const LOCK_NAME: &str = "em-andamento.json";
/// How often a lock in a bucket is renewed.
const RENEWAL: Duration = Duration::from_secs(30);
/// A lock that was not renewed for so long was left behind by a process that ended. Clocks of two machines differ by
/// less.
const ABANDONED_AFTER: Duration = Duration::from_mins(15);

#[derive(Serialize, Deserialize)]
struct LockRecord {
    #[serde(rename = "processo")]
    process: String,
    /// In milliseconds since 1970.
    #[serde(rename = "momento")]
    renewed_at: i64,
}

/// In a folder the operating system releases the lock of a process that ends; in a bucket it is renewed all the time,
/// each time only if nobody else has written it meanwhile.
pub enum RunLock {
    Folder(#[allow(dead_code, reason = "it is held, not read")] File),
    Bucket { lock: Arc<BucketLock>, renewal: AbortHandle },
}

pub struct BucketLock {
    place: DestinationPlace,
    process: String,
    /// What the bucket calls the version that we wrote last.
    version: Mutex<UpdateVersion>,
    is_lost: AtomicBool,
}

impl RunLock {
    pub(crate) async fn take(
        place: &DestinationPlace,
        random: &dyn RandomSource,
        clock: &Arc<dyn Clock>,
    ) -> Result<RunLock, BackupActionError> {
        match &place.folder {
            Some(folder) => {
                let failed = |error: std::io::Error| BackupActionError::Destination(error.to_string());
                let file = File::create(folder.join(LOCK_NAME)).map_err(failed)?;
                match file.try_lock() {
                    Ok(()) => Ok(RunLock::Folder(file)),
                    Err(TryLockError::WouldBlock) => Err(BackupActionError::Busy),
                    Err(TryLockError::Error(error)) => Err(failed(error)),
                }
            }
            None => RunLock::take_in_bucket(place, random, clock).await,
        }
    }

    async fn take_in_bucket(
        place: &DestinationPlace,
        random: &dyn RandomSource,
        clock: &Arc<dyn Clock>,
    ) -> Result<RunLock, BackupActionError> {
        let mut process = [0; 16];
        random.fill(&mut process);
        let process = encode_hex(&process);
        let version = match write_lock(place, &process, clock.now(), PutMode::Create).await? {
            Some(version) => Some(version),
            None => take_over_abandoned(place, &process, clock.now()).await?,
        };
        let Some(version) = version else { return Err(BackupActionError::Busy) };
        let (place, version) = (place.clone(), Mutex::new(version));
        let lock = Arc::new(BucketLock { place, process, version, is_lost: AtomicBool::new(false) });
        let (renewed, clock) = (Arc::clone(&lock), Arc::clone(clock));
        let renewal = tokio::spawn(async move {
            while !renewed.is_lost.load(Ordering::Relaxed) {
                tokio::time::sleep(RENEWAL).await;
                renewed.renew(clock.now()).await;
            }
        });
        Ok(RunLock::Bucket { lock, renewal: renewal.abort_handle() })
    }

    /// An error if another process has taken the lock over. Asked before anything that another process would notice.
    pub(crate) async fn require_held(&self, clock: &Arc<dyn Clock>) -> Result<(), BackupActionError> {
        if let RunLock::Bucket { lock, .. } = self {
            lock.renew(clock.now()).await;
            if lock.is_lost.load(Ordering::Relaxed) {
                return Err(BackupActionError::Busy);
            }
        }
        Ok(())
    }

    /// Releases the lock. One that is only dropped is taken for abandoned after a while.
    pub(crate) async fn release(self) {
        if let RunLock::Bucket { lock, renewal } = &self {
            renewal.abort();
            if lock.is_lost.load(Ordering::Relaxed) {
                return;
            }
            if let Err(error) = lock.place.store.delete(&ObjectPath::from(LOCK_NAME)).await {
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

impl BucketLock {
    async fn renew(&self, now: Moment) {
        let mut version = self.version.lock().await;
        match write_lock(&self.place, &self.process, now, PutMode::Update(version.clone())).await {
            Ok(Some(next)) => *version = next,
            Ok(None) => {
                self.is_lost.store(true, Ordering::Relaxed);
                tracing::warn!("another process has taken over the backup");
            }
            // A bucket that does not answer for a moment takes no lock away.
            Err(error) => tracing::warn!(%error, "the lock of the backup could not be renewed"),
        }
    }
}

/// Takes a lock that its holder left behind; `None` if it is held.
async fn take_over_abandoned(
    place: &DestinationPlace,
    process: &str,
    now: Moment,
) -> Result<Option<UpdateVersion>, BackupActionError> {
    let Some((text, version)) = find_object(place, LOCK_NAME, LARGEST_NOTE).await? else { return Ok(None) };
    // What cannot be read was written by nobody who still holds it.
    let record: Option<LockRecord> = serde_json::from_slice(&text).ok();
    let is_held = record.is_some_and(|held| {
        let renewed = Moment::from_millis(held.renewed_at);
        now.duration_since(renewed).max(renewed.duration_since(now)) < ABANDONED_AFTER
    });
    if is_held {
        return Ok(None);
    }
    write_lock(place, process, now, PutMode::Update(version)).await
}

/// Writes the lock on this condition; `None` if the condition does not hold.
async fn write_lock(
    place: &DestinationPlace,
    process: &str,
    now: Moment,
    mode: PutMode,
) -> Result<Option<UpdateVersion>, BackupActionError> {
    let record = LockRecord { process: process.to_owned(), renewed_at: now.millis() };
    let text =
        serde_json::to_vec(&record).map_err(|error| BackupActionError::Interrupted(error.to_string()))?;
    match place.store.put_opts(&ObjectPath::from(LOCK_NAME), PutPayload::from(text), mode.into()).await {
        Ok(written) => Ok(Some(written.into())),
        Err(
            object_store::Error::AlreadyExists { .. }
            | object_store::Error::Precondition { .. }
            | object_store::Error::NotFound { .. },
        ) => Ok(None),
        Err(error) => Err(BackupActionError::from_destination(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting_source::CountingSource;
    use object_store::memory::InMemory;
    use std::sync::atomic::AtomicI64;

    #[derive(Default)]
    struct ManualClock(AtomicI64);

    impl Clock for ManualClock {
        fn now(&self) -> Moment {
            Moment::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    struct LockScene {
        place: DestinationPlace,
        random: CountingSource,
        manual: Arc<ManualClock>,
        clock: Arc<dyn Clock>,
    }

    impl LockScene {
        fn new(place: DestinationPlace) -> LockScene {
            let manual = Arc::new(ManualClock(10_000_000.into()));
            let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(&manual);
            LockScene { place, random: CountingSource::default(), manual, clock }
        }

        async fn take(&self) -> Result<RunLock, BackupActionError> {
            RunLock::take(&self.place, &self.random, &self.clock).await
        }

        async fn is_busy(&self) -> bool {
            matches!(self.take().await, Err(BackupActionError::Busy))
        }

        fn advance(&self, span: Duration) {
            self.manual.0.fetch_add(i64::try_from(span.as_millis()).unwrap(), Ordering::Relaxed);
        }
    }

    #[tokio::test]
    async fn a_lock_in_a_bucket_holds_until_it_is_released_or_abandoned() {
        let scene = LockScene::new(DestinationPlace::bucket(Arc::new(InMemory::new())));
        let first = scene.take().await.unwrap();
        assert!(scene.is_busy().await);
        first.require_held(&scene.clock).await.unwrap();
        first.release().await;
        // Dropped as a process that is killed drops it: nobody renews it.
        let killed = scene.take().await.unwrap();
        assert!(scene.is_busy().await);
        scene.advance(ABANDONED_AFTER);
        let second = scene.take().await.unwrap();
        // One that was only frozen notices that its lock was taken over, and does not take the new one away.
        assert!(matches!(killed.require_held(&scene.clock).await, Err(BackupActionError::Busy)));
        killed.release().await;
        assert!(scene.is_busy().await);
        second.require_held(&scene.clock).await.unwrap();
    }

    #[tokio::test]
    async fn a_lock_of_the_future_is_abandoned_too() {
        let scene = LockScene::new(DestinationPlace::bucket(Arc::new(InMemory::new())));
        drop(scene.take().await.unwrap());
        scene.manual.0.store(0, Ordering::Relaxed);
        assert!(!scene.is_busy().await);
    }

    #[tokio::test]
    async fn of_many_that_take_a_lock_at_once_one_gets_it() {
        let scene = LockScene::new(DestinationPlace::bucket(Arc::new(InMemory::new())));
        for _ in 0..2 {
            let all = futures_util::future::join_all((0..8).map(|_| scene.take())).await;
            assert_eq!(all.iter().filter(|taken| taken.is_ok()).count(), 1);
            scene.advance(ABANDONED_AFTER);
        }
    }

    #[tokio::test]
    async fn a_lock_in_a_folder_is_of_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let scene = LockScene::new(DestinationPlace::create_folder(&folder.path().join("copias")).unwrap());
        let first = scene.take().await.unwrap();
        assert!(scene.is_busy().await);
        drop(first);
        scene.take().await.unwrap().release().await;
    }
}
