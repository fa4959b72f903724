//! A clock that stands still until it is moved, and chance that repeats itself.

use domain::{Clock, Moment, RandomSource};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

pub struct StillClock(AtomicI64);

impl Default for StillClock {
    /// 2026-11-14T13:32:05Z, the day of the specification's examples.
    fn default() -> StillClock {
        StillClock(AtomicI64::new(1_794_663_125_000))
    }
}

impl StillClock {
    /// Moves it to a moment, which may not be past.
    pub fn reach(&self, moment: Moment) {
        self.0.fetch_max(moment.millis(), Ordering::SeqCst);
    }

    /// Puts it back, as somebody does who finds that it runs ahead.
    pub fn turn_back(&self, span: Duration) {
        self.0.fetch_sub(i64::try_from(span.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub fn pass(&self, span: Duration) {
        self.0.fetch_add(i64::try_from(span.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now(&self) -> Moment {
        Moment::from_millis(self.0.load(Ordering::SeqCst))
    }
}

pub struct SeededChance(Mutex<ChaCha20Rng>);

impl SeededChance {
    pub fn new(seed: u64) -> SeededChance {
        SeededChance(Mutex::new(ChaCha20Rng::seed_from_u64(seed)))
    }
}

impl RandomSource for SeededChance {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap().fill_bytes(bytes);
    }
}
