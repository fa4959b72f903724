//! Accesses that wait in memory to be written. Each thread notes in a part of its own, so that requests do not wait for
//! each other. The buffer is bounded in bytes, and in time while nothing can be written: access is then refused rather
//! than left unlogged. `app/src/audit/access_log_pace.rs` decides when it is written.

use super::access_log::{AccessActor, AccessLogBlock, compute_block_number};
use domain::{AuditedOperation, Moment, PersonCode, TenantId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many bytes may wait: some ten million accesses.
const MOST_BYTES: usize = 64 << 20;
/// For so long accesses may wait if writing them fails.
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// Memory of a block besides its accesses, about.
const BYTES_PER_BLOCK: usize = 160;
const PARTS: usize = 16;

/// Tenant, actor, operation, and block of person codes.
type AccessLogKey = (TenantId, AccessActor, AuditedOperation, i32);
type AccessLogBlocks = HashMap<AccessLogKey, AccessLogBlock>;

/// Too many accesses wait, or for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessLogFull;

#[derive(Default)]
pub struct AccessLogBuffer {
    parts: [Mutex<AccessLogBlocks>; PARTS],
    bytes: AtomicUsize,
    is_overdue: AtomicBool,
}

impl AccessLogBuffer {
    /// Notes accesses to these people.
    pub fn record(
        &self,
        (tenant, actor): (TenantId, AccessActor),
        operation: AuditedOperation,
        people: impl Iterator<Item = PersonCode>,
        at: Moment,
    ) -> Result<(), AccessLogFull> {
        if self.bytes.load(Ordering::Relaxed) >= MOST_BYTES || self.is_overdue.load(Ordering::Relaxed) {
            return Err(AccessLogFull);
        }
        let mut added = 0;
        let mut blocks = lock_blocks(&self.parts[find_part_of_thread()]);
        for person in people {
            let key = (tenant, actor, operation, compute_block_number(person));
            blocks
                .entry(key)
                .and_modify(|block| {
                    block.add(person, at);
                    added += AccessLogBlock::BYTES_PER_ACCESS;
                })
                .or_insert_with(|| {
                    added += AccessLogBlock::BYTES_PER_ACCESS + BYTES_PER_BLOCK;
                    AccessLogBlock::new(actor, operation, (person, at))
                });
        }
        // Counted before others can take these blocks out and count them off.
        self.bytes.fetch_add(added, Ordering::Relaxed);
        Ok(())
    }

    /// Memory of what waits, about.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether so much waits that it should be written at once.
    pub fn is_half_full(&self) -> bool {
        self.bytes() >= MOST_BYTES / 2
    }

    /// Takes everything that waits, in batches of one tenant with at most `size` blocks.
    pub fn take_batches(&self, size: usize) -> Vec<AccessLogBatch<'_>> {
        let mut by_key = AccessLogBlocks::new();
        for part in &self.parts {
            let blocks = std::mem::take(&mut *lock_blocks(part));
            self.bytes.fetch_sub(blocks.values().map(measure_block).sum(), Ordering::Relaxed);
            blocks.into_iter().for_each(|(key, block)| add_block(&mut by_key, key, block));
        }
        // Sorted, so that the same calls always produce the same entries.
        let mut all: Vec<_> = by_key.into_iter().collect();
        all.sort_unstable_by_key(|((tenant, actor, operation, block), _)| {
            (*tenant, *actor, operation.name(), *block)
        });
        let mut by_tenant = BTreeMap::<TenantId, Vec<AccessLogBlock>>::new();
        for ((tenant, ..), mut block) in all {
            block.sort();
            by_tenant.entry(tenant).or_default().push(block);
        }
        let mut batches = Vec::new();
        for (tenant, mut blocks) in by_tenant {
            while !blocks.is_empty() {
                let rest = blocks.split_off(size.min(blocks.len()));
                batches.push(AccessLogBatch { buffer: self, tenant, blocks });
                blocks = rest;
            }
        }
        batches
    }

    fn put_back(&self, tenant: TenantId, blocks: Vec<AccessLogBlock>) {
        let mut waiting = lock_blocks(&self.parts[0]);
        let before: usize = waiting.values().map(measure_block).sum();
        for block in blocks {
            let key = (tenant, block.actor, block.operation, block.number());
            let newer = waiting.remove(&key);
            waiting.insert(key, block);
            if let Some(newer) = newer {
                add_block(&mut waiting, key, newer);
            }
        }
        let after: usize = waiting.values().map(measure_block).sum();
        self.bytes.fetch_add(after.saturating_sub(before), Ordering::Relaxed);
    }

    /// Notes that everything taken could be written, or that something could not.
    pub fn report_written(&self, is_written: bool, now: Moment) {
        let is_overdue = !is_written
            && self.parts.iter().any(|part| {
                lock_blocks(part)
                    .values()
                    .any(|block| now.duration_since(block.first_access()) > LONGEST_WAIT)
            });
        self.is_overdue.store(is_overdue, Ordering::Relaxed);
    }
}

