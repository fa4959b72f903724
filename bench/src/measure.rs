//! Two sides of one measurement take turns in short rounds, so that whatever else the machine does hits both; the
//! verdict is the median of the rounds' ratios.

use crate::recorder;
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs for about the given time; gives operations per second.
pub type Side<'s> = Box<dyn FnMut(Duration) -> f64 + 's>;

pub struct Rounds {
    pub span: Duration,
    pub count: u64,
    pub only: Option<String>,
    /// Other processes whose time counts as ours: servers that are measured.
    pub processes: Vec<u32>,
    done: Vec<Outcome>,
}

/// What is measured, and what the executor must reach of the baseline.
pub struct Goal {
    pub name: &'static str,
    pub engine: &'static str,
    pub baseline: &'static str,
    /// In percent; `None` for a baseline that is only told beside the others.
    pub target: Option<f64>,
}

struct Outcome {
    goal: Goal,
    raw: Pace,
    ours: Pace,
    ratio: f64,
    low: f64,
    high: f64,
    batch: Option<f64>,
}

/// What one side reached in one round: operations per second, and the processor time for each of this process and of
/// the servers that it started. Where others use the machine too, the latter is the steadier figure; a database
/// server's own time is not in it.
#[derive(Clone, Copy)]
struct Pace {
    rate: f64,
    micros: f64,
}

impl Pace {
    fn of(side: &mut Side<'_>, span: Duration, processes: &[u32]) -> Pace {
        let (begun, before) = (Instant::now(), processor_seconds(processes));
        let rate = side(span);
        let done = rate * begun.elapsed().as_secs_f64();
        Pace { rate, micros: 1e6 * (processor_seconds(processes) - before) / done.max(1.0) }
    }

    fn median(rounds: &[Pace]) -> Pace {
        let of = |part: fn(&Pace) -> f64| median(rounds.iter().map(part).collect());
        Pace { rate: of(|one| one.rate), micros: of(|one| one.micros) }
    }
}

/// Processor time of this process and of others so far; 0 where the system does not tell it this way.
fn processor_seconds(processes: &[u32]) -> f64 {
    let of = |process: &str| {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // Behind the name, which may hold spaces: fields 14 and 15 of the whole, in hundredths of a second.
        let behind = text.rsplit_once(") ").map_or("", |(_, behind)| behind);
        behind.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
    };
    of("self") + processes.iter().map(|process| of(&process.to_string())).sum::<f64>()
}

/// A side runs this long before it counts, to prepare statements and fill caches.
const WARM_UP: Duration = Duration::from_millis(300);

impl Rounds {
    pub fn new(span: Duration, count: u64, only: Option<String>) -> Rounds {
        Rounds { span, count, only, processes: Vec::new(), done: Vec::new() }
    }

    /// Whether the measurement was asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|word| name.contains(word.as_str()))
    }

    /// Measures ours beside each of the baselines, which all run in every round.
    pub fn compare(&mut self, mut ours: Side<'_>, mut baselines: Vec<(Goal, Side<'_>)>) {
        for (_, raw) in &mut baselines {
            black_box(raw(WARM_UP));
        }
        black_box(ours(WARM_UP));
        recorder::mean_batch();
        let mut ours_rates = Vec::new();
        let mut raw_rates: Vec<Vec<Pace>> = vec![Vec::new(); baselines.len()];
        for _ in 0..self.count {
            for ((_, raw), rates) in baselines.iter_mut().zip(&mut raw_rates) {
                rates.push(Pace::of(raw, self.span, &self.processes));
            }
            ours_rates.push(Pace::of(&mut ours, self.span, &self.processes));
        }
        let batch = recorder::mean_batch();
        for ((goal, _), rates) in baselines.into_iter().zip(raw_rates) {
            let ratios: Vec<f64> =
                ours_rates.iter().zip(&rates).map(|(ours, raw)| 100.0 * ours.rate / raw.rate).collect();
            let (low, high) =
                ratios.iter().fold((f64::MAX, 0.0_f64), |(low, high), r| (low.min(*r), high.max(*r)));
            let outcome = Outcome {
                goal,
                raw: Pace::median(&rates),
                ours: Pace::median(&ours_rates),
                ratio: median(ratios),
                low,
                high,
                batch,
            };
            println!("{}", outcome.line());
            self.done.push(outcome);
        }
    }

    /// Everything measured, as a Markdown table.
    pub fn table(&self) -> String {
        let mut out = String::from(
            "| engine | measurement | baseline | raw /s | ours /s | ratio (lowest–highest round) | target | \
             batch | CPU µs, raw | ours |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for one in &self.done {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.0} | {:.0} | {:.1} % ({:.0}–{:.0}) | {} | {} | {:.1} | {:.1} |",
                one.goal.engine,
                one.goal.name,
                one.goal.baseline,
                one.raw.rate,
                one.ours.rate,
                one.ratio,
                one.low,
                one.high,
                one.goal.target.map_or("—".to_owned(), |target| format!("{target:.0} % {}", one.verdict())),
                one.batch.map_or("—".to_owned(), |units| format!("{units:.1}")),
                one.raw.micros,
                one.ours.micros,
            );
        }
        out
    }
}

impl Outcome {
    fn verdict(&self) -> &'static str {
        match self.goal.target {
            None => "told only",
            Some(target) if self.ratio >= target => "reached",
            Some(_) => "MISSED",
        }
    }

    fn line(&self) -> String {
        let batch = self.batch.map(|units| format!(", {units:.1} units a batch")).unwrap_or_default();
        let target = self.goal.target.map(|target| format!(" (target {target:.0} %)")).unwrap_or_default();
        format!(
            "{:<8} {:<18} vs {:<32} raw {:>8.0}/s  ours {:>8.0}/s  {:>5.1} %  {}{target}{batch}, CPU {:.1} and {:.1} µs",
            self.goal.engine,
            self.goal.name,
            self.goal.baseline,
            self.raw.rate,
            self.ours.rate,
            self.ratio,
            self.verdict(),
            self.raw.micros,
            self.ours.micros,
        )
    }
}

pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        length if length % 2 == 1 => numbers[middle],
        _ => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}

/// Runs the threads' body with a flag that says when to stop; each gives how much it did.
pub fn threads<T: Send>(
    span: Duration,
    each: &mut [T],
    body: impl Fn(&mut T, &AtomicBool) -> u64 + Sync,
) -> f64 {
    let (stop, body) = (AtomicBool::new(false), &body);
    let begun = Instant::now();
    let done: u64 = std::thread::scope(|scope| {
        let running: Vec<_> = each.iter_mut().map(|one| scope.spawn(|| body(one, &stop))).collect();
        std::thread::sleep(span);
        stop.store(true, Ordering::Relaxed);
        running.into_iter().map(|thread| thread.join().expect("a measuring thread does not panic")).sum()
    });
    done as f64 / begun.elapsed().as_secs_f64()
}

/// A source of keys that costs nothing to ask (xorshift).
pub struct Keys(u64);

impl Keys {
    pub fn new(seed: usize) -> Keys {
        Keys((seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// From 1 to `last`.
    pub fn next(&mut self, last: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        1 + i64::try_from(self.0 >> 1).unwrap_or(0) % last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn keys_stay_in_their_range() {
        let mut keys = Keys::new(0);
        assert!((0..1000).all(|_| (1..=7).contains(&keys.next(7))));
    }
}
