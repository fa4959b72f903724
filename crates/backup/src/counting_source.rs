//! Chance for tests: each call gives other bytes, and every run the same.

use domain::RandomSource;
use std::sync::atomic::{AtomicU8, Ordering};

#[derive(Default)]
pub struct CountingSource(AtomicU8);

impl RandomSource for CountingSource {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
    }
}