/// Adds a block to the one with the same key.
fn add_block(blocks: &mut AccessLogBlocks, key: AccessLogKey, block: AccessLogBlock) {
    match blocks.get_mut(&key) {
        Some(older) => older.merge(&block),
        None => drop(blocks.insert(key, block)),
    }
}

fn measure_block(block: &AccessLogBlock) -> usize {
    block.len() * AccessLogBlock::BYTES_PER_ACCESS + BYTES_PER_BLOCK
}

fn lock_blocks(part: &Mutex<AccessLogBlocks>) -> MutexGuard<'_, AccessLogBlocks> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find_part_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! { static PART: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS }
    PART.with(|part| *part)
}

/// A batch being written. If it is dropped before the commit, also by cancellation, its accesses return to the buffer:
/// they may be written twice, but are never lost.
pub struct AccessLogBatch<'b> {
    buffer: &'b AccessLogBuffer,
    pub tenant: TenantId,
    pub blocks: Vec<AccessLogBlock>,
}

impl AccessLogBatch<'_> {
    /// Keeps drop from returning the batch to the buffer.
    pub fn mark_written(mut self) {
        self.blocks.clear();
    }
}

impl Drop for AccessLogBatch<'_> {
    fn drop(&mut self) {
        if !self.blocks.is_empty() {
            self.buffer.put_back(self.tenant, std::mem::take(&mut self.blocks));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::UserCode;
    use std::sync::Barrier;

    const TENANT: TenantId = TenantId::new(1);

    fn record(
        buffer: &AccessLogBuffer,
        people: std::ops::Range<i32>,
        seconds: i64,
    ) -> Result<(), AccessLogFull> {
        let at = Moment::from_millis(seconds * 1_000);
        let actor = AccessActor::from(UserCode::new(7));
        buffer.record((TENANT, actor), AuditedOperation::ShowMember, people.map(PersonCode::new), at)
    }

    fn count(batches: &[AccessLogBatch<'_>]) -> usize {
        batches.iter().flat_map(|batch| &batch.blocks).map(AccessLogBlock::len).sum()
    }

    #[test]
    fn accesses_of_many_threads_are_taken_once_and_merged() {
        let buffer = AccessLogBuffer::default();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    (0..100).for_each(|_| record(&buffer, 0..2_500, 1).unwrap());
                });
            }
        });
        let batches = buffer.take_batches(2);
        assert_eq!(batches.iter().map(|batch| batch.blocks.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(count(&batches), 8 * 100 * 2_500);
        assert_eq!(buffer.bytes(), 0);
        batches.into_iter().for_each(AccessLogBatch::mark_written);
        assert!(buffer.take_batches(2).is_empty());
    }

    #[test]
    fn a_batch_that_is_not_written_waits_again_before_what_came_later() {
        let buffer = AccessLogBuffer::default();
        record(&buffer, 0..3, 1).unwrap();
        let batches = buffer.take_batches(10);
        record(&buffer, 0..2, 5).unwrap();
        drop(batches);
        let batches = buffer.take_batches(10);
        assert_eq!((batches.len(), count(&batches)), (1, 5));
        assert_eq!(batches[0].blocks[0].first_access(), Moment::from_millis(1_000));
        batches.into_iter().for_each(AccessLogBatch::mark_written);
        assert_eq!(buffer.bytes(), 0);
    }

    #[test]
    fn it_refuses_when_too_many_bytes_wait_and_takes_more_once_they_are_written() {
        let buffer = AccessLogBuffer::default();
        let mut accepted = 0;
        while record(&buffer, 0..100_000, 1).is_ok() {
            accepted += 100_000;
            assert!(accepted < 100_000_000, "it is bounded");
        }
        assert!(accepted > 5_000_000, "{accepted}");
        let batches = buffer.take_batches(1_000);
        assert_eq!(count(&batches), accepted);
        batches.into_iter().for_each(AccessLogBatch::mark_written);
        assert_eq!((buffer.bytes(), record(&buffer, 0..1, 1)), (0, Ok(())));
    }

    #[test]
    fn it_refuses_when_writing_fails_for_long_and_not_because_time_passed_alone() {
        let buffer = AccessLogBuffer::default();
        let at = |seconds: i64| Moment::from_millis(seconds * 1_000);
        record(&buffer, 0..1, 0).unwrap();
        record(&buffer, 0..1, 100_000).unwrap();
        buffer.report_written(false, at(60));
        record(&buffer, 0..1, 60).unwrap();
        buffer.report_written(false, at(301));
        assert_eq!(record(&buffer, 0..1, 301), Err(AccessLogFull));
        buffer.take_batches(10).into_iter().for_each(AccessLogBatch::mark_written);
        buffer.report_written(true, at(302));
        assert_eq!(record(&buffer, 0..1, 302), Ok(()));
    }
}
