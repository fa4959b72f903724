//! Keeps the sizes of the batches that the executor commits, so that a ratio can be told from a batch that never
//! filled.

use metrics::{Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static BATCHES: AtomicU64 = AtomicU64::new(0);
static UNITS: AtomicU64 = AtomicU64::new(0);

/// From now on batches are counted. Everything else that is recorded is forgotten.
pub fn install() {
    metrics::set_global_recorder(Sizes).expect("no other recorder is installed");
}

/// The mean size of the batches since the last call.
pub fn mean_batch() -> Option<f64> {
    let (batches, units) = (BATCHES.swap(0, Ordering::Relaxed), UNITS.swap(0, Ordering::Relaxed));
    (batches > 0).then(|| units as f64 / batches as f64)
}

struct Sizes;

impl HistogramFn for Sizes {
    fn record(&self, units: f64) {
        BATCHES.fetch_add(1, Ordering::Relaxed);
        UNITS.fetch_add(units as u64, Ordering::Relaxed);
    }
}

impl Recorder for Sizes {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        if key.name() == "amparo_batch_units" {
            Histogram::from_arc(Arc::new(Sizes))
        } else {
            Histogram::noop()
        }
    }
}
