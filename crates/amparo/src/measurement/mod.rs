//! What the process measures: the list of all metrics, and those that are sampled.
//!
//! # Adding a metric
//! A line in `metric_list.rs`, the row in docs/operations.md, and the emitter, or a sample in `samples.rs`.

mod metric_list;
mod process_usage;
mod samples;

pub use samples::{MeasuredServer, start_sampling};

use crate::fatal::FatalError;
use crate::system::SystemClock;
use domain::{Clock, Moment};
use metric_list::{ALL_METRICS, MetricDescription, MetricKind};
use metrics::Label;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Histogram buckets from half a millisecond to ten seconds.
const SECONDS: [f64; 13] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

pub fn install_metrics() -> Result<PrometheusHandle, FatalError> {
    let installed = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)
        .and_then(|builder| {
            builder.set_buckets_for_metric(
                Matcher::Full("amparo_batch_units".to_owned()),
                &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
            )
        })
        .and_then(PrometheusBuilder::install_recorder);
    let handle = installed
        .map_err(|error| FatalError::new(format!("As métricas não puderam ser iniciadas: {error}.")))?;
    ALL_METRICS.iter().for_each(register_metric);
    metrics::gauge!("amparo_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    metrics::gauge!("process_start_time_seconds").set(convert_to_seconds(SystemClock.now()));
    Ok(handle)
}

/// Describes a metric and sets it to zero.
fn register_metric(metric: &MetricDescription) {
    let MetricDescription { name, kind, unit, help, .. } = *metric;
    match kind {
        MetricKind::Counter => metrics::describe_counter!(name, unit, help),
        MetricKind::Gauge => metrics::describe_gauge!(name, unit, help),
        MetricKind::Histogram => metrics::describe_histogram!(name, unit, help),
    }
    for series in metric.list_series() {
        let labels: Vec<Label> =
            series.into_iter().map(|(label, value)| Label::from_static_parts(label, value)).collect();
        match kind {
            MetricKind::Counter => metrics::counter!(name, labels).increment(0),
            MetricKind::Gauge => metrics::gauge!(name, labels).set(0.0),
            // A histogram is shown as soon as it is known.
            MetricKind::Histogram => drop(metrics::histogram!(name, labels)),
        }
    }
}

/// Unix time in seconds, as metrics have it.
pub fn convert_to_seconds(moment: Moment) -> f64 {
    moment.millis() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use storage::server::housekeeping::SweepTarget;

    #[test]
    fn every_metric_is_listed_once_with_a_sentence_and_a_name_that_tells_its_kind() {
        let mut names = BTreeSet::new();
        for metric in ALL_METRICS {
            assert!(names.insert(metric.name), "{} is listed twice", metric.name);
            assert!(metric.help.ends_with('.'), "{}", metric.name);
            assert_eq!(
                metric.kind == MetricKind::Counter,
                metric.name.ends_with("_total"),
                "{}",
                metric.name
            );
        }
    }

    #[test]
    fn everything_that_housekeeping_sweeps_is_in_the_list() {
        let swept = ALL_METRICS.iter().find(|metric| metric.name == "amparo_swept_rows_total").unwrap();
        let mut names: Vec<&str> = SweepTarget::ALL.iter().map(|target| target.name()).collect();
        names.push("files");
        assert_eq!(swept.labels, [("what", &names[..])]);
    }

    #[test]
    fn all_combinations_of_labels_are_series() {
        let metric = MetricDescription { labels: &[("a", &["1", "2"]), ("b", &["x"])], ..ALL_METRICS[0] };
        assert_eq!(metric.list_series(), [[("a", "1"), ("b", "x")], [("a", "2"), ("b", "x")]]);
        assert_eq!(MetricDescription { labels: &[], ..ALL_METRICS[0] }.list_series(), [[]]);
    }
}
