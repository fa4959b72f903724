//! How long single calls took, each by itself.

use std::time::Duration;

#[derive(Default)]
pub struct Times(pub Vec<Duration>);

impl Times {
    pub fn p(&self, percent: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() as f64 * percent / 100.0) as usize;
        sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

pub fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}
